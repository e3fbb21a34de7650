//! What a worker writes of its work: by the minute, by the hour, and at its end.

use crate::support::{Fault, Rig, job, millis, router};
use queue_core::{
    ContentType, ErrorKind, Kind, ManualClock, NewJob, Payload, QueueName, SeriesQuery, Storage, Timestamp,
    WorkerId,
    series::{KINDS_MAX, QueueSeries, SlotLength, WorkCounts, WorkOutcome, other_kinds},
};
use queue_memory::MemoryStorage;
use queue_worker::{JobError, Router, Worker};
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

const ALL: std::ops::Range<i64> = i64::MIN..i64::MAX;
const MINUTE: Duration = Duration::from_secs(60);

fn quick() -> Router {
    router(|n, _| async move {
        sleep(millis(20)).await;
        if n == 13 { Err(JobError::named("Unlucky", "thirteen")) } else { Ok(n) }
    })
}

async fn read(store: &dyn Storage, queue: &QueueName, length: SlotLength) -> QueueSeries {
    let mut series = QueueSeries::new(queue.clone(), length);
    let mut next = Some(SeriesQuery::new(length.series(), ALL, SeriesQuery::LIMIT_MAX));
    while let Some(query) = next {
        let page = store.read_series(query).await.expect("it keeps series").value;
        page.entries.iter().for_each(|entry| series.insert(entry).expect("a worker wrote it"));
        next = page.next;
    }
    series
}

async fn minutes(rig: &Rig) -> QueueSeries {
    read(&*rig.store, &rig.queue, SlotLength::Minute).await
}

async fn total(rig: &Rig, length: SlotLength) -> WorkCounts {
    read(&*rig.store, &rig.queue, length).await.total(ALL)
}

/// A job every ten seconds, for so many minutes.
async fn some_work(rig: &Rig, minutes: u32) {
    for n in 0..minutes * 6 {
        rig.enqueue([job(&format!("job-{n}"), 1)]).await;
        sleep(millis(10_000)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_writes_once_a_minute_and_once_an_hour() {
    let rig = Rig::new();
    let running = Rig::start(rig.worker(quick()));
    some_work(&rig, 180).await;
    sleep(SlotLength::Hour.write_delay_max()).await;
    let sent = rig.store.log().series;
    let of = |series: &str| sent.iter().filter(|(of, ..)| of == series).count();
    assert_eq!((of("queue.minutes"), of("queue.hours")), (180, 3));
    running.stop().await;
    for length in [SlotLength::Minute, SlotLength::Hour] {
        assert_eq!(total(&rig, length).await.of(WorkOutcome::Completed), 180 * 6);
    }
    assert!(minutes(&rig).await.slots().values().all(|minute| minute.of(WorkOutcome::Completed) == 6));
}

#[tokio::test(start_paused = true)]
async fn a_worker_without_jobs_writes_nothing() {
    let rig = Rig::new();
    let running = Rig::start(rig.worker(quick()));
    sleep(MINUTE * 200).await;
    running.stop().await;
    assert_eq!(rig.store.log().series, []);
}

#[tokio::test(start_paused = true)]
async fn a_short_run_writes_what_it_did_at_its_end() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 13), job("c", 2)]).await;
    sleep(millis(3_000)).await;
    let running = Rig::start(rig.worker(quick()).retry(queue_core::RetryPolicy::Fixed(MINUTE * 60)));
    rig.events.wait_for("failing b").await;
    running.stop().await;
    let counts = total(&rig, SlotLength::Minute).await;
    assert_eq!(counts, total(&rig, SlotLength::Hour).await);
    assert_eq!((counts.of(WorkOutcome::Completed), counts.of(WorkOutcome::Failing)), (2, 1));
    assert_eq!((counts.wait().count(), counts.run().count()), (3, 3));
    assert_eq!((counts.wait().mean(), counts.run().mean()), (Some(millis(3_000)), Some(millis(20))));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_refuses_entries_gets_them_later_and_jobs_do_not_notice() {
    let rig = Rig::new();
    rig.store.script().on_series = Some(Fault::Refuse(ErrorKind::Unavailable));
    let running = Rig::start(rig.worker(quick()));
    some_work(&rig, 30).await;
    assert_eq!(minutes(&rig).await.total(ALL).of(WorkOutcome::Completed), 0);
    rig.store.script().on_series = None;
    sleep(MINUTE * 2).await;
    assert_eq!(minutes(&rig).await.slots().len(), 30);
    assert_eq!(running.stop().await.completed, 30 * 6);
    assert_eq!(total(&rig, SlotLength::Minute).await.of(WorkOutcome::Completed), 30 * 6);
}

#[tokio::test(start_paused = true)]
async fn an_entry_whose_answer_was_lost_is_sent_again_and_counts_once() {
    let rig = Rig::new();
    rig.store.script().on_series = Some(Fault::LoseReply);
    let running = Rig::start(rig.worker(quick()));
    some_work(&rig, 10).await;
    rig.store.script().on_series = None;
    running.stop().await;
    let mut sent = rig.store.log().series;
    let times = sent.len();
    sent.sort();
    sent.dedup();
    assert!(times > sent.len(), "nothing was sent twice");
    for length in [SlotLength::Minute, SlotLength::Hour] {
        assert_eq!(total(&rig, length).await.of(WorkOutcome::Completed), 60);
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_never_answers_holds_up_no_job() {
    let rig = Rig::new();
    rig.store.script().on_series = Some(Fault::Hang);
    let running = Rig::start(rig.worker(quick()));
    some_work(&rig, 10).await;
    assert_eq!(running.stop().await.completed, 60);
}

/// The clock of the store is years ahead, stands still, and then steps back; that of the worker is
/// another one.
#[tokio::test(start_paused = true)]
async fn slots_are_those_of_store_time_whatever_clocks_do() {
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(2_000_000_000_000)));
    let store = Arc::new(MemoryStorage::with_clock(clock.clone()));
    let queue = QueueName::from_static("tests");
    let worker = Worker::builder(store.clone(), queue.clone(), quick()).poll_interval(millis(50));
    let running = Rig::start(worker);
    for n in 0..6 {
        store.enqueue(&queue, vec![vec![job(&format!("job-{n}"), 1)]]).await.expect("it takes them");
        sleep(millis(200)).await;
        match n {
            2 => clock.advance(Duration::from_secs(600)),
            4 => clock.set(Timestamp::from_millis(1_900_000_000_000)),
            _ => {}
        }
    }
    assert_eq!(running.stop().await.completed, 6);
    let slots = read(&*store, &queue, SlotLength::Minute).await.slots();
    let first = SlotLength::Minute.slot_at(Timestamp::from_millis(2_000_000_000_000));
    let counted = slots.iter().map(|(slot, counts)| (slot - first, counts.of(WorkOutcome::Completed)));
    assert_eq!(counted.collect::<Vec<_>>(), [(0, 3), (10, 3)]);
}

#[tokio::test(start_paused = true)]
async fn runs_under_one_chosen_name_write_beside_each_other() {
    let rig = Rig::new();
    for n in 0..3 {
        rig.enqueue([job(&format!("job-{n}"), 1)]).await;
        rig.drain(rig.worker(quick()).id(WorkerId::from_static("chosen"))).await;
    }
    assert_eq!(total(&rig, SlotLength::Minute).await.of(WorkOutcome::Completed), 3);
}

#[tokio::test(start_paused = true)]
async fn kinds_beyond_the_most_are_counted_as_others() {
    let rig = Rig::new();
    let payload = || Payload::new("1", ContentType::from_static("application/json"));
    let of_kind = |n: usize| {
        let kind = Kind::new(format!("kind-{n}")).expect("a name");
        NewJob::new(crate::support::id(&format!("job-{n}")), kind, payload())
    };
    rig.enqueue((0..KINDS_MAX + 9).map(of_kind)).await;
    let router = (0..KINDS_MAX + 9).fold(Router::new(()), |router, n| {
        router.handle(format!("kind-{n}"), |_: u32, _| async { Ok(()) }).expect("it is the only one")
    });
    rig.drain(rig.worker(router)).await;
    let kinds = minutes(&rig).await.kinds(ALL);
    assert_eq!(kinds.len(), KINDS_MAX + 1);
    assert_eq!(kinds[&other_kinds()].of(WorkOutcome::Completed), 9);
}

#[tokio::test(start_paused = true)]
async fn each_queue_of_a_worker_has_its_own_numbers() {
    let rig = Rig::new();
    let other = QueueName::from_static("others");
    rig.enqueue([job("a", 1), job("b", 1)]).await;
    rig.enqueue_into(&other, [job("a", 1)]).await;
    rig.drain(rig.worker(quick()).also(other.clone())).await;
    assert_eq!(rig.store.log().series.len(), 2, "one entry has all queues");
    assert_eq!(total(&rig, SlotLength::Minute).await.of(WorkOutcome::Completed), 2);
    let of_other = read(&*rig.store, &other, SlotLength::Minute).await;
    assert_eq!(of_other.total(ALL).of(WorkOutcome::Completed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_lapse_is_counted_by_the_worker_that_ends_it() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.claim_elsewhere(1, queue_core::Span::from_secs(1)).await;
    rig.drain(rig.worker(quick())).await;
    let counts = total(&rig, SlotLength::Minute).await;
    assert_eq!((counts.of(WorkOutcome::Stalled), counts.of(WorkOutcome::Completed)), (1, 1));
    assert_eq!(counts.run().count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_told_so_writes_no_series() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.drain(rig.worker(quick()).without_series()).await;
    assert_eq!(rig.store.log().series, []);
}
