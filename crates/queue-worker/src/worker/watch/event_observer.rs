//! The listeners of a worker: the program's function, and event streams.

use super::{WorkerEvent, WorkerEvents};
use crate::runtime::guarded;
use std::{
    fmt,
    sync::{Arc, OnceLock},
};
use tokio::sync::broadcast;

/// Events that a stream may be behind before it loses some.
const BEHIND_MAX: usize = 4096;

/// Passes events on to the program's own function and to streams. Neither holds up the worker.
#[derive(Clone, Default)]
pub(in crate::worker) struct EventObserver {
    function: Option<Arc<ObserveFn>>,
    /// One channel for all runs of a worker. It is made for the first stream, since it takes its
    /// memory at once.
    streams: Arc<OnceLock<broadcast::Sender<Arc<WorkerEvent>>>>,
}

type ObserveFn = dyn Fn(&WorkerEvent) + Send + Sync;

impl EventObserver {
    pub(in crate::worker) fn new(observe: impl Fn(&WorkerEvent) + Send + Sync + 'static) -> Self {
        Self { function: Some(Arc::new(observe)), streams: Arc::default() }
    }

    pub(in crate::worker) fn stream(&self) -> WorkerEvents {
        WorkerEvents::new(self.streams.get_or_init(|| broadcast::Sender::new(BEHIND_MAX)).subscribe())
    }

    /// Whether there is a listener. Otherwise no event need be made.
    pub(in crate::worker) fn has_listener(&self) -> bool {
        self.function.is_some() || self.streams.get().is_some_and(|streams| streams.receiver_count() > 0)
    }

    pub(in crate::worker) fn tell(&self, event: &WorkerEvent) {
        if let Some(function) = &self.function {
            // A listener that panics must not take a part of the worker with it.
            let _told = guarded("observer of a worker", || function(event));
        }
        if let Some(streams) = self.streams.get().filter(|streams| streams.receiver_count() > 0) {
            // The last reader may have gone in between, and then the event goes nowhere.
            drop(streams.send(Arc::new(event.clone())));
        }
    }
}

impl fmt::Debug for EventObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.function.is_some() { "EventObserver(..)" } else { "EventObserver(none)" })
    }
}
