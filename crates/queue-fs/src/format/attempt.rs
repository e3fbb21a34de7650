//! The stored form of charged attempts.

use super::{
    InternedNames,
    job::time,
    wire::{FieldReader, FieldWriter, Malformed},
};
use queue_core::{Attempt, AttemptOutcome};

/// Attempts that were charged: how many, and each.
pub(super) fn write_attempts(out: &mut FieldWriter<'_>, attempts: &[Attempt]) {
    out.u8(u8::try_from(attempts.len()).expect("a life has ten at most"));
    for attempt in attempts {
        write(out, attempt);
    }
}

fn write(out: &mut FieldWriter<'_>, attempt: &Attempt) {
    out.u64(attempt.epoch);
    out.name(&attempt.worker);
    out.i64(attempt.claimed_at.as_millis());
    out.i64(attempt.ended_at.as_millis());
    out.u8(attempt.outcome.as_code());
    out.text(&attempt.error_name);
    out.text(&attempt.error_message);
}

pub(super) fn read_attempts(
    from: &mut FieldReader<'_>,
    names: &mut InternedNames,
) -> Result<Vec<Attempt>, Malformed> {
    (0..from.u8()?).map(|_| read(from, names)).collect()
}

fn read(from: &mut FieldReader<'_>, names: &mut InternedNames) -> Result<Attempt, Malformed> {
    Ok(Attempt {
        epoch: from.u64()?,
        worker: names.workers.read(from)?,
        claimed_at: time(from)?,
        ended_at: time(from)?,
        outcome: from.code(AttemptOutcome::from_code, "an attempt ended in no such way")?,
        error_name: from.text()?.to_owned(),
        error_message: from.text()?.to_owned(),
    })
}
