//! Says in the log which jobs of the library's own a program cannot read, once for each.

use crate::worker::TRACE_TARGET;
use parking_lot::Mutex;
use queue_core::{JobMeta, QueueName, Seq};
use std::collections::BTreeSet;

/// The most jobs that are remembered; beyond it those that are known are forgotten, and are named
/// once more.
const REMEMBERED_MAX: usize = 1_000;

/// Which unreadable jobs the log has named already: they come back every few seconds for as long as
/// no other program takes them. One for each program that calls
/// [`handle_reserved`](crate::handle_reserved) is enough.
#[derive(Debug, Default)]
pub struct UnreadableLog(Mutex<BTreeSet<(QueueName, Seq)>>);

impl UnreadableLog {
    /// Writes a warning, unless the job was named before.
    pub fn note(&self, job: &JobMeta, reason: &str) {
        if self.is_first(job) {
            let JobMeta { queue, id, .. } = job;
            tracing::warn!(
                target: TRACE_TARGET, %queue, job = %id, reason,
                "this program cannot read a job of the library's own, and leaves it to others"
            );
        }
    }

    fn is_first(&self, job: &JobMeta) -> bool {
        let mut seen = self.0.lock();
        if seen.len() >= REMEMBERED_MAX {
            seen.clear();
        }
        seen.insert((job.queue.clone(), job.seq))
    }
}
