//! Times in which a server had no answer of its store.
//!
//! A store does not know that it stood still, and the server that was refused an outcome cannot say
//! so to the others in time. So each server judges by its own answers: what happened between two of
//! them that are far apart it does not know. Leases that lapsed in between are left alone for a
//! while, in which the workers of a store that stood still send their outcomes again.

use super::unsettled::RESENT_WITHIN;
use queue_core::{Span, Timestamp};
use std::time::Duration;
use tokio::time::Instant;

/// A shorter time without an answer hides nothing: a store that stands still for less takes the
/// heartbeats of ordinary leases in time.
const SILENCE_MAX: Duration = Duration::from_secs(5);
/// A waiting claim asks when the next lease lapses, and comes no later than this. It may have been
/// silent for long, and ends that lease at once.
const JUST_LAPSED: Span = Span::from_secs(2);

/// The answers of the store so far, and the last silence between two of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answers {
    last: Option<Answer>,
    silence: Option<Silence>,
}

/// When the store answered, by both clocks.
#[derive(Clone, Copy, Debug)]
struct Answer {
    store_time: Timestamp,
    came: Instant,
}

/// From the answer before it, if there was one, to the answer that ended it.
#[derive(Clone, Copy, Debug)]
struct Silence {
    from: Option<Timestamp>,
    end: Answer,
}

impl Answers {
    /// Notes an answer that came now.
    pub(super) fn note(&mut self, store_time: Timestamp) {
        let end = Answer { store_time, came: Instant::now() };
        let from = self.last.map(|last| last.store_time);
        if self.last.is_none_or(|last| end.came > last.came + SILENCE_MAX) {
            self.silence = Some(Silence { from, end });
        }
        self.last = Some(end);
    }

    /// What the clock of the store shows now.
    pub(super) fn store_time(&self) -> Option<Timestamp> {
        self.last.map(|last| last.store_time + Span::at_most(last.came.elapsed()))
    }

    /// Whether a lease lapsed unseen, and its worker may still be about to settle the job.
    pub(super) fn hide(&self, lapsed_at: Timestamp) -> bool {
        self.silence.is_some_and(|silence| {
            let is_recent = silence.end.came.elapsed() < RESENT_WITHIN;
            let is_within = silence.from.is_none_or(|from| from < lapsed_at);
            is_recent && is_within && lapsed_at + JUST_LAPSED < silence.end.store_time
        })
    }
}
