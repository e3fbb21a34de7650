//! The writing thread's side: gathers calls, commits them together, and answers them.

use super::{Committer, GroupFailure, PendingCall};
use std::fmt;
use tokio::sync::mpsc;

/// Calls in one transaction.
const CALLS_MAX: usize = 1_024;
/// Weight of one transaction, beyond which no further call joins: others wait for its end.
const WEIGHT_MAX: usize = 10_000;
/// Calls that a call looks at, newest first, for one that it joins.
const LOOKS_MAX: usize = 16;
/// How often the thread lets others run before it begins with fewer calls than last time.
const YIELDS_MAX: usize = 32;

/// The thread's end of a [`Writer`](super::Writer).
pub struct Inbox<C: Committer> {
    calls: mpsc::Receiver<PendingCall<C>>,
    calls_before: usize,
}

impl<C: Committer> fmt::Debug for Inbox<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("waiting", &self.calls.len()).finish_non_exhaustive()
    }
}

impl<C: Committer> Inbox<C> {
    pub(super) fn new(calls: mpsc::Receiver<PendingCall<C>>) -> Self {
        Self { calls, calls_before: 0 }
    }

    /// Serves until the handle is closed or dropped and everything that was sent before is done.
    pub fn serve(mut self, session: &mut C::Session<'_>) {
        while let Some(first) = self.calls.blocking_recv() {
            let group = self.gather(first);
            self.calls_before = group.len();
            let left = commit(session, in_turn(merged(group)));
            if !left.is_empty() {
                // These leave nothing themselves.
                commit(session, left);
            }
        }
    }

    /// Takes what waits by now; no call waits for a timer. Callers that were just answered may be
    /// about to call again, so while there are fewer than last time the processor is offered to
    /// them.
    fn gather(&mut self, first: PendingCall<C>) -> Vec<PendingCall<C>> {
        let mut weight = first.weight();
        let mut group = vec![first];
        let mut yields = 0;
        while group.len() < CALLS_MAX && weight < WEIGHT_MAX {
            if let Ok(call) = self.calls.try_recv() {
                weight = weight.saturating_add(call.weight());
                group.push(call);
            } else if group.len() < self.calls_before && yields < YIELDS_MAX {
                yields += 1;
                std::thread::yield_now();
            } else {
                break;
            }
        }
        group
    }
}

/// The calls in the order of their turns, and within a turn as they came.
fn in_turn<C: Committer>(mut group: Vec<PendingCall<C>>) -> Vec<PendingCall<C>> {
    if !group.is_sorted_by_key(PendingCall::turn) {
        group.sort_by_key(PendingCall::turn);
    }
    group
}

/// Calls that run as one become one, behind all others.
fn merged<C: Committer>(group: Vec<PendingCall<C>>) -> Vec<PendingCall<C>> {
    if group.len() == 1 || !group.iter().any(PendingCall::may_join) {
        return group;
    }
    let mut others = Vec::with_capacity(group.len());
    let mut joined = Vec::<PendingCall<C>>::new();
    for call in group {
        if !call.may_join() {
            others.push(call);
            continue;
        }
        // The bound keeps a large group of unlike calls from being compared pair by pair.
        let mut looked_at = joined.iter_mut().rev().take(LOOKS_MAX);
        let left = looked_at.try_fold(call, |call, with| with.absorb(call).ok_or(())).ok();
        joined.extend(left);
    }
    others.extend(joined);
    others
}

/// Answers what is to be done for callers that have left.
fn commit<C: Committer>(session: &mut C::Session<'_>, mut group: Vec<PendingCall<C>>) -> Vec<PendingCall<C>> {
    let mut left = Vec::new();
    match C::transact(session, &mut group) {
        Ok(()) => group.into_iter().for_each(|call| call.answer(&mut left)),
        Err(GroupFailure::Within(_)) if group.len() > 1 || group.iter().any(PendingCall::is_several) => {
            // The transaction was undone, so each call runs alone: a failure stays with its caller.
            for call in group.into_iter().flat_map(PendingCall::split) {
                left.extend(commit(session, vec![call]));
            }
        }
        Err(GroupFailure::Within(fault) | GroupFailure::Together(fault)) => {
            for call in group {
                call.fail(&fault);
            }
        }
    }
    left
}
