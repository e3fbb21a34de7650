//! The shapes of jobs that scenes run with, and the marks that are set on them.

use crate::bench::prelude::*;
use queue_core::{
    Budget, EndSignal, Kind, NewGate, NewJob, Partition, Retention, Span,
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
    /// Waits behind a sealed gate for two signals, ten seconds at most.
    Gated,
    /// Waits behind a gate that is sealed later.
    Unsealed,
    /// Raises [`SUM`] and signals its end to it, which is an expiry unless it starts in time.
    Member,
    /// Alone in its partition, which has one slot.
    Alone,
    /// In a partition with the other jobs of this shape.
    Shared,
}

/// The partition of jobs of the shape [`Shape::Shared`].
pub(super) const SHARED: &str = "shared";
/// The job behind a gate that members signal to. It is there in scenes of gates, and never due.
pub(super) const SUM: &str = "sum";

/// The marks that are set on a job at the end of a scene, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Cancel,
    Await,
}

/// The shapes of every scene without gates and partitions.
pub(super) const SHAPES: [Shape; 5] =
    [Shape::Plain, Shape::Fleeting, Shape::Endless, Shape::Awaited, Shape::Expiring];
/// The shapes of scenes of gates.
pub(super) const GATE_SHAPES: [Shape; 3] = [Shape::Gated, Shape::Unsealed, Shape::Member];
/// The shapes of scenes of partitions.
pub(super) const PARTITION_SHAPES: [Shape; 2] = [Shape::Alone, Shape::Shared];
/// The marks of every scene in which they can be set.
pub(super) const MARKS: [&[Mark]; 4] = [&[], &[Mark::Cancel], &[Mark::Await], &[Mark::Cancel, Mark::Await]];

impl Shape {
    /// A job of this shape.
    pub(super) fn job(self, text: &str, delay: Span) -> NewJob {
        let mut new = job(text).with_delay(delay);
        new.partition = self.partition(text);
        let both = |new: NewJob, raw| {
            new.with_max_attempts(Budget::from_raw(raw)).with_max_stalls(Budget::from_raw(raw))
        };
        let followed = |new: NewJob| new.with_on_failure(Kind::from_static("mourn"));
        match self {
            Self::Plain | Self::Alone | Self::Shared => new,
            Self::Fleeting => followed(both(new, 1)).with_retention(Retention::Remove),
            Self::Endless => followed(both(new, 0)).with_retention(Retention::Forever),
            Self::Awaited => new.with_retention(Retention::Keep(STALL)).awaited(),
            Self::Expiring => {
                let expires_in = Span::from_millis(delay.as_millis() + RETRY.as_millis());
                new.with_expires_in(expires_in).with_time_limit(LEASE)
            }
            Self::Gated => new.with_gate(NewGate { needs: 2, is_sealed: true, timeout: Some(STALL) }),
            Self::Unsealed => new.with_gate(NewGate { needs: 0, is_sealed: false, timeout: Some(STALL) }),
            Self::Member => {
                let new = new.with_retention(Retention::Remove).with_expires_in(RETRY);
                let signal = EndSignal { raises: true, ..EndSignal::to(id(SUM)) };
                new.with_end_signals([signal])
            }
        }
    }
}

impl Shape {
    /// The partition of a job of this shape with this id.
    pub(super) fn partition(self, id: &str) -> Option<Partition> {
        match self {
            Self::Alone => Some(Partition::new(format!("of {id}")).expect("it is short")),
            Self::Shared => Some(Partition::from_static(SHARED)),
            _ => None,
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
