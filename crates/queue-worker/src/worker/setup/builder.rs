//! Collects and checks the settings of a worker.

use super::{
    EndCondition, InvalidWorker, Prefetch, WorkQueue, WorkedQueue, WorkerOptions,
    guarded_policy::guarded_policy,
};
use crate::{
    handler::SharedHandler,
    worker::{
        rate::{KindRates, RateLimit},
        run::{RunNames, Worker, WorkerPlan},
        watch::{EventObserver, WorkerEvent},
    },
};
use queue_core::{
    Error, Result, RetryPolicy, Rng, Span, Storage, SystemRng, WorkerId,
    lifecycle::{Policy, Unhandled},
};
use std::{sync::Arc, time::Duration};

/// Most jobs that one worker may hold. A larger number is a typing error.
const SLOTS_MAX: usize = 100_000;

/// The default rescue interval is no longer than this, or recovery would be slow where leases are
/// long.
const RESCUE_INTERVAL_MAX: Duration = Duration::from_secs(5);

/// Collects the settings of a [`Worker`]. The defaults are the fast ones.
#[derive(Debug)]
pub struct WorkerBuilder {
    storage: Arc<dyn Storage>,
    queues: Vec<WorkQueue>,
    kind_limits: Vec<(String, RateLimit)>,
    handler: SharedHandler,
    pub(in crate::worker) options: WorkerOptions,
    lease: Duration,
    rescue_interval: Option<Duration>,
    id: Option<WorkerId>,
    rng: Arc<dyn Rng>,
    observer: EventObserver,
}

impl WorkerBuilder {
    pub(in crate::worker) fn new(
        storage: Arc<dyn Storage>,
        queue: WorkQueue,
        handler: SharedHandler,
    ) -> Self {
        let options = WorkerOptions::default();
        let lease = options.lease.as_duration();
        Self {
            storage,
            queues: vec![queue],
            kind_limits: Vec::new(),
            handler,
            options,
            lease,
            rescue_interval: None,
            id: None,
            rng: Arc::new(SystemRng),
            observer: EventObserver::default(),
        }
    }

    /// Works on a further queue too, with the same handler: [`Context::meta`](crate::Context::meta)
    /// says of which queue a job is. Slots are shared by [weight](WorkQueue::weight); within a
    /// queue jobs start in claim order. At most 100 queues, each once.
    #[must_use]
    pub fn also(mut self, queue: impl Into<WorkQueue>) -> Self {
        self.queues.push(queue.into());
        self
    }

    /// How many jobs of a kind may start in a while in this worker, over all its queues. A job over
    /// the limit is put back uncharged until its turn, so that other kinds are not held up and jobs
    /// of this kind mostly keep their order. A job with more than a minute's worth of others ahead
    /// of it is put back for a minute, and then asks again.
    ///
    /// A claim cannot choose by kind, so each such job costs a claim and a settle more. Where a
    /// limit is reached often, give the kind a queue with a [rate limit](WorkQueue::rate_limit) of
    /// its own.
    ///
    /// ```
    /// # use queue_worker::{RateLimit, WorkerBuilder};
    /// # fn limited(worker: WorkerBuilder) -> WorkerBuilder {
    /// worker.kind_rate_limit("newsletter", RateLimit::per_minute(100).burst(10))
    /// # }
    /// ```
    #[must_use]
    pub fn kind_rate_limit(mut self, kind: impl AsRef<str>, limit: RateLimit) -> Self {
        self.kind_limits.push((kind.as_ref().to_owned(), limit));
        self
    }

    /// How many handlers run at once. Default 64, for handlers that mostly wait; with 1 jobs run in
    /// claim order.
    #[must_use]
    pub fn concurrency(mut self, handlers: usize) -> Self {
        self.options.concurrency = handlers;
        self
    }

    /// Holds up to this many jobs ready beyond those that run, however long they wait. The setting
    /// is for jobs of which some are much slower than the others, and for programs that want to
    /// know the number. With 0 a job is claimed when a handler is free for it.
    ///
    /// By default the worker chooses the number by how long handlers take. It is about as many jobs
    /// as they get through in 100 ms, so that each call of the store claims and settles many quick
    /// jobs, while slow jobs are left to other workers. The worker begins with none, and holds at
    /// most 4000, or 16 MiB of payloads. If jobs suddenly become slow, those that are held ready
    /// are given back once one of them has waited for a second. With leases shorter than ten
    /// seconds both times are shorter: a hundredth and a tenth of the lease.
    ///
    /// Jobs that are held ready are under lease like those that run. They are given back at
    /// shutdown.
    #[must_use]
    pub fn prefetch(mut self, jobs: usize) -> Self {
        self.options.prefetch = Prefetch::Fixed(jobs);
        self
    }

    /// How long a lease lasts without a heartbeat, sent three times in it. Default 30 s, at least
    /// 10 ms. Jobs of a crashed worker wait this long. A claim is listened for two thirds of it.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// The longest sleep of an idle worker, for stores whose hints get lost. Default 5 s, jittered
    /// by a quarter.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.options.poll_interval = interval;
        self
    }

    /// How often this worker looks for lapsed leases of others while it has work. An idle worker
    /// looks exactly when the next lease lapses. What lapsed while it had no answer of the store is
    /// left alone for 10 s. Default: the lease, but no more than 5 s, jittered.
    #[must_use]
    pub fn rescue_interval(mut self, interval: Duration) -> Self {
        self.rescue_interval = Some(interval);
        self
    }

    /// How often this worker removes records past their purge time. Default 30 s, jittered.
    #[must_use]
    pub fn prune_interval(mut self, interval: Duration) -> Self {
        self.options.prune_interval = interval;
        self
    }

    /// Most settles in one call to the store. Default 1000. No outcome waits for a batch to fill.
    #[must_use]
    pub fn settle_batch_max(mut self, settles: usize) -> Self {
        self.options.settle_batch_max = settles;
        self
    }

    /// How long running handlers may go on after a stop before their cancel token fires. Default 30
    /// s.
    #[must_use]
    pub fn drain_deadline(mut self, deadline: Duration) -> Self {
        self.options.drain = deadline;
        self
    }

    /// How long handlers may go on after their cancel token fired before they are dropped. Default
    /// 5 s. It holds at the end of a stop, after which their jobs are released; at their time
    /// limit; and after their lease was lost, after which their jobs are rescued. At a stop,
    /// settles that the store still refuses are given up at the same moment.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.options.grace = grace;
        self
    }

    /// How long failed jobs wait. Default: one second, doubling up to six hours.
    #[must_use]
    pub fn retry(mut self, retry: impl Into<RetryPolicy>) -> Self {
        self.options.policy.retry = retry.into();
        self
    }

    /// How jobs end whose kind has no handler. Default: a failed attempt, tried again like any
    /// other, since a new kind looks like that to old workers during a deployment.
    #[must_use]
    pub fn on_unknown_kind(mut self, what: Unhandled) -> Self {
        self.options.policy.unknown_kind = what;
        self
    }

    /// How jobs end whose payload cannot be decoded. Default: Failed, with the reason recorded.
    #[must_use]
    pub fn on_undecodable(mut self, what: Unhandled) -> Self {
        self.options.policy.undecodable = what;
        self
    }

    /// Replaces the whole policy at once.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.options.policy = policy;
        self
    }

    /// Ends the run once nothing is due and nothing is held here. Delayed jobs and jobs that other
    /// workers hold are left.
    /// A job of a killed run is due once its lease has lapsed, and taken over (ADR 0071).
    #[must_use]
    pub fn until_idle(mut self) -> Self {
        self.options.until = EndCondition::Idle;
        self
    }

    /// Ends the run once its queues have no unfinished job. Delayed jobs and jobs that other
    /// workers hold are waited for.
    #[must_use]
    pub fn until_empty(mut self) -> Self {
        self.options.until = EndCondition::Empty;
        self
    }

    /// Sets the function that is called for everything that happens to a job here. It runs between
    /// the store and the next job, so it should be short.
    #[must_use]
    pub fn on_event(mut self, observe: impl Fn(&WorkerEvent) + Send + Sync + 'static) -> Self {
        self.observer = EventObserver::new(observe);
        self
    }

    /// Names the worker. By default the name is fresh for every run. A name that two runs share
    /// hides which jobs the first of them left.
    #[must_use]
    pub fn id(mut self, id: WorkerId) -> Self {
        self.id = Some(id);
        self
    }

    /// Where tokens and jitter come from.
    #[must_use]
    pub fn rng(mut self, rng: Arc<dyn Rng>) -> Self {
        self.rng = rng;
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// `Invalid`, saying which setting and its bounds. Where the handler or a queue is at fault,
    /// the source of the error is an [`InvalidWorker`].
    pub fn build(mut self) -> Result<Worker> {
        InvalidWorker::check_handler(&*self.handler.0, self.queues.iter().map(|queue| &queue.name))?;
        let concurrency = self.options.concurrency;
        let slots = match self.options.prefetch {
            Prefetch::Fixed(jobs) => concurrency.saturating_add(jobs),
            Prefetch::ByHandlerTime => concurrency,
        };
        if concurrency == 0 || slots > SLOTS_MAX {
            return Err(invalid(format!(
                "concurrency must be at least 1, and with prefetch at most {SLOTS_MAX}"
            )));
        }
        if self.lease < Duration::from_millis(10) {
            return Err(invalid("a lease must last at least 10 ms, or no heartbeat can keep it".to_owned()));
        }
        if self.options.settle_batch_max == 0 {
            return Err(invalid("a settle batch holds at least 1 job".to_owned()));
        }
        if self.options.time_limit.is_some_and(|limit| limit.is_zero()) {
            return Err(invalid("a time limit must be longer than zero".to_owned()));
        }
        self.options.rescue_interval = self.rescue_interval.unwrap_or(self.lease.min(RESCUE_INTERVAL_MAX));
        let intervals =
            [self.options.poll_interval, self.options.rescue_interval, self.options.prune_interval];
        if intervals.iter().any(Duration::is_zero) {
            return Err(invalid("poll, rescue and prune intervals must be longer than zero".to_owned()));
        }
        self.options.lease = Span::positive("lease", self.lease)?;
        self.options.policy = guarded_policy(self.options.policy);
        let rate_freed = Arc::default();
        Ok(Worker::new(WorkerPlan {
            storage: self.storage,
            queues: WorkedQueue::check_all(self.queues, &rate_freed)?,
            kinds: Arc::new(KindRates::check_all(self.kind_limits)?),
            rate_freed,
            handler: self.handler,
            options: self.options,
            names: RunNames::new(self.id, self.rng.clone()),
            rng: self.rng,
            observer: self.observer,
            turn: Arc::default(),
        }))
    }
}

fn invalid(message: String) -> Error {
    Error::invalid("build worker", message)
}
