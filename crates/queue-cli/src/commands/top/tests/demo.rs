//! A store with a little of everything, whose clock stands still.

use queue::{
    ContentType, Failure, JobId, Kind, ManualClock, MemoryStorage, NewJob, Payload, Policy, Queue, Storage,
    StorageExt, SystemRng, WorkerId,
    operations::{Action, Operation, Operations},
    queue_core::{
        ClaimRequest, Pause, QueueName, SeriesEntry, Span, Timestamp, WorkerInfo,
        lifecycle::{Cause, Event},
        series::{SlotCounts, SlotLength, WorkOutcome},
    },
    schedules::{Schedule, Timing},
    view::Standing,
};
use serde_json::json;
use std::{sync::Arc, time::Duration};

/// Noon of the 24th of November 2026.
const NOON: i64 = 1_795_521_600_000;

pub(super) async fn store() -> Arc<dyn Storage> {
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(NOON)));
    let store: Arc<dyn Storage> = Arc::new(MemoryStorage::with_clock(clock.clone()));
    jobs(&store, &clock).await;
    counted(&*store).await;
    let busy = json!({
        "version": "0.1.0", "pid": 7, "started_at": NOON - 3_600_000, "kinds": ["welcome", "receipt"],
        "jobs": [{"queue": "emails", "id": "receipt-1", "seq": 1, "attempt": 1, "since": NOON - 5_000}],
    });
    let mut worker = WorkerInfo::new(WorkerId::from_static("web-1"));
    (worker.queues, worker.concurrency, worker.held) = (vec![name("emails")], 8, 1);
    worker.about = busy.to_string().into();
    "host-a, process 7".clone_into(&mut worker.host);
    store.announce(worker, Duration::from_secs(30)).await.unwrap();
    let emails: Queue<serde_json::Value> = Queue::new(store.clone(), "emails").unwrap();
    let timing = Timing::cron("30 9 * * 1-5", "UTC").unwrap();
    let schedule = Schedule::new("digest", timing, json!({}));
    let _ = emails.schedules().put(&schedule).await.unwrap();
    let all = Operation::on("billing", Action::REDRIVE).standing(Standing::Failed);
    let _ = Operations::of(store.clone()).start("redrive-all", &all).await.unwrap();
    clock.advance(Duration::from_secs(12));
    store
}

async fn jobs(store: &Arc<dyn Storage>, clock: &ManualClock) {
    for (queue, kind, count) in
        [("billing", "charge", 3), ("emails", "receipt", 2), ("webhooks", "deliver", 1)]
    {
        for number in 1..=count {
            enqueue(
                &**store,
                queue,
                &format!("{kind}-{number}"),
                kind,
                r#"{"to":"ada","password":"hunter2"}"#,
            )
            .await;
        }
    }
    for message in ["card ending in 4711 was declined", "card ending in 0815 was declined"] {
        fail(store, "billing", &Failure::new("CardDeclined", message)).await;
        clock.advance(Duration::from_mins(1));
    }
    store.set_paused(&name("webhooks"), None, Pause::UntilResumed).await.unwrap();
}

pub(super) async fn enqueue(store: &dyn Storage, queue: &str, id: &str, kind: &str, payload: &str) {
    let payload = Payload::new(payload.to_owned(), ContentType::from_static("application/json"));
    let job = NewJob::new(JobId::new(id).unwrap(), Kind::new(kind).unwrap(), payload);
    store.enqueue(&name(queue), vec![vec![job]]).await.unwrap();
}

/// Claims a job and fails it for good.
pub(super) async fn fail(store: &Arc<dyn Storage>, queue: &str, failure: &Failure) {
    let request =
        ClaimRequest::new(name(queue), WorkerId::from_static("media-1"), 1, Span::from_secs(60), &SystemRng);
    let token = request.token;
    let job = store.claim(request).await.unwrap().jobs.remove(0).record.meta;
    let failure = failure.clone();
    let cause = Cause::Terminal;
    let event = Event::Fail { token, failure, cause, delay: None, retention: None, then: Vec::new() };
    store.settle(&job, event, &Policy::default()).await.unwrap();
}

async fn counted(store: &dyn Storage) {
    let last = SlotLength::Minute.slot_at(Timestamp::from_millis(NOON));
    for minute in 1..60_u64 {
        let mut counts = SlotCounts::default();
        let of_kind = counts.of_mut(&name("emails"), &Kind::from_static("receipt"));
        for _ in 0..minute % 7 {
            of_kind.count(WorkOutcome::Completed);
            of_kind.record(Duration::from_millis(20), Duration::from_millis(70));
        }
        let slot = last - minute.cast_signed();
        let writer = WorkerId::from_static("web-1");
        let entry =
            SeriesEntry { series: SlotLength::Minute.series(), slot, writer, bytes: counts.encode().into() };
        store.write_series(entry, SlotLength::Minute.ttl()).await.unwrap();
    }
}

pub(super) fn name(queue: &str) -> QueueName {
    QueueName::new(queue).unwrap()
}
