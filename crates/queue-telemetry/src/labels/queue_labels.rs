//! The labels of one queue, ready to be recorded with.

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
    pub(super) kinds: RwLock<HashMap<Kind, Arc<KindLabels>>>,
    pub(super) other_kinds: Arc<KindLabels>,
}

/// The labels of one kind in one queue.
#[derive(Debug)]
pub(crate) struct KindLabels {
    pub(crate) attempts: [[KeyValue; 3]; AttemptOutcome::WORDS.len()],
}

impl QueueLabels {
    pub(super) fn new(name: &str) -> Self {
        let destination = shared(DESTINATION, name);
        let with = |key, word| [destination.clone(), KeyValue::new(key, word)];
        Self {
            sent: SentOutcome::WORDS.map(|word| with(OUTCOME, word)),
            operations: Operation::WORDS.map(|word| with(OPERATION, word)),
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
        Self { attempts }
    }
}
