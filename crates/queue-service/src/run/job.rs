//! One job: its handler, and the settle of its outcome.

use super::{Run, held::HeldJob, outcome::Delivery, verdict::SettleEnd};
use crate::{ProblemKind, ServiceError, wire::ClaimedJson};
use futures_util::FutureExt;
use queue_core::{
    Failure, JobMeta, LeaseToken, Span, State,
    lifecycle::{Cause, Event},
};
use queue_worker::{
    CancelReason, JobEnd, WorkerEvent,
    hosted::{HostedEnd, HostedJob, HostedLease},
};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::time::Instant;

impl Run {
    /// Runs the handler for a job and settles it. A job that comes while the worker stops, or after
    /// its lease, goes back unstarted.
    pub(super) async fn run_job(self: Arc<Self>, job: ClaimedJson, granted_at: Instant) {
        let claimed = match job.claimed(&self.id) {
            Ok(claimed) => claimed,
            Err(error) => return self.fail_unread(&job, &error).await,
        };
        let hosted =
            HostedJob::new(claimed, job.lapses_at(granted_at)).expect("a claimed job of ours has its body");
        if job.cancel_requested {
            hosted.cancel(CancelReason::Requested);
        }
        let held = Arc::new(HeldJob::new(hosted, job.receipt, &self));
        let _holding = self.held.hold(held.clone());
        match self.attempt(&held).await {
            HostedEnd::Settle { event, ran_for } => self.settle(&held, event, ran_for).await,
            HostedEnd::LeaseLost => self.tell_end(held.job.meta(), SettleEnd::Lost, None, None),
            _ => self.tell_end(held.job.meta(), SettleEnd::Abandoned, None, None),
        }
    }

    async fn attempt(&self, held: &Arc<HeldJob>) -> HostedEnd {
        if self.steps.stop.is_cancelled() || !held.job.may_start() {
            return HostedEnd::Settle { event: held.job.release(), ran_for: None };
        }
        self.count(|report| report.started += 1);
        self.emit(&WorkerEvent::Started(held.job.meta().clone()));
        let _running = self.handlers.begin();
        let of_job: Arc<dyn HostedLease> = held.clone();
        let lease: Weak<dyn HostedLease> = Arc::downgrade(&of_job);
        held.job.run(&*self.plan.handler, lease, &self.hosted).await
    }

    async fn settle(&self, held: &HeldJob, event: Event, ran_for: Option<Duration>) {
        let event = self.with_wait(event, held.job.meta().attempt());
        let (end, event) = self.deliver(held.receipt(), event).await;
        let failure = match event {
            Event::Fail { failure, .. } => Some(failure),
            _ => None,
        };
        self.tell_end(held.job.meta(), end, ran_for, failure.as_ref());
    }

    /// A failure with the wait of this worker's policy, unless the handler or the service decides.
    fn with_wait(&self, mut event: Event, attempt: u32) -> Event {
        if let (Event::Fail { cause, delay, .. }, Some(retry)) = (&mut event, &self.plan.retry)
            && delay.is_none()
            && matches!(cause, Cause::Retryable | Cause::UnknownKind)
        {
            *delay = retry.delay(attempt, self.plan.rng.next_u64()).map(Span::at_most);
            if delay.is_none() {
                *cause = Cause::Terminal;
            }
        }
        event
    }

    /// Sends the outcome until the service has given its verdict, or the worker must end.
    async fn deliver(&self, receipt: &str, event: Event) -> (SettleEnd, Event) {
        let send = |text, company| self.batches.send(text, company).boxed();
        let warn = |error| self.warn(error);
        let delivery = Delivery {
            receipt,
            rng: &*self.plan.rng,
            token_wait: &self.token_wait,
            send: &send,
            warn: &warn,
        };
        let given_up = event.clone();
        tokio::select! {
            biased;
            delivered = delivery.deliver(event) => delivered,
            () = self.steps.over.cancelled() => (SettleEnd::Abandoned, given_up),
        }
    }

    /// Fails an attempt at a job that is not of this protocol, so that people see it.
    async fn fail_unread(&self, job: &ClaimedJson, error: &queue_core::Error) {
        let message = format!("the service's answer for the job {:?} cannot be read: {error}", job.id);
        let event = Event::Fail {
            token: LeaseToken::from_bytes([0; 16]),
            failure: Failure::new("UnreadableJob", &message),
            cause: Cause::Retryable,
            delay: None,
            retention: None,
            then: Vec::new(),
        };
        self.warn(ServiceError::new(ProblemKind::Corrupt, message));
        let (end, _) = self.deliver(&job.receipt, event).await;
        self.count(|report| *end.counter(report) += 1);
    }

    fn tell_end(&self, meta: &JobMeta, end: SettleEnd, ran_for: Option<Duration>, failure: Option<&Failure>) {
        let attempt = meta.attempt();
        let ended = |state| {
            let last_error = failure.or(meta.last_error.as_ref()).cloned();
            let meta = JobMeta { state, last_error, lease: None, ..meta.clone() };
            JobEnd::new(meta, attempt, ran_for, failure.cloned())
        };
        let queue = meta.queue.clone();
        let id = meta.id.clone();
        let seq = meta.seq;
        self.count(|report| *end.counter(report) += 1);
        self.emit(&match end {
            SettleEnd::Completed => WorkerEvent::Completed(ended(State::Completed)),
            SettleEnd::Failing => WorkerEvent::Failing(ended(State::Failing)),
            SettleEnd::Failed => WorkerEvent::Failed(ended(State::Failed)),
            SettleEnd::Released => WorkerEvent::Released(ended(State::Queued)),
            SettleEnd::Cancelled => WorkerEvent::Cancelled(ended(State::Cancelled)),
            SettleEnd::Lost => WorkerEvent::LeaseLost { queue, id, seq },
            SettleEnd::Abandoned => WorkerEvent::Abandoned { queue, id, seq, still_runs: None },
        });
    }
}
