//! The pauses of the reference store.

use queue_core::{Kind, Pause, PausedKind, QueueName, Timestamp};
use std::collections::BTreeMap;

/// The pauses of queues and of their kinds, those that are over included.
#[derive(Debug, Default)]
pub(super) struct ReferencePauses(BTreeMap<(QueueName, Option<Kind>), Pause>);

impl ReferencePauses {
    /// Pauses or resumes a queue, or a kind of it.
    pub(super) fn set(&mut self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) {
        self.0.insert((queue.clone(), kind.cloned()), pause);
    }

    /// The pause of a queue, and the kinds of it that are paused.
    pub(super) fn at(&self, queue: &QueueName, now: Timestamp) -> (Pause, Vec<PausedKind>) {
        let (mut whole, mut kinds) = (Pause::Off, Vec::new());
        for ((_, kind), pause) in self.0.iter().filter(|((name, _), _)| name == queue) {
            match (kind, pause.at(now)) {
                (None, pause) => whole = pause,
                (Some(_), Pause::Off) => {}
                (Some(kind), pause) => kinds.push(PausedKind { kind: kind.clone(), pause }),
            }
        }
        (whole, kinds)
    }
}
