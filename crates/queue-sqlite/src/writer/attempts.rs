//! Writing charged attempts.

use super::session::SqliteSession;
use crate::row::integer;
use queue_core::{ATTEMPTS_MAX, Attempt, Seq, WorkerId};
use rusqlite::params;

impl SqliteSession<'_> {
    /// Adds an attempt to the attempts of a life, in the step that charges it. The life says from
    /// then on that it has some.
    pub(super) fn charge(&mut self, seq: Seq, attempt: &Attempt) -> rusqlite::Result<()> {
        let seq = integer(seq.get());
        self.statements.insert_attempt.execute(params![
            seq,
            integer(attempt.epoch),
            attempt.outcome.as_code(),
            attempt.claimed_at.as_millis(),
            attempt.ended_at.as_millis(),
            WorkerId::as_str(&attempt.worker),
            attempt.error_name,
            attempt.error_message,
        ])?;
        // Each claim charges one attempt at most.
        if attempt.epoch > ATTEMPTS_MAX as u64 {
            self.statements.trim_attempts.execute(params![seq, integer(ATTEMPTS_MAX as u64)])?;
        }
        Ok(())
    }
}
