//! The labels of one queue, built in advance so that a record allocates nothing.

use super::cells::{CounterCell, HistogramCell};
use crate::words::{
    AttemptOutcome, DESTINATION, KIND, OPERATION, OTHER, OUTCOME, Operation, SentOutcome, shared,
};
use foldhash::{HashMap, HashMapExt};
use opentelemetry::KeyValue;
use parking_lot::RwLock;
use queue_core::Kind;
use std::sync::Arc;

/// The labels of one queue.
#[derive(Debug)]
pub(crate) struct QueueLabels {
    pub(crate) destination: [KeyValue; 1],
    pub(crate) sent: [[KeyValue; 2]; SentOutcome::WORDS.len()],
    pub(crate) operations: [[KeyValue; 2]; Operation::WORDS.len()],
    pub(crate) cells: QueueCells,
    pub(super) kinds: RwLock<HashMap<Kind, Arc<KindLabels>>>,
    pub(super) other_kinds: Arc<KindLabels>,
}

/// The instruments that are recorded for each call or job of one queue.
#[derive(Debug, Default)]
pub(crate) struct QueueCells {
    pub(crate) sent: [CounterCell; SentOutcome::WORDS.len()],
    pub(crate) operations: [HistogramCell; Operation::WORDS.len()],
    pub(crate) wait: HistogramCell,
    pub(crate) consumed: CounterCell,
}

/// The labels of one kind in one queue.
#[derive(Debug)]
pub(crate) struct KindLabels {
    pub(crate) attempts: [[KeyValue; 3]; AttemptOutcome::WORDS.len()],
    pub(crate) cells: [AttemptCells; AttemptOutcome::WORDS.len()],
}

/// The instruments that are recorded for each attempt with one outcome.
#[derive(Debug, Default)]
pub(crate) struct AttemptCells {
    pub(crate) attempts: CounterCell,
    pub(crate) process: HistogramCell,
    pub(crate) held: HistogramCell,
}

impl QueueLabels {
    pub(super) fn new(name: &str) -> Self {
        let destination = shared(DESTINATION, name);
        let with = |key, word| [destination.clone(), KeyValue::new(key, word)];
        Self {
            sent: SentOutcome::WORDS.map(|word| with(OUTCOME, word)),
            operations: Operation::WORDS.map(|word| with(OPERATION, word)),
            cells: QueueCells::default(),
            kinds: RwLock::new(HashMap::new()),
            other_kinds: Arc::new(KindLabels::new(&destination, OTHER)),
            destination: [destination],
        }
    }

    pub(super) fn kind(&self, kind: &str) -> KindLabels {
        KindLabels::new(&self.destination[0], kind)
    }
}

impl KindLabels {
    fn new(destination: &KeyValue, kind: &str) -> Self {
        let kind = shared(KIND, kind);
        let attempts = AttemptOutcome::WORDS
            .map(|word| [destination.clone(), kind.clone(), KeyValue::new(OUTCOME, word)]);
        Self { attempts, cells: Default::default() }
    }
    /// The labels of an outcome, and its instruments.
    pub(crate) fn of(&self, outcome: AttemptOutcome) -> (&[KeyValue; 3], &AttemptCells) {
        (&self.attempts[outcome as usize], &self.cells[outcome as usize])
    }
}
