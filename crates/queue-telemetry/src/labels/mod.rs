//! Labels of queues and kinds: each is built once, and their number is bounded.

mod cells;
mod queue_labels;

pub(crate) use queue_labels::{KindLabels, QueueLabels};

use crate::words::OTHER;
use foldhash::{HashMap, HashMapExt, HashSet};
use parking_lot::{Mutex, RwLock};
use queue_core::{Kind, QueueName, StoreGauges};
use std::sync::Arc;

/// The most queues with labels of their own.
const QUEUES_MAX: usize = StoreGauges::QUEUES_MAX;
/// The most kinds with labels of their own, in all queues together.
const KINDS_MAX: usize = 200;
/// The most pairs of a queue and a kind with labels of their own. With few queues, eight outcomes
/// and reasons for each pair stay within the 2,000 combinations of labels that an SDK keeps by
/// default.
const PAIRS_MAX: usize = 250;

/// The labels of all queues and kinds that were seen so far.
#[derive(Debug)]
pub(crate) struct Labels {
    queues: RwLock<HashMap<QueueName, Arc<QueueLabels>>>,
    other: Arc<QueueLabels>,
    kinds: Mutex<KnownKinds>,
}

#[derive(Debug, Default)]
struct KnownKinds {
    names: HashSet<Kind>,
    pairs: usize,
}

impl Labels {
    pub(crate) fn new() -> Self {
        Self {
            queues: RwLock::new(HashMap::new()),
            other: Arc::new(QueueLabels::new(OTHER)),
            kinds: Mutex::default(),
        }
    }

    /// The labels of this queue if it was seen before, or else the shared labels of all others. For
    /// calls that accept any name, such as a claim that returns no job: made-up names must not use
    /// up labels.
    pub(crate) fn of_known_queue(&self, queue: &QueueName) -> Arc<QueueLabels> {
        self.queues.read().get(queue).unwrap_or(&self.other).clone()
    }

    /// The labels of this queue, or the shared ones once there are too many queues. New labels are
    /// passed to `begin`.
    pub(crate) fn of_queue(&self, queue: &QueueName, begin: impl FnOnce(&QueueLabels)) -> Arc<QueueLabels> {
        {
            let queues = self.queues.read();
            if let Some(labels) = queues.get(queue) {
                return labels.clone();
            }
            // Calls for queues without labels of their own never wait for each other.
            if queues.len() >= QUEUES_MAX {
                return self.other.clone();
            }
        }
        let mut queues = self.queues.write();
        if let Some(labels) = queues.get(queue) {
            return labels.clone();
        }
        if queues.len() >= QUEUES_MAX {
            return self.other.clone();
        }
        let labels = Arc::new(QueueLabels::new(queue.as_str()));
        begin(&labels);
        queues.insert(queue.clone(), labels.clone());
        labels
    }

    /// The labels of this kind in that queue, or the shared ones of its other kinds. New labels are
    /// passed to `begin`.
    pub(crate) fn of_kind(
        &self,
        queue: &QueueLabels,
        kind: &Kind,
        begin: impl FnOnce(&KindLabels),
    ) -> Arc<KindLabels> {
        if let Some(labels) = queue.kinds.read().get(kind) {
            return labels.clone();
        }
        if std::ptr::eq(queue, &raw const *self.other) || !self.kinds.lock().admits(kind) {
            return queue.other_kinds.clone();
        }
        let labels = Arc::new(queue.kind(kind.as_str()));
        begin(&labels);
        queue.kinds.write().entry(kind.clone()).or_insert(labels).clone()
    }
}

impl KnownKinds {
    /// Whether one more pair with this kind gets labels of its own. Two callers that ask for the
    /// same pair at the same time may use up two.
    fn admits(&mut self, kind: &Kind) -> bool {
        let is_known = self.names.contains(kind);
        if self.pairs >= PAIRS_MAX || (!is_known && self.names.len() >= KINDS_MAX) {
            return false;
        }
        if !is_known {
            self.names.insert(kind.clone());
        }
        self.pairs += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(n: usize) -> Kind {
        Kind::new(format!("kind-{n}")).unwrap()
    }

    fn queue(n: usize) -> QueueName {
        QueueName::new(format!("queue-{n}")).unwrap()
    }

    fn name(labels: &QueueLabels) -> String {
        labels.destination[0].value.as_str().into_owned()
    }

    #[test]
    fn queues_beyond_the_most_are_one() {
        let labels = Labels::new();
        let names: HashSet<String> =
            (0..QUEUES_MAX * 3).map(|n| name(&labels.of_queue(&queue(n), |_| ()))).collect();
        assert_eq!(names.len(), QUEUES_MAX + 1);
        assert!(names.contains(OTHER));
        assert_eq!(name(&labels.of_queue(&queue(1), |_| ())), "queue-1", "the first ones stay apart");
    }

    #[test]
    fn kinds_beyond_the_most_are_one_in_each_queue() {
        let labels = Labels::new();
        let of = |q: usize, k: usize| {
            let queue = labels.of_queue(&queue(q), |_| ());
            let attempt = &labels.of_kind(&queue, &kind(k), |_| ()).attempts[0];
            (attempt[0].value.as_str().into_owned(), attempt[1].value.as_str().into_owned())
        };
        let first: HashSet<_> = (0..KINDS_MAX * 2).map(|k| of(0, k)).collect();
        assert_eq!(first.len(), KINDS_MAX + 1);
        assert_eq!(of(1, 7), ("queue-1".to_owned(), "kind-7".to_owned()));
        assert_eq!(of(1, KINDS_MAX * 2 + 1), ("queue-1".to_owned(), OTHER.to_owned()));
        let pairs: HashSet<_> =
            (0..50).flat_map(|q| (0..100).map(move |k| (q, k))).map(|(q, k)| of(q, k)).collect();
        assert!(pairs.len() <= PAIRS_MAX + 50, "{}", pairs.len());
    }
}
