//! What a worker was built with.

use crate::client::Calls;
use queue_core::{QueueName, RetryPolicy, Rng, WorkerId};
use queue_worker::{JobHandler, WorkerEvent};
use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

/// The settings of a worker, checked.
pub(crate) struct Plan {
    pub(crate) calls: Calls,
    /// The file of the token, which may get another one.
    pub(crate) token_file: Option<PathBuf>,
    pub(crate) queue: QueueName,
    pub(crate) handler: Arc<JobHandler>,
    pub(crate) name: String,
    pub(crate) concurrency: usize,
    pub(crate) lease: Duration,
    pub(crate) drain: Duration,
    pub(crate) grace: Duration,
    pub(crate) time_limit: Option<Duration>,
    /// `None` leaves the wait to the service.
    pub(crate) retry: Option<RetryPolicy>,
    /// The run ends with its queue.
    pub(crate) until_empty: bool,
    pub(crate) poll: Duration,
    pub(crate) observer: Observer,
    pub(crate) rng: Arc<dyn Rng>,
}

/// The program's own function for events.
#[derive(Clone, Default)]
pub(crate) struct Observer(Option<Arc<ObserveFn>>);

type ObserveFn = dyn Fn(&WorkerEvent) + Send + Sync;

impl Plan {
    /// A name that no other run has.
    pub(super) fn run_name(&self) -> WorkerId {
        let name = format!("{}-{:016x}", self.name, self.rng.next_u64());
        WorkerId::new(name).expect("the name was checked when the worker was built")
    }
}

impl Observer {
    pub(crate) fn new(observe: impl Fn(&WorkerEvent) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(observe)))
    }

    /// A function that panics must not take a part of the worker with it.
    pub(crate) fn tell(&self, event: &WorkerEvent) {
        if let Some(observe) = &self.0 {
            drop(catch_unwind(AssertUnwindSafe(|| observe(event))));
        }
    }
}

/// The beginning of a text, cut at whole characters.
pub(crate) fn cut(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Observer(..)" } else { "Observer(none)" })
    }
}
