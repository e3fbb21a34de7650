//! Collects and checks the settings of a worker.

use crate::{
    ServiceWorker,
    client::Calls,
    run::{Observer, Plan, cut},
};
use queue_core::{Error, Payload, QueueName, Result, RetryPolicy, Rng, SystemRng};
use queue_remote::{RemoteOptions, ServiceClient};
use queue_worker::{
    Context, InvalidWorker, JobError, JobHandler, WorkerEvent, hosted::host_name, runtime::Handler,
};
use std::{fmt, ops::RangeInclusive, path::Path, sync::Arc, time::Duration};

/// Most jobs that one worker may hold. A larger number is a typing error.
const SLOTS_MAX: usize = 100_000;
/// The most bytes of a name before what each run adds.
const NAME_BYTES_MAX: usize = 64;

/// Collects the settings of a [`ServiceWorker`].
#[must_use]
pub struct ServiceWorkerBuilder {
    service: RemoteOptions,
    queue: QueueName,
    handler: Arc<JobHandler>,
    name: Option<String>,
    concurrency: usize,
    lease: Duration,
    drain: Duration,
    grace: Duration,
    time_limit: Option<Duration>,
    retry: Option<RetryPolicy>,
    until_empty: bool,
    poll: Duration,
    observer: Observer,
    rng: Arc<dyn Rng>,
}

impl ServiceWorkerBuilder {
    /// The shortest and the longest lease that a service gives.
    pub const LEASES: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(3600);

    pub(crate) fn new<H>(service: RemoteOptions, queue: QueueName, handler: H) -> Self
    where
        H: Handler<Context, Output = Payload, Error = JobError>,
    {
        Self {
            service,
            queue,
            handler: Arc::new(handler),
            name: None,
            concurrency: 64,
            lease: Duration::from_secs(30),
            drain: Duration::from_secs(30),
            grace: Duration::from_secs(5),
            time_limit: None,
            retry: None,
            until_empty: false,
            poll: Duration::from_secs(5),
            observer: Observer::default(),
            rng: Arc::new(SystemRng),
        }
    }

    /// How many handlers run at once. Default 64, for handlers that mostly wait; with 1 jobs run in
    /// claim order. No more jobs are claimed than can start.
    pub fn concurrency(mut self, handlers: usize) -> Self {
        self.concurrency = handlers;
        self
    }

    /// How long a lease lasts without a heartbeat, sent when a third of it has passed. Default 30
    /// s; 1 s to 1 h. Jobs of a crashed worker wait this long.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// How long running handlers may go on after a stop before their cancel tokens fire. Default 30
    /// s.
    pub fn drain_deadline(mut self, deadline: Duration) -> Self {
        self.drain = deadline;
        self
    }

    /// How long handlers may go on after their cancel token fired before they are dropped: at the
    /// end of a stop, at their time limit, and after their lease was lost. Default 5 s.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How long a handler may run unless its job or its kind says otherwise. Default: for ever.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// How long failed jobs wait, by the number of the attempt. Default: as the service says, which
    /// is one second, doubling up to six hours.
    pub fn retry(mut self, retry: impl Into<RetryPolicy>) -> Self {
        self.retry = Some(retry.into());
        self
    }

    /// Ends the run once the queue has no unfinished job. Delayed jobs and the jobs of other
    /// workers are waited for.
    pub fn until_empty(mut self) -> Self {
        self.until_empty = true;
        self
    }

    /// The longest sleep between two claims of a worker that runs [until its queue is
    /// empty](Self::until_empty). Default 5 s. Any other worker has the service wait for jobs.
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll = interval;
        self
    }

    /// The beginning of the worker's name, for operators; each run adds text of its own. Default:
    /// the name of the host.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the function that is called for everything that happens to a job here, and for calls
    /// that are tried again. It should be short.
    pub fn on_event(mut self, observe: impl Fn(&WorkerEvent) + Send + Sync + 'static) -> Self {
        self.observer = Observer::new(observe);
        self
    }

    /// Where names and jitter come from.
    pub fn rng(mut self, rng: Arc<dyn Rng>) -> Self {
        self.rng = rng;
        self
    }

    /// Checks the settings and reads the file of the token. No connection is made yet.
    ///
    /// # Errors
    /// `Invalid`, saying which setting and its bounds, with an [`InvalidWorker`] as its source
    /// where the handler or the queue is at fault; and for a token that cannot be read or would go
    /// unencrypted over a network.
    pub async fn build(self) -> Result<ServiceWorker> {
        self.check()?;
        let name = self.name.unwrap_or_else(host_name);
        let name = cut(&name, NAME_BYTES_MAX).to_owned();
        let client = ServiceClient::open(self.service).await?;
        Ok(ServiceWorker::new(Plan {
            token_file: client.token_file().map(Path::to_owned),
            calls: Calls::new(client),
            queue: self.queue,
            handler: self.handler,
            name,
            concurrency: self.concurrency,
            lease: self.lease,
            drain: self.drain,
            grace: self.grace,
            time_limit: self.time_limit,
            retry: self.retry,
            until_empty: self.until_empty,
            poll: self.poll,
            observer: self.observer,
            rng: self.rng,
        }))
    }

    fn check(&self) -> Result<()> {
        self.queue.check_open().map_err(InvalidWorker::ReservedQueue)?;
        InvalidWorker::check_handler(&*self.handler, [&self.queue])?;
        if self.concurrency == 0 || self.concurrency > SLOTS_MAX {
            return Err(invalid(format!("concurrency must be at least 1 and at most {SLOTS_MAX}")));
        }
        if !Self::LEASES.contains(&self.lease) {
            return Err(invalid("a service gives leases of 1 s to 1 h"));
        }
        if self.time_limit.is_some_and(|limit| limit.is_zero()) {
            return Err(invalid("a time limit must be longer than zero"));
        }
        if self.poll.is_zero() {
            return Err(invalid("the poll interval must be longer than zero"));
        }
        if self.name.as_ref().is_some_and(|name| name.is_empty() || name.chars().any(char::is_control)) {
            return Err(invalid("a worker's name has at least one character and no control characters"));
        }
        Ok(())
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::invalid("build worker", message)
}

impl fmt::Debug for ServiceWorkerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceWorkerBuilder").field("queue", &self.queue).finish_non_exhaustive()
    }
}
