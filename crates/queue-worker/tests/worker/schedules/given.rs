//! A queue with one schedule on a clock that the test moves, and a worker reduced to a few calls.

use crate::support::{id, job};
use queue_core::{
    Budget, ClaimRequest, ClaimedJob, JobId, Kind, ListFilter, ListQuery, ManualClock, NewJob, Payload,
    QueueName, SeededRng, Span, Storage, StorageExt, Timestamp, UnreadableWaits, WorkerId,
    lifecycle::{Event, Policy},
};
use queue_memory::MemoryStorage;
use queue_schedule::{SCHEDULE_KIND, ScheduleSpec, Template, Timing, schedule_tags};
use queue_worker::{ReservedJob, ReservedOutcome, handle_reserved};
use std::{sync::Arc, time::Duration};

pub(super) const MINUTE: Duration = Duration::from_secs(60);
pub(super) const HOUR: Duration = Duration::from_secs(3600);
/// The start of the clock: 2026-01-01.
pub(super) const START: Timestamp = Timestamp::from_millis(1_767_225_600_000);
const LEASE: Span = Span::from_secs(30);
/// More jobs than any of the tests has.
const JOBS_MAX: usize = 1000;

pub(super) struct Given {
    pub(super) clock: Arc<ManualClock>,
    pub(super) store: Arc<dyn Storage>,
    pub(super) queue: QueueName,
    rng: SeededRng,
    unreadable: UnreadableWaits,
}

/// A schedule of every hour that begins now, with defaults.
pub(super) fn hourly() -> ScheduleSpec {
    let timing = Timing::every(HOUR).expect("an hour");
    ScheduleSpec::new("hourly", timing, Template::of(&job("tick", 1)).expect("a template"), START)
}

/// A schedule of a pattern that begins now, with defaults.
pub(super) fn every(pattern: &str, zone: &str) -> ScheduleSpec {
    let timing = Timing::cron(pattern, zone).expect("a pattern");
    ScheduleSpec::new("hourly", timing, Template::of(&job("tick", 1)).expect("a template"), START)
}

pub(super) fn hours_later(hours: i64) -> Timestamp {
    START + Span::from_secs(hours * 3600)
}

impl Given {
    pub(super) fn new() -> Self {
        let clock = Arc::new(ManualClock::new(START));
        let store: Arc<dyn Storage> = Arc::new(MemoryStorage::with_clock(clock.clone()));
        let (queue, rng) = (QueueName::from_static("tests"), SeededRng::new(7));
        Self { clock, store, queue, rng, unreadable: UnreadableWaits::default() }
    }

    /// Stores the schedule's job, due at once and before all others.
    pub(super) async fn put(&self, payload: impl Into<Vec<u8>>) {
        let mut schedule = NewJob::new(schedule_id(), Kind::from_static(SCHEDULE_KIND), job("s", 1).payload);
        (schedule.payload.bytes, schedule.priority) = (payload.into().into(), i16::MIN);
        (schedule.terms.max_attempts, schedule.terms.max_stalls) = (Budget::Unlimited, Budget::Unlimited);
        schedule.tags = schedule_tags();
        self.store.enqueue(&self.queue, vec![vec![schedule]]).await.expect("memory enqueues");
    }

    /// Claims the schedule's job, whenever it is due.
    pub(super) async fn claim(&self) -> ClaimedJob {
        self.change(Event::Promote).await;
        self.claim_due().await.expect("the schedule is due")
    }

    pub(super) async fn claim_due(&self) -> Option<ClaimedJob> {
        let worker = WorkerId::from_static("waker");
        let request = ClaimRequest::new(self.queue.clone(), worker, 1, LEASE, &self.rng);
        self.store.claim(request).await.expect("memory claims").jobs.pop()
    }

    pub(super) async fn handle(&self, claimed: &ClaimedJob) -> ReservedOutcome {
        let payload = &claimed.record.body.as_ref().expect("claimed with its body").payload;
        self.handle_as(claimed, payload, &self.unreadable).await
    }

    /// Handles a claimed job as a program that reads this payload and knows of these jobs.
    pub(super) async fn handle_as(
        &self,
        claimed: &ClaimedJob,
        payload: &Payload,
        unreadable: &UnreadableWaits,
    ) -> ReservedOutcome {
        let job = ReservedJob { meta: &claimed.record.meta, payload, token: claimed.token, unreadable };
        handle_reserved(&*self.store, job).await.expect("memory answers")
    }

    /// Runs one wake-up from beginning to end; returns the event that settled it.
    pub(super) async fn wake(&self) -> Event {
        let claimed = self.claim().await;
        let ReservedOutcome { event, .. } = self.handle(&claimed).await;
        self.settle(&claimed, event.clone()).await;
        event
    }

    pub(super) async fn settle(&self, claimed: &ClaimedJob, event: Event) {
        let settled = self.store.settle(&claimed.record.meta, event, &Policy::default()).await;
        settled.expect("memory settles");
    }

    /// Lets the holder die, and rescues the job.
    pub(super) async fn lapse(&self) {
        self.clock.advance(LEASE.as_duration());
        self.change(Event::Lapse).await;
    }

    pub(super) async fn change(&self, event: Event) {
        let changed = self.store.change(&self.queue, &schedule_id(), event, &Policy::default()).await;
        changed.expect("memory changes");
    }

    /// The ids of all jobs of ticks, in the order of their lives.
    pub(super) async fn ticks(&self) -> Vec<String> {
        let filter = ListFilter { kind: Some(Kind::from_static("work")), ..ListFilter::default() };
        let query = ListQuery::all(self.queue.clone(), JOBS_MAX).matching(filter);
        let page = self.store.list(query).await.expect("memory lists");
        page.jobs.into_iter().map(|meta| meta.id.to_string()).collect()
    }
}

pub(super) fn schedule_id() -> JobId {
    id("queue.schedule:hourly")
}

/// The ids of the ticks at these hours.
pub(super) fn of_hours(hours: impl IntoIterator<Item = u32>) -> Vec<String> {
    hours.into_iter().map(|hour| format!("hourly@2026-01-01T{hour:02}:00:00Z")).collect()
}
