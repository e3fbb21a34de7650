//! Answers of the model, and which answers of a store they allow.

use super::card::{Body, Card};
use queue_core::State;

/// What a step answered, as the model says it and as the store said it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There was nothing to ask the store.
    Nothing,
    Enqueued(Vec<Vec<Taken>>),
    Claimed(Claim),
    Changed(Change),
    /// In the order of their lives.
    Rescued(Vec<Card>),
    Pruned(u64),
    Listed(Vec<Card>),
}

/// What became of one job of an enqueue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    New { life: u64 },
    By { life: u64, state: State },
    Done { life: u64, result: Option<Vec<u8>> },
}

/// What a claim got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) jobs: Vec<(Card, Body)>,
    pub(super) paused: bool,
    pub(super) now: i64,
    /// The model says the moment, the store may say an earlier one.
    pub(super) next_due: Option<i64>,
}

/// What became of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Done(Box<Card>),
    Lost(Box<Card>),
    Already(State),
    NotAllowed(State),
    Missing,
}

/// All that can be read after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// In the order of their lives.
    pub(super) jobs: Vec<(Card, Body)>,
    /// Per state; of terminal states a store may count records that are overdue to be pruned.
    pub(super) counts: Vec<(State, u64)>,
    pub(super) scheduled: u64,
    pub(super) oldest_due: Option<i64>,
    pub(super) now: i64,
}

impl Answer {
    /// Whether the store's answer is one that the model allows.
    pub(super) fn allows(&self, got: &Self) -> bool {
        match (self, got) {
            (Self::Claimed(expected), Self::Claimed(got)) => expected.allows(got),
            _ => self == got,
        }
    }
}

impl Claim {
    /// A moment to come back is early enough if nothing can be had before it, and late enough if it
    /// does not make callers spin. What a paused queue says of it is free.
    fn allows(&self, got: &Self) -> bool {
        let in_time = match (self.next_due, got.next_due) {
            _ if self.paused => true,
            (Some(earliest), Some(at)) if earliest <= self.now => at <= self.now,
            (Some(earliest), Some(at)) => at > self.now && at <= earliest,
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        in_time && *self == Self { next_due: self.next_due, ..got.clone() }
    }
}

impl Snapshot {
    /// Whether what the store shows is what the model allows.
    pub(super) fn allows(&self, got: &Self) -> bool {
        let ended = |state: State| matches!(state, State::Completed | State::Failed | State::Cancelled);
        let count_fits = |(expected, got): (&(State, u64), &(State, u64))| {
            expected == got || (ended(expected.0) && expected.1 < got.1)
        };
        let counts_fit = self.counts.iter().zip(&got.counts).all(count_fits);
        counts_fit && *self == Self { counts: self.counts.clone(), ..got.clone() }
    }
}
