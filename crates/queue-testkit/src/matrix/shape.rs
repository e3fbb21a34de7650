//! The shapes of jobs that scenes are played with, and the marks that are set on them.

use crate::bench::prelude::*;
use queue_core::{
    Budget, Kind, NewJob, Retention, Span,
    lifecycle::{Event, OnRunning},
};

/// A kind of job that a scene is played with: what its events depend on besides its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Kept for an hour, three of each budget.
    Plain,
    /// Leaves at once, has one attempt and one stall, and another job follows if it fails.
    Fleeting,
    /// Stays for ever, may fail and stall for ever, and another job follows if it fails for good.
    Endless,
    /// Kept for less than somebody who waits for it needs.
    Awaited,
    /// Given up unless it starts in time, and with a time limit.
    Expiring,
}

/// What somebody marks a job with at the end of a scene, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Cancel,
    Await,
}

/// The shapes of every scene.
pub(super) const SHAPES: [Shape; 5] =
    [Shape::Plain, Shape::Fleeting, Shape::Endless, Shape::Awaited, Shape::Expiring];
/// The marks of every scene in which they can be set.
pub(super) const MARKS: [&[Mark]; 4] = [&[], &[Mark::Cancel], &[Mark::Await], &[Mark::Cancel, Mark::Await]];

impl Shape {
    /// A job of this shape.
    pub(super) fn job(self, text: &str, delay: Span) -> NewJob {
        let new = job(text).with_delay(delay);
        let both = |new: NewJob, raw| {
            new.with_max_attempts(Budget::from_raw(raw)).with_max_stalls(Budget::from_raw(raw))
        };
        let followed = |new: NewJob| new.with_on_failure(Kind::from_static("mourn"));
        match self {
            Self::Plain => new,
            Self::Fleeting => followed(both(new, 1)).with_retention(Retention::Remove),
            Self::Endless => followed(both(new, 0)).with_retention(Retention::Forever),
            Self::Awaited => new.with_retention(Retention::Keep(STALL)).awaited(),
            Self::Expiring => {
                let expires_in = Span::from_millis(delay.as_millis() + RETRY.as_millis());
                new.with_expires_in(expires_in).with_time_limit(LEASE)
            }
        }
    }
}

impl Mark {
    /// As an event.
    pub(super) fn event(self) -> Event {
        match self {
            Self::Cancel => Event::Cancel { running: OnRunning::Request },
            Self::Await => Event::Await,
        }
    }
}
