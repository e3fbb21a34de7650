//! The shapes of jobs that scenes run with, and the marks that are set on them.

use crate::bench::prelude::*;
use queue_core::{
    Budget, Kind, NewJob, Retention, Span,
    lifecycle::{Event, OnProcessing},
};

/// A kind of job that a scene runs with: what its events depend on besides its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Kept for an hour, with three attempts and three stalls.
    Plain,
    /// Removed at once when it ends, with one attempt and one stall, and a follow-up.
    Fleeting,
    /// Kept for ever, may fail and stall for ever, and has a follow-up if it fails for good.
    Endless,
    /// Kept for less time than a waiting caller needs.
    Awaited,
    /// Cancelled unless it starts in time, and with a time limit.
    Expiring,
}

/// The marks that are set on a job at the end of a scene, in this order.
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
            Self::Cancel => Event::Cancel { processing: OnProcessing::Request },
            Self::Await => Event::Await,
        }
    }
}
