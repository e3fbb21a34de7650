//! The attempts that were charged to a job, as `lua/apply.lua` keeps them: how many there are, then
//! each behind two bytes for its length.
//!
//! | bytes | what |
//! |---|---|
//! | 6, 6, 6, 1 | epoch; `claimed_at`; `ended_at`; outcome |
//! | 1 and more, 1 and more | worker and the error's name, each behind its length |
//! | what is left | the beginning of the error's message |

use crate::{
    reader::Reader,
    row::{push_short, six},
    shapes::two,
};
use queue_core::{Attempt, AttemptOutcome, WorkerId};

/// Writes attempts as [`read_attempts`] takes them; nothing for none.
pub(crate) fn write_attempts(attempts: &[Attempt]) -> Vec<u8> {
    if attempts.is_empty() {
        return Vec::new();
    }
    let mut kept = vec![attempts.len() as u8];
    for attempt in attempts {
        let mut one = Vec::new();
        one.extend(six(attempt.epoch));
        for at in [attempt.claimed_at, attempt.ended_at] {
            one.extend(six(at.as_millis().unsigned_abs()));
        }
        one.push(attempt.outcome.as_code());
        push_short(&mut one, attempt.worker.as_str().as_bytes());
        push_short(&mut one, attempt.error_name.as_bytes());
        one.extend_from_slice(attempt.error_message.as_bytes());
        kept.extend(two(one.len()).to_be_bytes());
        kept.extend(one);
    }
    kept
}

/// The attempts that were charged, the oldest first.
pub(crate) fn read_attempts(kept: &[u8]) -> Option<Vec<Attempt>> {
    let mut from = Reader::new(kept);
    let count = if kept.is_empty() { 0 } else { from.u8()? };
    let mut attempts = Vec::with_capacity(count.into());
    for _ in 0..count {
        let length = from.u16()?;
        attempts.push(read_attempt(from.take(length.into())?)?);
    }
    from.is_empty().then_some(attempts)
}

fn read_attempt(attempt: &[u8]) -> Option<Attempt> {
    let mut from = Reader::new(attempt);
    Some(Attempt {
        epoch: from.six()?,
        claimed_at: from.time()?,
        ended_at: from.time()?,
        outcome: AttemptOutcome::from_code(from.u8()?)?,
        worker: WorkerId::new(from.short_text()?).ok()?,
        error_name: from.short_text()?.to_owned(),
        error_message: std::str::from_utf8(from.rest()).ok()?.to_owned(),
    })
}
