//! A day of work under a clock of the test, as operators read it.

use crate::support::{SECOND, spawn};
use queue::{
    Queue, SlotLength, Storage, WorkOutcome,
    queue_core::{SeriesQuery, series::SlotCounts},
    worker::{JobError, TokioClock},
};
use queue_memory::MemoryStorage;
use std::{sync::Arc, time::Duration};
use tokio::{sync::oneshot, time::sleep};

const HOUR: Duration = Duration::from_secs(3600);

/// Jobs of each minute of this hour of the day: none at night, most at noon.
const fn jobs_a_minute(hour: u32) -> u32 {
    match hour {
        0..6 => 0,
        6..12 => hour - 5,
        12..18 => 18 - hour,
        _ => 1,
    }
}

#[tokio::test(start_paused = true)]
async fn a_day_is_read_by_the_minute_and_by_the_hour_as_it_was() {
    let store: Arc<dyn Storage> = Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())));
    let emails: Queue<u32> = Queue::new(store.clone(), "emails").unwrap();
    let worker = emails.work_with(|n, _| async move {
        sleep(Duration::from_millis(20)).await;
        if n == 0 { Err(JobError::named("Refused", "the first of each hour").as_terminal()) } else { Ok(()) }
    });
    let (stop, stopped) = oneshot::channel::<()>();
    let running = spawn(worker.build().unwrap().run_until(stopped));
    for hour in 0..24 {
        for minute in 0..60 {
            for n in 0..jobs_a_minute(hour) {
                let payload = u32::from(minute != 0 || n != 0);
                emails.enqueue(format!("{hour}:{minute}:{n}"), payload).await.unwrap();
            }
            sleep(60 * SECOND).await;
        }
    }
    sleep(SlotLength::Hour.write_delay_max()).await;

    // The worker still runs: nothing here was written by its end.
    let done = |hour: u32| u64::from(jobs_a_minute(hour) * 60);
    let failed = |hour| u64::from(jobs_a_minute(hour) > 0);
    let minutes = emails.series(24 * HOUR, SlotLength::Minute).await.unwrap();
    let hours = emails.series(24 * HOUR, SlotLength::Hour).await.unwrap();
    assert_eq!((minutes.unreadable, hours.unreadable), (0, 0));
    let by_hour = hours.columns(hours.last(24), 1);
    assert_eq!(by_hour.len(), 24);
    let first = SlotLength::Hour.starts_at(hours.last(24).start);
    for (hour, (_, counts)) in (0..).zip(&by_hour) {
        let begin = SlotLength::Minute.slot_at(first) + i64::from(hour) * 60;
        assert_eq!(*counts, minutes.series.total(begin..begin + 60), "hour {hour}");
        assert_eq!(counts.of(WorkOutcome::Failed), failed(hour), "hour {hour}");
        assert_eq!(counts.of(WorkOutcome::Completed), done(hour) - failed(hour), "hour {hour}");
        assert_eq!(counts.run().count(), done(hour));
    }
    let (_, noon) = minutes.columns(minutes.last(1440), 1)[12 * 60 + 30].clone();
    assert_eq!(noon.of(WorkOutcome::Completed), 6);
    let run = noon.run().percentile(50).unwrap();
    assert!(run >= Duration::from_millis(16) && run < Duration::from_millis(32), "{run:?}");
    assert!((minutes.per_minute(WorkOutcome::Completed, 60) - 1.0).abs() < 0.02);
    assert_eq!(hours.last(99).end - hours.last(99).start, 24, "a reading ends where it began");

    stop.send(()).unwrap();
    running.await.unwrap();
    report_bytes(&*store).await;
}

/// Prints what a day takes, for the page; run with `--nocapture`.
async fn report_bytes(store: &dyn Storage) {
    for length in [SlotLength::Minute, SlotLength::Hour] {
        let (mut entries, mut bytes) = (0, 0);
        let mut next = Some(SeriesQuery::new(length.series(), 0..i64::MAX, SeriesQuery::LIMIT_MAX));
        while let Some(query) = next {
            let page = store.read_series(query).await.expect("it keeps series").value;
            for entry in &page.entries {
                SlotCounts::decode(entry.bytes.clone()).expect("a worker wrote it");
                entries += 1;
                bytes += entry.bytes.len();
            }
            next = page.next;
        }
        println!("{length:?}: {entries} entries, {bytes} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn a_day_is_gone_when_its_time_is_over() {
    let store: Arc<dyn Storage> = Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())));
    let emails: Queue<u32> = Queue::new(store.clone(), "emails").unwrap();
    let once = async || {
        emails.enqueue(queue::Id::Generated, 1).await.unwrap();
        emails.work_with(|_, _| async { Ok(()) }).until_idle().build().unwrap().run().await;
    };
    once().await;
    sleep(SlotLength::Minute.ttl()).await;
    once().await;
    let done = async |length| {
        let reading = emails.series(24 * HOUR * 100, length).await.unwrap();
        reading.series.total(reading.slots).of(WorkOutcome::Completed)
    };
    assert_eq!((done(SlotLength::Minute).await, done(SlotLength::Hour).await), (1, 2));
}
