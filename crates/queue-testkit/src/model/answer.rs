//! Answers of the model, and which answers of a store they allow.

use super::card::{Body, Card};
use queue_core::State;

/// The answer to a step, from the model or from the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The step asks the store nothing.
    Nothing,
    Enqueued(Vec<Vec<Taken>>),
    Claimed(Claim),
    Changed(Change),
    /// The rescued jobs, in the order of their lives.
    Rescued(Vec<Card>),
    Pruned(u64),
    Listed(Vec<Card>),
}

/// The answer to one job of an enqueue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    New { life: u64 },
    By { life: u64, state: State },
    Done { life: u64, result: Option<Vec<u8>> },
}

/// The answer to a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) jobs: Vec<(Card, Body)>,
    pub(super) paused: bool,
    pub(super) now: i64,
    /// The model gives the exact moment; the store may give an earlier one.
    pub(super) next_due: Option<i64>,
}

/// The answer to an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Done(Box<Card>),
    Lost(Box<Card>),
    Already(State),
    NotAllowed(State),
    Missing,
}

/// Everything that can be read after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// The jobs, in the order of their lives.
    pub(super) jobs: Vec<(Card, Body)>,
    /// The number of jobs per state; of terminal states a store may count overdue records.
    pub(super) counts: Vec<(State, u64)>,
    pub(super) scheduled: u64,
    pub(super) oldest_due: Option<i64>,
    pub(super) now: i64,
}

impl Answer {
    /// Whether the model allows the store's answer.
    pub(super) fn allows(&self, got: &Self) -> bool {
        match (self, got) {
            (Self::Claimed(expected), Self::Claimed(got)) => expected.allows(got),
            _ => self == got,
        }
    }
}

impl Claim {
    /// `next_due` is early enough if no job can be had before it, and late enough if callers do not
    /// spin. For a paused queue it may be anything.
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
    /// Whether the model allows what the store shows.
    pub(super) fn allows(&self, got: &Self) -> bool {
        let ended = |state: State| matches!(state, State::Completed | State::Failed | State::Cancelled);
        let count_fits = |(expected, got): (&(State, u64), &(State, u64))| {
            expected == got || (ended(expected.0) && expected.1 < got.1)
        };
        let counts_fit = self.counts.iter().zip(&got.counts).all(count_fits);
        counts_fit && *self == Self { counts: self.counts.clone(), ..got.clone() }
    }
}
