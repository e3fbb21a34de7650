//! Runs verbs on one of two stores, and makes its answers comparable.

use super::{
    answer::Answer,
    op::{Doomed, Filter, IDS, KINDS, New, WORKERS},
    request::{event_of_anybody, event_of_holder, jobs, span},
    verb::{Deed, Pick, QUEUES, Verb},
};
use crate::bench::prelude::*;
use queue_core::{
    Applied, ClaimRequest, Claimed, Counts, Detail, Enqueued, JobBody, JobMeta, JobRecord, Kind, LeaseToken,
    ListFilter, ListQuery, NewJob, Pause, Prune, QueueStatus, QueuesQuery, Seq, Stamped, Timestamp,
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
    /// Whether jobs are sent with their gates and end signals.
    has_gates: bool,
    sights: Vec<(JobMeta, Option<LeaseToken>)>,
    lives: BTreeMap<Seq, u64>,
    claimed_last: LeaseToken,
    reopenings: usize,
}

impl Player {
    pub(super) fn new(bench: Bench, has_gates: bool) -> Self {
        let claimed_last = LeaseToken::from_bytes([0; 16]);
        Self { bench, has_gates, sights: Vec::new(), lives: BTreeMap::new(), claimed_last, reopenings: 0 }
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
                let request = ClaimRequest { bytes_max: *bytes_max, not_after, ..usual };
                self.claimed_last = request.token;
                let answer = store.claim(request).await.expect("claim answers");
                Answer::Claimed(self.claimed(answer))
            }
            Verb::Apply(batch) => {
                let answer = store.apply(self.transitions(batch)).await.expect("apply answers");
                Answer::Applied(self.applied(answer))
            }
            Verb::Rescue { queue } => {
                let mut jobs = self.on(*queue).rescue().await;
                jobs.sort_by_key(|meta| meta.seq);
                Answer::Jobs(self.metas(jobs))
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

    /// Decides on the records that this store showed.
    fn transitions(&self, batch: &[Pick]) -> Vec<Transition> {
        batch.iter().filter_map(|pick| self.transition(pick)).collect()
    }

    fn transition(&self, pick: &Pick) -> Option<Transition> {
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
        Some(decided).filter(|decided| self.has_gates || !decided.patch.is_of_gate())
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
        if !self.has_gates {
            (new.gate, new.end_signals) = (None, Vec::new());
        }
    }

    fn enqueued(&mut self, answer: Stamped<Vec<Vec<Enqueued>>>) -> Stamped<Vec<Vec<Enqueued>>> {
        let mut value = answer.value;
        for one in value.iter_mut().flatten() {
            match one {
                Enqueued::Queued { seq }
                | Enqueued::Duplicate { seq, .. }
                | Enqueued::Completed { seq, .. } => *seq = self.number(*seq),
                Enqueued::Orphaned => {}
            }
        }
        Stamped { value, ..answer }
    }

    /// Stores may choose an early bound for `next_due`, so only its kind is compared: now, later or
    /// never.
    fn claimed(&mut self, mut answer: Claimed) -> Claimed {
        for job in &mut answer.jobs {
            let meta = job.record.meta.clone();
            job.record.meta = self.meta(meta, Some(job.token));
            self.number_targets(job.record.body.as_mut());
        }
        // What is set aside is up to the store, and so is what it answers meanwhile of jobs that
        // are not.
        answer.set_aside = 0;
        let is_any_paused = answer.pause.is_on() || !answer.paused_kinds.is_empty();
        let never = if is_any_paused { None } else { answer.next_due };
        answer.next_due = never.map(|at| if at <= answer.now { answer.now } else { answer.now + MILLI });
        answer
    }

    fn applied(&mut self, answer: Stamped<Vec<Applied>>) -> Stamped<Vec<Applied>> {
        let mut value = answer.value;
        for one in &mut value {
            if let Applied::Done(meta) | Applied::LeaseLost(meta) | Applied::Stale(meta) = one {
                *meta = self.meta(meta.clone(), None);
            }
        }
        Stamped { value, ..answer }
    }

    fn records(&mut self, answer: Stamped<Vec<Option<JobRecord>>>) -> Stamped<Vec<Option<JobRecord>>> {
        let mut value = answer.value;
        for record in value.iter_mut().flatten() {
            record.meta = self.meta(record.meta.clone(), None);
            self.number_targets(record.body.as_mut());
        }
        Stamped { value, ..answer }
    }

    fn metas(&mut self, metas: Vec<JobMeta>) -> Vec<JobMeta> {
        metas.into_iter().map(|meta| self.meta(meta, None)).collect()
    }

    /// Remembers the sight, and renumbers its life.
    fn meta(&mut self, meta: JobMeta, token: Option<LeaseToken>) -> JobMeta {
        self.sights.push((meta.clone(), token));
        self.sights.drain(..self.sights.len().saturating_sub(SIGHTS_MAX));
        JobMeta { seq: self.number(meta.seq), ..meta }
    }

    fn number_targets(&mut self, body: Option<&mut JobBody>) {
        for signal in body.into_iter().flat_map(|body| &mut body.end_signals) {
            signal.life = signal.life.map(|life| self.number(life));
        }
    }

    fn number(&mut self, seq: Seq) -> Seq {
        let next = self.lives.len() as u64 + 1;
        Seq::new(*self.lives.entry(seq).or_insert(next))
    }
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
