//! Runs verbs on one of two stores, and makes its answers comparable.

use super::{
    answer::Answer,
    op::{Doomed, Filter, IDS, KINDS, New, PARTITIONS, WORKERS},
    request::{event_of_anybody, event_of_holder, jobs, span},
    verb::{Deed, Pick, QUEUES, Verb},
};
use crate::bench::prelude::*;
use queue_core::{
    ClaimRequest, Counts, Detail, JobMeta, Kind, LeaseToken, Limit, LimitScope, ListFilter, ListQuery,
    Moment, NewJob, Partition, PartitionQuery, PartitionStatus, Pause, Prune, QueueStatus, QueuesQuery, Seq,
    Stamped, Timestamp,
    lifecycle::{Transition, decide},
};
use std::collections::BTreeMap;

/// The number of sights of jobs that a run remembers; older ones are forgotten.
pub(super) const SIGHTS_MAX: usize = 12;
/// More than any run has.
const PLENTY: usize = 1000;

/// One of two stores, and what its clients remember. Both players draw the same tokens and share
/// one clock.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) bench: Bench,
    has: Offered,
    pub(super) sights: Vec<(JobMeta, Option<LeaseToken>)>,
    pub(super) lives: BTreeMap<Seq, u64>,
    claimed_last: LeaseToken,
    reopenings: usize,
}

/// What jobs are sent with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offered {
    /// Their gates and end signals.
    pub(super) gates: bool,
    /// Their partitions. Which of two partitions has the first turn is up to the store, so a claim
    /// then takes all jobs that it may have, or none.
    pub(super) partitions: bool,
}

impl Player {
    pub(super) fn new(bench: Bench, has: Offered) -> Self {
        let claimed_last = LeaseToken::from_bytes([0; 16]);
        Self { bench, has, sights: Vec::new(), lives: BTreeMap::new(), claimed_last, reopenings: 0 }
    }

    pub(super) async fn play(&mut self, verb: &Verb) -> Answer {
        let store = self.bench.store();
        match verb {
            Verb::Enqueue { queue, groups } => {
                let groups = groups.iter().map(|group| self.jobs(group)).collect();
                let answer = store.enqueue(self.on(*queue).queue(), groups).await.expect("enqueue answers");
                Answer::Enqueued(self.enqueued(answer))
            }
            Verb::Claim { queue, limit, lease_ms, bytes_max, is_late } => {
                let usual = self.on(*queue).request_of(WORKERS[0], *limit, span(*lease_ms));
                let not_after = is_late.then_some(Timestamp::from_millis(0));
                self.claim(ClaimRequest { bytes_max: *bytes_max, not_after, ..usual }).await
            }
            Verb::Apply(batch) => {
                let calls = self.calls(batch);
                self.apply(calls).await
            }
            Verb::Rescue { queue } => {
                let mut jobs = self.on(*queue).rescue().await;
                jobs.sort_by_key(|meta| meta.seq);
                let metas = self.metas(jobs).into_iter();
                // One that is rescued may send a signal to another one.
                Answer::Jobs(metas.map(|meta| JobMeta { gate: None, ..meta }).collect())
            }
            Verb::Get { queue } => {
                let ids = IDS.map(id);
                let answer = store.get(self.on(*queue).queue(), &ids, Detail::Full).await;
                Answer::Records(self.records(answer.expect("get answers")))
            }
            Verb::List { queue, filter, page } => self.list(&self.on(*queue), filter, *page).await,
            Verb::Walk { queue, walk, filter, entered_ago, page } => {
                let entered = entered_ago.map(|(from, to)| self.ago(from)..self.ago(to));
                let filter = ListFilter { entered, ..filter.clone() };
                let all = ListQuery::new(self.on(*queue).queue().clone(), walk.clone(), *page);
                let jobs = self.on(*queue).list(all.matching(filter)).await;
                Answer::Jobs(self.metas(jobs))
            }
            Verb::Attempts { queue } => self.attempts(&self.on(*queue)).await,
            Verb::Held { queue } => {
                let query = ListQuery::held(self.on(*queue).queue().clone(), self.claimed_last, 3);
                let jobs = self.on(*queue).list(query).await;
                Answer::Jobs(self.metas(jobs))
            }
            Verb::Counts { queue } => Answer::Counts(counts(&self.on(*queue)).await),
            Verb::Queues => Answer::Queues(self.queues().await),
            Verb::Prune { queue, doomed } => Answer::Pruned(prune(&self.on(*queue), *doomed).await),
            Verb::Pause { queue, kind, ms } => {
                let until = |ms: i64| Pause::Until(Timestamp::from_millis(self.bench.now().as_millis() + ms));
                self.set_paused(*queue, *kind, ms.map_or(Pause::UntilResumed, until)).await
            }
            Verb::Resume { queue, kind } => self.set_paused(*queue, *kind, Pause::Off).await,
            Verb::Limit { queue, of, running } => self.set_limit(*queue, *of, *running).await,
            Verb::Partitions { queue } => Answer::Partitions(partitions(&self.on(*queue)).await),
            Verb::Pass { ms } => {
                self.bench.advance(span(*ms));
                Answer::Nothing
            }
            Verb::Back { ms } => {
                // A verb whose answer has no time may or may not read the clock; counts always read
                // it, so that both stores have seen the same time.
                self.bench.counts().await;
                self.bench.step_back(span(*ms));
                Answer::Nothing
            }
            Verb::Reopen => {
                self.reopen().await;
                Answer::Nothing
            }
        }
    }

    async fn claim(&mut self, mut request: ClaimRequest) -> Answer {
        self.claimed_last = request.token;
        if self.has.partitions && request.limit > 0 {
            (request.limit, request.bytes_max) = (PLENTY, ClaimRequest::BYTES_MAX);
        }
        let mut answer = self.bench.store().claim(request).await.expect("claim answers");
        if self.has.partitions {
            answer.jobs.sort_by_key(|job| job.record.meta.seq);
        }
        Answer::Claimed(self.claimed(answer))
    }

    async fn apply(&mut self, calls: Vec<Vec<Transition>>) -> Answer {
        let mut all = Stamped::at(Moment::at(self.bench.now()), Vec::new());
        for call in calls {
            let answer = self.bench.store().apply(call).await.expect("apply answers");
            let answer = self.applied(answer);
            all.value.extend(answer.value);
            (all.now, all.clock) = (answer.now, answer.clock);
        }
        Answer::Applied(all)
    }

    /// Time that reads alone have seen need not outlive a handle, what a write has seen must: so
    /// this writes before. A handle may ask for the time as it opens, or with its first call: so
    /// this reads at once.
    async fn reopen(&mut self) {
        self.reopenings += 1;
        let aside = self.bench.on_queue("aside");
        aside.put(&self.reopenings.to_string()).await;
        self.bench.reopen().await;
        aside.counts().await;
    }

    /// Stores may count overdue records until they are removed, so this removes them first.
    async fn queues(&self) -> Vec<QueueStatus> {
        for queue in 0..QUEUES.len() {
            self.on(queue).prune(Prune::Expired, PLENTY).await;
        }
        let page = self.bench.store().queues(QueuesQuery::all(PLENTY)).await.expect("queues answers");
        page.queues
    }

    async fn attempts(&mut self, bench: &Bench) -> Answer {
        let answer = bench.store().attempts(bench.queue(), &IDS.map(id)).await.expect("attempts answers");
        let found = answer.value.into_iter().flatten();
        Answer::Attempts(found.map(|job| (self.meta(job.meta, None), job.attempts)).collect())
    }

    fn ago(&self, ms: i64) -> Timestamp {
        Timestamp::from_millis(self.bench.now().as_millis() - ms)
    }

    fn on(&self, queue: usize) -> Bench {
        self.bench.on_queue(QUEUES[queue])
    }

    async fn set_paused(&self, queue: usize, kind: Option<usize>, pause: Pause) -> Answer {
        let (store, bench) = (self.bench.store(), self.on(queue));
        let kind = kind.map(|nth| Kind::from_static(KINDS[nth]));
        store.set_paused(bench.queue(), kind.as_ref(), pause).await.expect("it pauses and resumes");
        Answer::Nothing
    }

    async fn set_limit(&self, queue: usize, of: Option<usize>, running: Option<u32>) -> Answer {
        let of = of.map(|nth| LimitScope::Partition(Partition::from_static(PARTITIONS[nth])));
        let limit = running.map(|running| Limit { running: Some(running), ..Limit::default() });
        let change = vec![(of.unwrap_or(LimitScope::EachPartition), limit)];
        let (store, bench) = (self.bench.store(), self.on(queue));
        store.set_limits(bench.queue(), change).await.expect("it sets limits");
        Answer::Nothing
    }

    async fn list(&mut self, bench: &Bench, filter: &Filter, page: usize) -> Answer {
        let all = ListQuery::all(bench.queue().clone(), page);
        let query = match filter {
            Filter::Lapsed => ListQuery::lapsed(bench.queue().clone(), page),
            Filter::Match { states, worker: by, kind } => all.matching(ListFilter {
                states: states.clone(),
                worker: by.map(|nth| worker(WORKERS[nth])),
                kind: kind.map(|nth| Kind::from_static(KINDS[nth])),
                ..ListFilter::default()
            }),
        };
        let mut jobs = bench.list(query.clone()).await;
        if matches!(filter, Filter::Lapsed) {
            // The contract leaves the order of leases that lapse in one millisecond to the store.
            jobs.sort_by_key(|meta| (meta.lease.as_ref().map(|lease| lease.expires_at), meta.seq));
        }
        Answer::Jobs(self.metas(jobs))
    }

    /// Decides on the records that this store showed. The contract leaves open which comes first, a
    /// signal or another transition of the same call for the job that it is to; so where one sends
    /// signals, a job with a gate has a call of its own.
    fn calls(&self, batch: &[Pick]) -> Vec<Vec<Transition>> {
        let decided: Vec<_> = batch.iter().filter_map(|pick| self.transition(pick)).collect();
        let is_sent = decided.iter().any(|(_, sent)| sent.signal.is_some());
        let is_apart = |has_gate: bool| is_sent && has_gate;
        let calls = decided.chunk_by(|(one, _), (other, _)| !is_apart(*one) && !is_apart(*other));
        calls.map(|call| call.iter().map(|(_, sent)| sent.clone()).collect()).collect()
    }

    /// Decides, and says whether the job has a gate.
    fn transition(&self, pick: &Pick) -> Option<(bool, Transition)> {
        let (meta, token) = self.sights.get(pick.sight % self.sights.len().max(1))?;
        let (event, then) = match &pick.deed {
            Deed::Hold(how) => {
                let latest = || self.sights.iter().rev().find_map(|(_, token)| *token);
                (event_of_holder(how, (*token).or_else(latest)?, self.bench.now()), Vec::new())
            }
            Deed::Change(what, then) => (event_of_anybody(*what, self.bench.now()), jobs(then)),
        };
        let mut decided = decide(meta, event, &policy()).ok()?;
        decided.then.extend(then);
        decided.then.iter_mut().for_each(|new| self.plain(new));
        let is_known = self.has.gates || !decided.patch.is_of_gate();
        is_known.then_some((meta.gate.is_some(), decided))
    }

    fn jobs(&self, news: &[New]) -> Vec<NewJob> {
        let mut jobs = jobs(news);
        for new in &mut jobs {
            self.plain(new);
        }
        jobs
    }

    /// Removes the follow-up, which names a life by its number: numbers differ between stores. And
    /// gates, if one of the stores has none.
    fn plain(&self, new: &mut NewJob) {
        new.terms.on_failure = None;
        if !self.has.gates {
            (new.gate, new.end_signals) = (None, Vec::new());
        }
        if !self.has.partitions {
            new.partition = None;
        }
    }
}

/// Which jobs were set aside is up to the store, and so is how long the others have been due.
async fn partitions(bench: &Bench) -> Vec<PartitionStatus> {
    let query = PartitionQuery::all(bench.queue().clone(), PLENTY);
    let page = bench.store().partitions(query).await.expect("it lists partitions");
    page.partitions.into_iter().map(|status| PartitionStatus { oldest_due: None, ..status }).collect()
}

/// Stores may count overdue records until they are removed, so this removes them first.
async fn counts(bench: &Bench) -> Counts {
    bench.prune(Prune::Expired, PLENTY).await;
    bench.counts().await
}

async fn prune(bench: &Bench, doomed: Doomed) -> u64 {
    bench.prune(Prune::Expired, PLENTY).await;
    match doomed {
        Doomed::Expired => 0,
        Doomed::FinishedBefore { age_ms } => bench.prune(Prune::FinishedBefore(span(age_ms)), PLENTY).await,
        Doomed::Everything => bench.prune(Prune::Everything, PLENTY).await,
    }
}
