use super::{WorkerEvent, WorkerEvents};
use crate::runtime::guarded;
use std::{
    fmt,
    sync::{Arc, OnceLock},
};
use tokio::sync::broadcast;

/// Events that a stream may be behind before it loses some.
const BEHIND_MAX: usize = 4096;

/// Who hears of events: the program's own function, and streams. Neither holds up the worker.
#[derive(Clone, Default)]
pub(super) struct Observer {
    function: Option<Arc<Observe>>,
    /// Of all runs of a worker; made for the first stream, since it takes its memory at once.
    streams: Arc<OnceLock<broadcast::Sender<Arc<WorkerEvent>>>>,
}

type Observe = dyn Fn(&WorkerEvent) + Send + Sync;

impl Observer {
    pub(super) fn new(observe: impl Fn(&WorkerEvent) + Send + Sync + 'static) -> Self {
        Self { function: Some(Arc::new(observe)), streams: Arc::default() }
    }

    pub(super) fn stream(&self) -> WorkerEvents {
        WorkerEvents::new(self.streams.get_or_init(|| broadcast::Sender::new(BEHIND_MAX)).subscribe())
    }

    /// Without one, no event need be made.
    pub(super) fn has_listener(&self) -> bool {
        self.function.is_some() || self.streams.get().is_some_and(|streams| streams.receiver_count() > 0)
    }

    pub(super) fn tell(&self, event: &WorkerEvent) {
        if let Some(function) = &self.function {
            // A listener that panics must not take a part of the worker with it.
            let _told = guarded("observer of a worker", || function(event));
        }
        if let Some(streams) = self.streams.get().filter(|streams| streams.receiver_count() > 0) {
            // Without a reader it goes nowhere, which is fine.
            drop(streams.send(Arc::new(event.clone())));
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.function.is_some() { "Observer(..)" } else { "Observer(none)" })
    }
}
