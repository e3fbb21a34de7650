//! What a server says of its store when a handle is opened.

use super::{Source, Wire, hash, mix};
use queue_core::{
    Capabilities, Durability, EventReach, Limits, Reach,
    wire::{Malformed, Writer},
};
use std::time::Duration;

record! {
    Opened {
        name: String,
        durability: Durability,
        events: EventReach,
        presence: bool,
        pause: bool,
        attempts: bool,
        import: bool,
        series: bool,
        limits: Limits,
        call_timeout: Duration,
    }
    Limits {
        payload_bytes_max: usize,
        note_bytes_max: usize,
        batch_max: usize,
        call_bytes_max: usize,
        answer_bytes_max: usize,
        gates: bool,
        partitions: bool,
    }
}

growing_choice! {
    Durability { 0 = None, 1 = Process, 2 = Power }
    EventReach { 0 = None, 1 = Process, 2 = Store }
}

/// The capabilities of the store behind a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that a store can do or not")]
pub(crate) struct Opened {
    pub(crate) name: String,
    pub(crate) durability: Durability,
    pub(crate) events: EventReach,
    pub(crate) presence: bool,
    pub(crate) pause: bool,
    pub(crate) attempts: bool,
    pub(crate) import: bool,
    pub(crate) series: bool,
    pub(crate) limits: Limits,
    pub(crate) call_timeout: Duration,
}

impl Opened {
    #[cfg(any(feature = "server", test))]
    pub(crate) fn of(store: &Capabilities) -> Self {
        Self {
            name: store.name.to_owned(),
            durability: store.durability,
            events: store.events,
            presence: store.presence,
            pause: store.pause,
            attempts: store.attempts,
            import: store.import,
            series: store.series,
            limits: store.limits,
            call_timeout: store.call_timeout,
        }
    }

    /// The capabilities of a handle that gives a call up after `call_timeout`. Writes of all that
    /// share the server are reported in full, since they are writes of its process.
    pub(crate) fn capabilities(&self, call_timeout: Duration) -> Capabilities {
        let mut own = Capabilities::new("remote", self.durability, Reach::Network);
        own.events = self.events;
        own.presence = self.presence;
        own.pause = self.pause;
        own.attempts = self.attempts;
        own.import = self.import;
        own.series = self.series;
        own.limits = self.limits;
        own.call_timeout = call_timeout;
        own
    }
}
