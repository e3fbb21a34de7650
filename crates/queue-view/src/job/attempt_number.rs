//! The numbers of attempts as people count them.

use super::JobReading;
use queue_core::{Attempt, JobMeta};

/// The kept attempts of a reading, the oldest first, each with its number: the attempts that
/// were charged since the job was enqueued or last redriven, from one on. This is the count of
/// [`JobMeta::attempts_made`] and of `QUEUE_ATTEMPT`. Claims that were given back uncharged have no
/// number, and attempts from before a redrive have `None`.
pub(super) fn numbered(reading: &JobReading) -> impl Iterator<Item = (Option<u32>, &Attempt)> {
    let attempts = reading.attempts.as_deref().unwrap_or_default();
    let charged = charged(&reading.meta);
    attempts.iter().enumerate().map(move |(index, attempt)| {
        let later = u32::try_from(attempts.len() - 1 - index).unwrap_or(u32::MAX);
        (charged.checked_sub(later).filter(|number| *number > 0), attempt)
    })
}

/// How many attempts were charged since the job was enqueued or last redriven.
pub(super) const fn charged(meta: &JobMeta) -> u32 {
    meta.failures.saturating_add(meta.stalls)
}
