//! The task that claims jobs and settles them in every way, sometimes too late.

use super::{
    actor::{Actor, expected, payload},
    handler::{ended, started},
    partitions::{limited_max, set_limits},
};
use crate::history::{Ask, Event as HistoryEvent, Op};
use bytes::Bytes;
use queue_core::{
    Applied, Changed, ClaimRequest, ClaimedJob, Failure, JobId, NewJob, OnWaiting, Retention, Span, Storage,
    StorageExt, Timestamp, WorkerId,
    lifecycle::{Cause, Event, Transition, decide},
};

/// Claims jobs, and does with them all that a worker may do and some things that it should not.
pub(super) async fn work(actor: Actor) {
    let id = WorkerId::new(&actor.name).expect("a valid name");
    let pace = actor.pace.clone();
    set_limits(&actor).await;
    let mut worker = Worker { actor, id, held: Vec::new(), runs: 0, now: Timestamp::default() };
    for _ in pace.steps() {
        let claimed = worker.claim().await;
        worker.run(claimed).await;
        worker.actor.pause().await;
        worker.settle_late().await;
    }
    worker.shut_down().await;
}

struct Worker {
    actor: Actor,
    id: WorkerId,
    /// Jobs whose leases may have lapsed meanwhile: to them this worker is a zombie.
    held: Vec<ClaimedJob>,
    runs: usize,
    /// The store's time in the last answer to a claim.
    now: Timestamp,
}

impl Worker {
    fn request(&self) -> ClaimRequest {
        let lease = Span::from_millis(self.actor.dice.pick(&[20, 80, 400]));
        let limit = 1 + self.actor.dice.below(4);
        let limited_max = limited_max(&self.actor);
        let (queue, worker) = (self.actor.queue.clone(), self.id.clone());
        ClaimRequest { limited_max, ..ClaimRequest::new(queue, worker, limit, lease, &self.actor.dice.0) }
    }

    async fn claim(&mut self) -> Vec<ClaimedJob> {
        let claimed = if self.actor.dice.one_in(4) {
            self.actor.store.claim_or_rescue(self.request(), &self.actor.policy, &self.actor.dice.0).await
        } else {
            self.actor.store.claim(self.request()).await
        };
        let Some(claimed) = expected(claimed) else { return Vec::new() };
        self.now = claimed.now;
        claimed.jobs
    }

    async fn run(&mut self, jobs: Vec<ClaimedJob>) {
        let mut batch = Vec::new();
        for job in jobs {
            started(&self.actor, &job);
            self.actor.pause().await;
            ended(&self.actor, &job);
            match self.actor.dice.below(8) {
                0 | 1 => self.held.push(job),
                2 | 3 => batch.push(job),
                _ => self.settle(job).await,
            }
        }
        if !batch.is_empty() {
            self.settle_batch(batch).await;
        }
    }

    /// Settles jobs one by one, deciding again when flags have changed; sometimes it settles once
    /// more, which must do no harm.
    async fn settle(&mut self, job: ClaimedJob) {
        if self.actor.dice.one_in(3) {
            self.extend(&job).await;
        }
        let event = self.outcome(&job);
        let times = 1 + self.actor.dice.below(2);
        let mut outcome = None;
        for _ in 0..times {
            let send = || self.actor.store.settle(&job.record.meta, event.clone(), &self.actor.policy);
            outcome = outcome.or(expected(self.actor.insist(send).await));
            self.actor.pause().await;
        }
        if !outcome.is_some_and(|changed| !matches!(changed, Changed::Rejected(_))) {
            self.held.push(job);
        }
    }

    /// Settles all in one call. Stale jobs are settled later.
    async fn settle_batch(&mut self, jobs: Vec<ClaimedJob>) {
        let decided: Vec<Transition> = jobs.iter().map(|job| self.decide(job)).collect();
        let outcome = self.actor.insist(|| self.actor.store.apply(decided.clone())).await;
        match expected(outcome) {
            Some(applied) => self.keep_stale(jobs, &applied.value),
            None => self.held.extend(jobs),
        }
    }

    fn decide(&mut self, job: &ClaimedJob) -> Transition {
        let event = self.outcome(job);
        decide(&job.record.meta, event, &self.actor.policy).expect("a claimed job can be settled")
    }

    fn keep_stale(&mut self, jobs: Vec<ClaimedJob>, applied: &[Applied]) {
        let stale = jobs.into_iter().zip(applied).filter(|(_, applied)| matches!(applied, Applied::Stale(_)));
        self.held.extend(stale.map(|(job, _)| job));
    }

    async fn extend(&self, job: &ClaimedJob) {
        let by = Span::from_millis(self.actor.dice.pick(&[50, 300]));
        let event = Event::Extend { token: job.token, by, progress: None };
        let send = || self.actor.store.settle(&job.record.meta, event.clone(), &self.actor.policy);
        expected(self.actor.insist(send).await);
        self.actor.pause().await;
    }

    async fn settle_late(&mut self) {
        if !self.held.is_empty() && self.actor.dice.one_in(2) {
            let at = self.actor.dice.below(self.held.len());
            let job = self.held.swap_remove(at);
            self.settle(job).await;
        }
    }

    fn outcome(&mut self, job: &ClaimedJob) -> Event {
        self.runs += 1;
        let token = job.token;
        match self.actor.dice.below(10) {
            _ if job.record.meta.is_too_late(self.now) => Event::Expire { now: self.now, token: Some(token) },
            9 if self.actor.has_gates() && self.actor.dice.one_in(2) => self.suspend(job),
            0 => Event::Release { token, then: self.followers(job) },
            1 => {
                let progress = self.actor.dice.pick(&[None, Some(Bytes::from_static(b"half"))]);
                Event::Snooze { token, delay: Span::from_millis(40), progress, then: self.followers(job) }
            }
            2..=4 => self.failure(job),
            _ => {
                let result = payload(format!("{} {}", self.actor.name, self.runs));
                let then = self.followers(job);
                let retention = self.actor.dice.pick(&[None, None, Some(Retention::Remove)]);
                Event::Complete { token, result, retention, then }
            }
        }
    }

    /// Lets the job wait behind its gate, mostly for children.
    fn suspend(&self, job: &ClaimedJob) -> Event {
        let children = (0..self.actor.dice.below(3)).map(|nth| {
            let id = JobId::new(format!("{}-{}-{nth}", self.actor.name, self.runs)).expect("a valid id");
            let child = self.actor.job(id, 2_000_000 + 10 * self.runs + nth);
            self.actor.signalling(child, [job.record.meta.id.clone()])
        });
        let then = children.collect();
        // Others wait for the outcome of a job, so only one with a gate id may wait for ever.
        let may_wait_long = job.record.meta.id.as_str().starts_with("gate");
        let timeouts = [Some(Span::from_millis(60)), Some(Span::from_millis(400))];
        let timeout = self.actor.dice.pick(&timeouts);
        Event::Suspend {
            token: job.token,
            needs: self.actor.dice.pick(&[None, None, None, Some(1), Some(3)]),
            seals: !self.actor.dice.one_in(4),
            heeds_urgent: !self.actor.dice.one_in(4),
            timeout: timeout.filter(|_| !may_wait_long || self.actor.dice.one_in(2)),
            progress: self.actor.dice.pick(&[None, Some(Bytes::from_static(b"waits"))]),
            then,
        }
    }

    /// The followers of a settle: mostly none, sometimes one that replaces a waiting job, and
    /// sometimes one that signals its end to a job with a gate.
    fn followers(&self, job: &ClaimedJob) -> Vec<NewJob> {
        let on_waiting = self.actor.dice.pick(&[OnWaiting::Block, OnWaiting::Replace { max_wait: None }]);
        let follower = self.actor.job(self.actor.shared_id(), 1_000_000 + self.runs);
        let mut followers = Vec::new();
        if self.actor.dice.one_in(3) {
            followers.push(follower.with_on_waiting(on_waiting));
        }
        if self.actor.has_gates() && self.actor.dice.one_in(8) {
            let member = self.actor.job(self.actor.shared_id(), 3_000_000 + self.runs);
            // Mostly to the gate that the job itself signals to.
            let body = job.record.body.as_ref();
            let own = body.and_then(|body| body.end_signals.first()).map(|signal| signal.to.clone());
            followers.push(self.actor.signalling(member, [own.unwrap_or_else(|| self.actor.gate_id())]));
        }
        followers
    }

    fn failure(&self, job: &ClaimedJob) -> Event {
        let causes =
            [Cause::Retryable, Cause::Retryable, Cause::Retryable, Cause::Terminal, Cause::UnknownKind];
        Event::Fail {
            token: job.token,
            failure: Failure::new("Injected", "part of the workload"),
            cause: self.actor.dice.pick(&causes),
            delay: self.actor.dice.pick(&[None, Some(Span::ZERO), Some(Span::from_millis(70))]),
            retention: None,
            then: self.followers(job),
        }
    }

    /// Gives back what is held. A worker that cannot do even that counts as crashed, and records no
    /// shutdown.
    async fn shut_down(self) {
        let mut all_settled = true;
        for job in &self.held {
            let release = Event::release(job.token);
            let send = || self.actor.store.settle(&job.record.meta, release.clone(), &self.actor.policy);
            all_settled &= expected(self.actor.insist(send).await).is_some();
        }
        if all_settled {
            let ask = Ask { worker: Some(self.id.as_str().to_owned()), ..Ask::default() };
            let queue = self.actor.queue.as_str().to_owned();
            self.actor.recorder.mark(HistoryEvent {
                op: Op::Shutdown,
                queue,
                ask,
                ..HistoryEvent::default()
            });
        }
    }
}
