//! The store in memory, behind a layer that adds the defect.

use crate::history_planted::{
    bug::Bug,
    forged::{go_on, removal, reopening},
};
use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, ClaimedJob, Counts, Detail, Enqueued, Error, ErrorKind,
    EventStream, Interest, JobId, JobMeta, JobRecord, Limit, LimitScope, ListQuery, NewJob, OnWaiting, Page,
    PruneRequest, QueueName, QueuesPage, QueuesQuery, Result, Stamped, State, Storage, Timestamp,
    lifecycle::{Event, Patch, Policy, Proof, Settle, Transition, decide},
};
use queue_memory::MemoryStorage;
use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
};

/// The store in memory, with a defect in front of it.
#[derive(Debug)]
pub(crate) struct PlantedStore {
    pub(super) memory: MemoryStorage,
    bug: Option<Bug>,
    calls: AtomicUsize,
    notes: Mutex<Notes>,
}

#[derive(Debug, Default)]
struct Notes {
    last_claimed: Option<ClaimedJob>,
    settled: BTreeSet<(u64, [u8; 16])>,
    followers: Vec<NewJob>,
}

impl PlantedStore {
    pub(crate) fn new(memory: MemoryStorage, bug: Option<Bug>) -> Self {
        Self { memory, bug, calls: AtomicUsize::new(0), notes: Mutex::default() }
    }

    pub(super) fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// True for one in `n` calls, if the store has the bug.
    pub(super) fn strikes(&self, bug: Bug, n: usize) -> bool {
        self.has(bug) && self.calls.fetch_add(1, Ordering::SeqCst) % n == n - 1
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock()
    }

    fn time(&self, now: Timestamp) -> Timestamp {
        if self.strikes(Bug::TurnsBackTime, 9) {
            Timestamp::from_millis(now.as_millis() - 5_000)
        } else {
            now
        }
    }

    async fn delete_first(&self, queue: &QueueName, groups: &[Vec<NewJob>]) -> Result<()> {
        let Some(job) = groups.iter().flatten().next() else { return Ok(()) };
        let found = self.memory.get(queue, std::slice::from_ref(&job.id), Detail::Meta).await?;
        let present = found.value.into_iter().flatten().next();
        let deletion =
            present.and_then(|record| decide(&record.meta, Event::Delete, &Policy::default()).ok());
        self.memory.apply(deletion.into_iter().collect()).await.map(drop)
    }

    /// Lets running jobs be replaced as if they waited.
    async fn take_from_holders(&self, queue: &QueueName, groups: &[Vec<NewJob>]) -> Result<()> {
        let replacing = groups.iter().flatten().filter(|job| job.on_waiting != OnWaiting::Block);
        let ids: Vec<JobId> = replacing.map(|job| job.id.clone()).collect();
        let found = self.memory.get(queue, &ids, Detail::Meta).await?.value;
        let running = found.into_iter().flatten().filter(|record| record.meta.state == State::Processing);
        self.memory.apply(running.map(|record| removal(&record.meta)).collect()).await.map(drop)
    }

    /// Notes the followers of a repeated settle, which are to come once more.
    fn note_followers(&self, transition: &Transition, applied: &Applied) {
        let Proof::Lease { token, settle: Some(_), .. } = transition.guard.proof else { return };
        let mut notes = self.notes();
        let is_first = notes.settled.insert((transition.seq.get(), *token.as_bytes()));
        if !is_first && applied.is_done() {
            notes.followers.extend(transition.then.iter().filter(|new| !new.has_gates()).cloned());
        }
    }

    /// Enqueues the noted followers again whose first life has ended.
    async fn follow_again(&self, queue: &QueueName) -> Result<()> {
        let followers = std::mem::take(&mut self.notes().followers);
        for new in followers {
            let found = self.memory.get(queue, std::slice::from_ref(&new.id), Detail::Meta).await?.value;
            let present = found.into_iter().flatten().next();
            if present.as_ref().is_some_and(|record| !record.meta.state.is_terminal()) {
                self.notes().followers.push(new);
                continue;
            }
            let ended = present.map(|record| removal(&record.meta));
            self.memory.apply(ended.into_iter().collect()).await?;
            self.memory.enqueue(queue, vec![vec![new]]).await?;
        }
        Ok(())
    }

    fn spoil_patch(&self, transition: &mut Transition) {
        let released = matches!(transition.guard.proof, Proof::Lease { settle: Some(Settle::Release), .. });
        match &mut transition.patch {
            Patch::Requeue(requeue) if released && self.has(Bug::ChargesReleases) => {
                requeue.failures += 1;
                requeue.state = State::Failing;
            }
            Patch::Finish(finish) if finish.state == State::Failed && self.has(Bug::NeverGivesUp) => {
                transition.patch = go_on(finish);
            }
            _ => {}
        }
    }

    fn spoil_applied(&self, transition: &Transition, applied: Applied) -> Applied {
        let Proof::Lease { token, settle: Some(_), .. } = transition.guard.proof else { return applied };
        match applied {
            Applied::LeaseLost(meta) if self.has(Bug::HonoursZombies) => Applied::Done(meta),
            Applied::Done(meta) if self.has(Bug::ForgetsSettles) => {
                let is_first = self.notes().settled.insert((transition.seq.get(), *token.as_bytes()));
                if is_first { Applied::Done(meta) } else { Applied::LeaseLost(meta) }
            }
            other => other,
        }
    }

    /// Reopens what has just ended.
    async fn reopen_ended(&self, applied: &[Applied]) -> Result<()> {
        let revived = |meta: &JobMeta| match meta.state {
            State::Cancelled => self.strikes(Bug::IgnoresCancels, 2),
            State::Completed => self.strikes(Bug::ReopensEnded, 10),
            _ => false,
        };
        let done = applied.iter().filter_map(|applied| match applied {
            Applied::Done(meta) if revived(meta) => Some(reopening(meta)),
            _ => None,
        });
        self.memory.apply(done.collect()).await.map(drop)
    }

    fn spoil_claimed(&self, request: &ClaimRequest, claimed: &mut Claimed) {
        if self.has(Bug::ReversesOrder) {
            claimed.jobs.reverse();
        }
        let body = claimed.jobs.last_mut().and_then(|job| job.record.body.as_mut());
        if let Some(body) = body.filter(|_| self.strikes(Bug::SwapsPayloads, 10)) {
            body.payload.bytes = Bytes::from_static(b"another");
        }
        let twice = self.has(Bug::LeasesTwice) || self.has(Bug::RepeatsStarts);
        let again = if twice { self.notes().last_claimed.take() } else { None };
        self.notes().last_claimed = claimed.jobs.last().cloned();
        if let Some(again) = again.filter(|_| claimed.jobs.is_empty()) {
            claimed.jobs.push(ClaimedJob { token: request.token, ..again });
        }
    }
}

#[async_trait]
impl Storage for PlantedStore {
    fn capabilities(&self) -> Capabilities {
        self.memory.capabilities()
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        mut groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        if self.strikes(Bug::SplitsGroups, 4) {
            for group in &mut groups {
                group.truncate(1);
            }
            self.memory.enqueue(queue, groups).await?;
            return Err(Error::new(ErrorKind::Unavailable, "enqueue", "half of it is stored").unknown());
        }
        groups.iter_mut().flatten().for_each(|new| self.spoil_new(new));
        if self.has(Bug::ReplacesRunning) {
            self.take_from_holders(queue, &groups).await?;
        }
        let mut answer = self.memory.enqueue(queue, groups.clone()).await?;
        if self.strikes(Bug::LosesJobs, 5) {
            self.delete_first(queue, &groups).await?;
        }
        for enqueued in answer.value.iter_mut().flatten() {
            if let (Enqueued::Duplicate { seq, .. }, true) = (&enqueued, self.has(Bug::AcceptsDuplicates)) {
                *enqueued = Enqueued::Queued { seq: queue_core::Seq::new(seq.get() + 1_000_000) };
            }
        }
        Ok(answer)
    }

    async fn claim(&self, mut request: ClaimRequest) -> Result<Claimed> {
        if self.has(Bug::StartsEarly) {
            self.promote_all(&request.queue).await?;
        }
        self.follow_again(&request.queue).await?;
        if self.strikes(Bug::OpensEarly, 3) {
            self.open_all(&request.queue).await?;
        }
        if self.strikes(Bug::HidesJobs, 2) {
            request.limit = 0;
        }
        if self.has(Bug::GivesTooMany) {
            request.limit += 1;
        }
        self.spoil_request(&mut request);
        let mut claimed = self.memory.claim(request.clone()).await?;
        self.spoil_claimed(&request, &mut claimed);
        claimed.now = self.time(claimed.now);
        Ok(claimed)
    }

    async fn apply(&self, mut batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        for transition in &mut batch {
            self.spoil_patch(transition);
            self.spoil_signal(transition);
        }
        let answer = self.memory.apply(batch.clone()).await?;
        self.reopen_ended(&answer.value).await?;
        for (transition, applied) in batch.iter().zip(&answer.value) {
            if self.has(Bug::RepeatsFollowers) {
                self.note_followers(transition, applied);
            }
            self.signal_again(transition, applied).await?;
        }
        let pairs = batch.iter().zip(answer.value);
        let value = pairs.map(|(transition, applied)| self.spoil_applied(transition, applied)).collect();
        Ok(Stamped { now: self.time(answer.now), clock: answer.clock, value })
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let mut answer = self.memory.get(queue, ids, what).await?;
        let bodies = answer.value.iter_mut().flatten().filter_map(|record| record.body.as_mut());
        for result in bodies.filter_map(|body| body.result.as_mut()).filter(|_| self.has(Bug::MixesResults)) {
            result.bytes = Bytes::from_static(b"another");
        }
        Ok(answer)
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.memory.list(query).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        let mut counts = self.memory.counts(queue).await?;
        if self.has(Bug::Miscounts) {
            counts.set(State::Completed, counts.of(State::Completed).saturating_sub(1));
        }
        Ok(counts)
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.memory.queues(query).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.memory.prune(request).await
    }

    async fn set_paused(
        &self,
        queue: &QueueName,
        kind: Option<&queue_core::Kind>,
        pause: queue_core::Pause,
    ) -> Result<()> {
        self.memory.set_paused(queue, kind, pause).await
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        self.memory.set_limits(queue, self.spoil_limits(limits)).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.memory.subscribe(queue, interest).await
    }

    async fn close(&self) -> Result<()> {
        self.memory.close().await
    }
}
