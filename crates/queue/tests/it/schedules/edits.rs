//! Edits of a schedule that owes ticks.

use super::{DAY, HOUR, MINUTE, Report, hourly, ids, report, run, set_up};
use async_trait::async_trait;
use queue::{
    Queue, Storage, StorageExt,
    queue_core::{
        Applied, Capabilities, Changed, Result, Span, Stamped, StorageLayer,
        lifecycle::{Event, Policy, Transition},
    },
    schedules::{Missed, Overlap, Put, Schedule, ScheduleSpec, Timing},
};
use std::{
    collections::BTreeSet,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};
use tracing::subscriber::DefaultGuard;

const SECOND: Duration = Duration::from_secs(1);
/// The ticks that are due, and the bytes of each.
const TICKS: u32 = 100;
const PAYLOAD_BYTES: usize = 1000;
/// A few of them fit beside the schedule.
const CALL_BYTES_MAX: usize = 8000;

/// A store that takes few bytes in one call.
#[derive(Debug)]
struct Narrow(Arc<dyn Storage>);

#[async_trait]
impl StorageLayer for Narrow {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.0
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = self.0.capabilities();
        capabilities.limits.call_bytes_max = CALL_BYTES_MAX;
        capabilities
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        StorageLayer::capabilities(self).limits.check_apply(&batch)?;
        self.0.apply(batch).await
    }
}

fn each_second(of: &str) -> Schedule<Report> {
    let report = Report { of: of.repeat(PAYLOAD_BYTES), ..report() };
    Schedule::new("s", Timing::every(SECOND).expect("a second"), report).missed(Missed::All { max: 1_000 })
}

/// A program that declares a new version after a night without workers must be able to start.
#[tokio::test]
async fn an_edit_enqueues_a_backlog_in_parts_that_the_store_takes() {
    let (clock, reports) = set_up();
    let narrow = Arc::new(Narrow(reports.storage().clone()));
    let narrow: Queue<Report, String> = Queue::new(narrow, "reports").expect("a valid name");
    narrow.schedules().put(&each_second("a")).await.expect("put");
    clock.advance(TICKS * SECOND);
    let declared = narrow.schedules().declare([each_second("b")]).await.expect("the program starts");
    assert_eq!(declared.changed, ["s"]);
    let ran = run(&narrow).await;
    let each_once: BTreeSet<&str> = ids(&ran).into_iter().collect();
    assert_eq!((ran.len(), each_once.len()), (TICKS as usize, TICKS as usize));
    assert!(ran.iter().all(|(_, report)| report.of.starts_with('a')), "all are the old version's");
    clock.advance(SECOND);
    let ran = run(&narrow).await;
    assert_eq!(ids(&ran), ["s@2026-01-01T00:01:41Z"]);
    assert!(ran[0].1.of.starts_with('b'), "and the new one goes on");
}

#[tokio::test]
async fn an_edit_treats_the_tick_before_as_a_wake_up_does() {
    for (overlap, ran, is_asked) in [
        (Overlap::Allow, vec!["hourly@2026-01-01T02:00:00Z"], false),
        (Overlap::Skip, vec![], false),
        (Overlap::CancelPrevious, vec!["hourly@2026-01-01T02:00:00Z"], true),
    ] {
        let (clock, reports) = set_up();
        let builder = Queue::<Report, String>::builder(reports.storage().clone(), "reports").lease(DAY);
        let reports = builder.build().expect("valid");
        reports.schedules().put(&hourly(report()).overlap(overlap)).await.expect("put");
        clock.advance(HOUR);
        let first = reports.dequeue(MINUTE).await.expect("claims").expect("the first");
        clock.advance(HOUR);
        let costs = Report { of: "costs".to_owned(), ..report() };
        let edited = reports.schedules().put(&hourly(costs).overlap(overlap)).await.expect("put");
        assert_eq!(edited, Put::Changed);
        assert_eq!(ids(&run(&reports).await), ran, "{overlap:?}");
        let first_now = reports.status(first.meta().id.as_str()).await.expect("read").expect("it runs");
        assert_eq!(first_now.meta.cancel_requested, is_asked, "{overlap:?}");
    }
}

/// The lines that a program logs.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// Captures the lines of the test's thread while the guard lives.
    fn begin() -> (Self, DefaultGuard) {
        // With a single subscriber, `tracing` asks only the one of the thread that first meets an
        // event whether it is wanted. A global default makes two.
        drop(tracing::subscriber::set_global_default(tracing_subscriber::registry()));
        let lines = Self::default();
        let written = lines.clone();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || written.clone());
        (lines, tracing::subscriber::set_default(subscriber.finish()))
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("text")
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn ticks_that_an_edit_leaves_out_are_logged_as_by_a_worker() {
    for by_a_worker in [false, true] {
        let (lines, _guard) = Lines::begin();
        let (clock, reports) = set_up();
        reports.schedules().put(&hourly(report())).await.expect("put");
        clock.advance(10 * HOUR + 40 * MINUTE);
        if !by_a_worker {
            reports.schedules().put(&hourly(report()).overlap(Overlap::Skip)).await.expect("put");
        }
        assert_eq!(run(&reports).await, []);
        let text = lines.text();
        let said: Vec<&str> = text.lines().filter(|line| line.contains("left ticks out")).collect();
        assert_eq!(said.len(), 1, "once, by a worker {by_a_worker}: {text}");
        assert!(said[0].contains("schedule=queue.schedule:hourly ticks=10"), "{text}");
    }
}

/// Stands for new rules of a time zone: the schedule went to sleep until a later moment.
async fn oversleep(reports: &Queue<Report, String>, delay: Duration) {
    let id = ScheduleSpec::id_of("hourly").expect("a valid name");
    let event = Event::Reschedule { delay: Span::new("delay", delay).expect("short") };
    let changed = reports.storage().change(reports.name(), &id, event, &Policy::default()).await;
    assert!(matches!(changed.expect("memory changes"), Changed::Done(_)));
}

#[tokio::test]
async fn a_put_or_a_declare_wakes_a_schedule_that_would_oversleep() {
    for declares in [false, true] {
        let (clock, reports) = set_up();
        let schedules = reports.schedules();
        if declares {
            let declare = async || schedules.declare([hourly(report())]).await.expect("declared");
            declare().await;
            oversleep(&reports, 2 * HOUR).await;
            let declared = declare().await;
            assert_eq!((declared.rescheduled, declared.unchanged), (vec!["hourly".to_owned()], vec![]));
            assert_eq!(declare().await.unchanged, ["hourly"]);
        } else {
            let put = async || schedules.put(&hourly(report())).await.expect("put");
            put().await;
            oversleep(&reports, 2 * HOUR).await;
            assert_eq!((put().await, put().await), (Put::Rescheduled, Put::Unchanged));
        }
        clock.advance(HOUR);
        assert_eq!(ids(&run(&reports).await), ["hourly@2026-01-01T01:00:00Z"]);
    }
}

#[tokio::test]
async fn a_schedule_that_wakes_before_its_tick_or_is_paused_is_not_written_again() {
    let (_, reports) = set_up();
    let schedules = reports.schedules();
    schedules.put(&hourly(report())).await.expect("put");
    oversleep(&reports, MINUTE).await;
    assert_eq!(schedules.put(&hourly(report())).await.expect("put"), Put::Unchanged);
    let _ = schedules.pause("hourly").await.expect("paused");
    assert_eq!(schedules.put(&hourly(report())).await.expect("put"), Put::Unchanged);
    assert!(schedules.get("hourly").await.expect("read").expect("there").is_paused());
}
