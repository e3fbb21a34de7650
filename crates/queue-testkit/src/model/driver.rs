//! Runs a step on the store under test, and says what it answered in the words of the model.

use super::{
    answer::{Answer, Change, Claim, Snapshot, Taken},
    card::{Body, Card},
    op::{Doomed, Filter, IDS, KINDS, New, Op, WORKERS},
    request::{event_of_anybody, event_of_holder, new_job, span},
};
use crate::bench::prelude::*;
use queue_core::{
    Changed, ClaimedJob, Detail, Enqueued, JobMeta, JobRecord, Kind, ListFilter, ListQuery, Prune, Seq,
    State, lifecycle::Rejected,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Far more than a run has.
const PLENTY: usize = 1000;
/// How the ids of jobs that follow a failure begin.
const FOLLOW_UP: &str = "on-failure@";
/// Leases that a run holds in hand, live or not.
pub(super) const HANDS_MAX: usize = 6;

/// The store, and what its clients remember.
#[derive(Debug)]
pub(super) struct Driver {
    pub(super) bench: Bench,
    hands: Vec<ClaimedJob>,
    lives: BTreeMap<Seq, u64>,
    pins: usize,
}

impl Driver {
    pub(super) fn new(bench: Bench) -> Self {
        Self { bench, hands: Vec::new(), lives: BTreeMap::new(), pins: 0 }
    }

    /// One step that is no step of the clock.
    pub(super) async fn run(&mut self, op: &Op) -> Answer {
        match op {
            Op::Enqueue(groups) => self.enqueue(groups).await,
            Op::Claim { worker, limit, lease_ms } => self.claim(*worker, *limit, *lease_ms).await,
            Op::Hold { hand, how } => {
                let Some(held) = pick(&self.hands, *hand) else { return Answer::Nothing };
                let changed =
                    self.bench.settle(held, event_of_holder(how, held.token, self.bench.now())).await;
                self.learn_all().await;
                Answer::Changed(self.change(changed))
            }
            Op::Change { id, what } => {
                let changed = self.bench.change(IDS[*id], event_of_anybody(*what, self.bench.now())).await;
                Answer::Changed(self.change(changed))
            }
            Op::Rescue => {
                let mut cards: Vec<Card> =
                    self.bench.rescue().await.iter().map(|meta| self.card(meta)).collect();
                cards.sort_by_key(|card| card.life);
                self.learn_all().await;
                Answer::Rescued(cards)
            }
            Op::Prune(doomed) => Answer::Pruned(self.prune(*doomed).await),
            Op::Pause => self.set_paused(true).await,
            Op::Resume => self.set_paused(false).await,
            Op::List { filter, page } => Answer::Listed(self.list(filter, *page).await),
            Op::Reopen => {
                self.bench.reopen().await;
                Answer::Nothing
            }
            Op::Pass(_) | Op::Edge { .. } | Op::Back(_) => Answer::Nothing,
        }
    }

    /// Time that reads alone have seen need not outlive a handle, what a write has seen must. So
    /// something is written before the clock is set back.
    pub(super) async fn pin_time(&mut self) {
        self.pins += 1;
        self.bench.on_queue("aside").put(&format!("pin-{}", self.pins)).await;
    }

    /// Reads everything.
    pub(super) async fn snapshot(&mut self) -> Snapshot {
        let store = self.bench.store();
        let listed = self.bench.list(ListQuery::all(self.bench.queue().clone(), PLENTY)).await;
        let mut ids: Vec<_> = listed.iter().map(|meta| meta.id.clone()).collect();
        ids.extend(IDS.map(id).into_iter().filter(|id| !listed.iter().any(|meta| meta.id == *id)));
        let read = store.get(self.bench.queue(), &ids, Detail::Full).await.expect("get answers").value;
        let mut read: Vec<_> = read.into_iter().flatten().collect();
        read.sort_by_key(|record| record.meta.seq);
        let metas: Vec<&JobMeta> = read.iter().map(|record| &record.meta).collect();
        assert_eq!(metas, listed.iter().collect::<Vec<_>>(), "get and list show the same jobs");
        let counts = self.bench.counts().await;
        Snapshot {
            jobs: read.iter().map(|record| self.shown(record)).collect(),
            counts: State::ALL.map(|state| (state, counts.of(state))).into(),
            scheduled: counts.scheduled,
            oldest_due: counts.oldest_due.map(queue_core::Timestamp::as_millis),
            now: counts.now.as_millis(),
        }
    }

    async fn enqueue(&mut self, groups: &[Vec<New>]) -> Answer {
        let jobs = groups.iter().map(|group| group.iter().map(new_job).collect()).collect();
        let answers = self.bench.enqueue_groups(jobs).await;
        Answer::Enqueued(
            answers.iter().map(|group| group.iter().map(|one| self.taken(one)).collect()).collect(),
        )
    }

    fn taken(&mut self, answer: &Enqueued) -> Taken {
        let life = self.life(answer.seq());
        match answer {
            Enqueued::Queued { .. } => Taken::New { life },
            Enqueued::Duplicate { state, .. } => Taken::By { life, state: *state },
            Enqueued::Completed { result, .. } => {
                Taken::Done { life, result: result.as_ref().map(|result| result.bytes.to_vec()) }
            }
        }
    }

    async fn claim(&mut self, worker: usize, limit: usize, lease_ms: i64) -> Answer {
        let request = self.bench.request_of(WORKERS[worker], limit, span(lease_ms));
        let claimed = self.bench.send(request).await;
        let jobs = claimed.jobs.iter().map(|job| self.shown(&job.record)).collect();
        self.hands.extend(claimed.jobs);
        self.hands.drain(..self.hands.len().saturating_sub(HANDS_MAX));
        let next_due = claimed.next_due.map(queue_core::Timestamp::as_millis);
        Answer::Claimed(Claim { jobs, paused: claimed.paused, now: claimed.now.as_millis(), next_due })
    }

    fn change(&mut self, changed: Changed) -> Change {
        match changed {
            Changed::Done(meta) => Change::Done(Box::new(self.card(&meta))),
            Changed::LeaseLost(meta) => Change::Lost(Box::new(self.card(&meta))),
            Changed::Rejected(Rejected::Already(state)) => Change::Already(state),
            Changed::Rejected(Rejected::NotAllowed(state)) => Change::NotAllowed(state),
            Changed::Missing => Change::Missing,
        }
    }

    /// Overdue records count as absent, but a store may count them as it removes them; so they go
    /// first.
    async fn prune(&self, doomed: Doomed) -> u64 {
        self.bench.prune(Prune::Expired, PLENTY).await;
        let what = match doomed {
            Doomed::Expired => Prune::Expired,
            Doomed::FinishedBefore { age_ms } => Prune::FinishedBefore(span(age_ms)),
            Doomed::Everything => Prune::Everything,
        };
        self.bench.prune(what, PLENTY).await
    }

    async fn set_paused(&self, paused: bool) -> Answer {
        let store = self.bench.store();
        store.set_paused(self.bench.queue(), paused).await.expect("it pauses and resumes");
        Answer::Nothing
    }

    async fn list(&mut self, filter: &Filter, page: usize) -> Vec<Card> {
        let lapsed = matches!(filter, Filter::Lapsed);
        let all = ListQuery::all(self.bench.queue().clone(), page);
        let query = match filter {
            Filter::Lapsed => ListQuery::lapsed(self.bench.queue().clone(), page),
            Filter::Match { states, worker: by, kind } => all.matching(ListFilter {
                states: states.clone(),
                worker: by.map(|nth| worker(WORKERS[nth])),
                kind: kind.map(|nth| Kind::from_static(KINDS[nth])),
                ..ListFilter::default()
            }),
        };
        let mut cards: Vec<Card> = self.bench.list(query).await.iter().map(|meta| self.card(meta)).collect();
        if lapsed {
            assert!(
                cards.is_sorted_by_key(|card| card.lease.as_ref().map(|(_, lapse)| *lapse)),
                "{cards:#?}"
            );
            cards.sort_by_key(|card| card.life);
        }
        cards
    }

    /// Lives that began unseen, behind another job, get their numbers in the order of the store's.
    async fn learn_all(&mut self) {
        let listed = self.bench.list(ListQuery::all(self.bench.queue().clone(), PLENTY)).await;
        for meta in listed {
            self.life(meta.seq);
        }
    }

    fn card(&mut self, meta: &JobMeta) -> Card {
        assert_eq!(meta.queue, *self.bench.queue(), "a job of another queue");
        let card = Card::shown(meta, self.life(meta.seq));
        match self.failed_life(&card.id) {
            Some((life, epoch)) => Card { id: format!("{FOLLOW_UP}{life}.{epoch}"), ..card },
            None => card,
        }
    }

    fn shown(&mut self, record: &JobRecord) -> (Card, Body) {
        let mut body = Body::shown(record);
        if let Some((life, _)) = self.failed_life(record.meta.id.as_str()) {
            let mut told: Value = serde_json::from_slice(&body.payload).expect("a document of a failed job");
            told["seq"] = life.into();
            body.payload = told.to_string().into_bytes();
        }
        (self.card(&record.meta), body)
    }

    /// What follows a failure names the life that failed, by the number that the store gave it.
    fn failed_life(&mut self, id: &str) -> Option<(u64, String)> {
        let (seq, epoch) = id.strip_prefix(FOLLOW_UP)?.split_once('.')?;
        let seq = seq.parse().expect("the number of a life");
        Some((self.life(Seq::new(seq)), epoch.to_owned()))
    }

    /// The number of a life in this run.
    fn life(&mut self, seq: Seq) -> u64 {
        let next = self.lives.len() as u64 + 1;
        *self.lives.entry(seq).or_insert(next)
    }
}

/// The remembered thing that a number stands for.
pub(super) fn pick<T>(remembered: &[T], nth: usize) -> Option<&T> {
    remembered.get(nth % remembered.len().max(1))
}
