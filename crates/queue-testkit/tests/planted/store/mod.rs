//! A small store in memory that keeps the contract, except for one defect at most.
//!
//! It is not built on the memory store: a defect has to be where a store would have it, between the
//! lock and the record, and not in front of a correct store.

mod apply;
mod claim;
mod enqueue;
mod gates;
mod handle;
mod list;
mod prune;
mod read;
mod record;
mod series;
mod spoil;
mod state;
mod together;

pub(crate) use handle::{PlantedStore, Shared};

use crate::defect::Defect;
use async_trait::async_trait;
use queue_core::{
    AnswerRoom, Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Durability, Enqueued,
    EventReach, EventStream, Interest, JobAttempts, JobId, JobRecord, Kind, Limits, ListQuery, NewJob, Page,
    Pause, PausedKind, PruneRequest, QueueName, QueuesPage, QueuesQuery, Reach, Result, SeriesEntry,
    SeriesPage, SeriesQuery, Span, Stamped, Storage, lifecycle::Transition,
};
use queue_store::Notices;
use state::State;
use std::{collections::HashSet, time::Duration};
use tokio::task::yield_now;

const LIMITS: fn() -> Limits = || Limits { gates: true, ..Limits::default() };

fn stamped<T>(state: &State, value: T) -> Stamped<T> {
    Stamped::at(state.moment(), value)
}

#[async_trait]
impl Storage for PlantedStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("planted", Durability::None, Reach::Process)
            .with_events(EventReach::Store)
            .with_pause()
            .with_attempts()
            .with_series()
            .with_gates()
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.take_turn().await;
        if !self.has(Defect::CheckedWhileStored) {
            LIMITS().check_enqueue(&groups)?;
        }
        let mut free = HashSet::new();
        if self.has(Defect::CheckedThenInserted) {
            free = self.with("enqueue", |state| state.free_ids(queue, &groups))?;
            yield_now().await;
        }
        if self.has(Defect::ReplacedInTwoSteps) {
            self.with("enqueue", |state| state.make_room_for(queue, &groups))?;
            yield_now().await;
        }
        self.with("enqueue", |state| {
            state.writes();
            let mut answers = state.enqueue(queue, groups, free)?;
            AnswerRoom::new(LIMITS().answer_bytes_max).trim_results(&mut answers);
            Ok(stamped(state, answers))
        })?
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.take_turn().await;
        LIMITS().check_batch("claim", request.limit)?;
        if self.has(Defect::ClaimedTwice) {
            let due = self.with("claim", |state| state.due(&request))?;
            yield_now().await;
            return self.with("claim", |state| state.lease(&request, due));
        }
        if self.merges_claims() {
            return self.claim_together(request).await;
        }
        self.with("claim", |state| {
            let due = state.due(&request);
            state.lease(&request, due)
        })
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.check(&batch)?;
        let hints_first = self.has(Defect::HintsBeforeWrites);
        if hints_first {
            self.with("apply", |state| state.notices = ahead(state, batch.clone()))?;
            yield_now().await;
        }
        self.with("apply", |state| {
            state.writes();
            let answers = state.apply(batch);
            if hints_first {
                state.notices.clear();
            }
            if state.has(Defect::ResultsCutInHints) {
                self.hint_at_cut_results(&answers);
            }
            stamped(state, answers)
        })
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.with("get", |state| stamped(state, state.get(queue, ids, what)))
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.with("list", |state| state.list(&query))?
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        JobAttempts::check(ids)?;
        self.with("attempts", |state| Stamped::at(state.moment(), state.attempts_of_many(queue, ids)))
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.with("counts", |state| state.counts(queue))
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        self.with("queues", |state| state.queues(&query))
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.with("prune", |state| {
            state.writes();
            state.prune(&request)
        })
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.with("set_paused", |state| {
            let Some(kind) = kind else {
                state.pause(queue, None, pause);
                return Ok(());
            };
            let now = state.now;
            let kinds = state.lane(queue).pauses_at(now).1;
            let others = kinds.iter().filter(|paused| paused.kind != *kind).count();
            if pause.is_on() && !state.has(Defect::KindsUnbounded) {
                PausedKind::check_room(others)?;
            }
            state.pause(queue, Some(kind.clone()), pause);
            Ok(())
        })?
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.take_connection()?;
        self.with("subscribe", |_| self.hub.subscribe(queue, interest))
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        entry.check()?;
        let ttl = Span::new("series ttl", ttl)?;
        self.with("write_series", |state| {
            state.writes();
            state.write_series(entry, ttl);
        })
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.with("read_series", |state| stamped(state, state.read_series(&query)))
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.with("verify", |state| state.verify())
    }

    async fn close(&self) -> Result<()> {
        self.shut();
        Ok(())
    }
}

impl PlantedStore {
    fn check(&self, batch: &[Transition]) -> Result<()> {
        let mut batch = batch.to_vec();
        if self.has(Defect::HeartbeatsFollowed) {
            let beats = batch.iter_mut().filter(|transition| transition.guard.proof.is_repeatable());
            beats.for_each(|transition| transition.then.clear());
        }
        LIMITS().check_apply(&batch)
    }
}

/// The changes that a batch is going to make.
fn ahead(state: &State, batch: Vec<Transition>) -> Notices {
    let mut copy = state.clone();
    copy.apply(batch);
    copy.notices
}
