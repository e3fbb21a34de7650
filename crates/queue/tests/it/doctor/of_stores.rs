//! What it finds about a store as a whole.

use super::ward::{Ward, complete, job, jobs};
use async_trait::async_trait;
use queue::{
    Queue, SqliteOptions, SqliteStorage,
    doctor::{Doctor, Finding, PROBE_QUEUE, Severity},
    queue_core::{
        Error, ErrorKind, EventStream, Interest, ManualClock, QueueName, QueuesPage, QueuesQuery, Result,
        Retention, Span, Storage, StorageLayer,
    },
    schedules::{Schedule, Timing},
};
use std::{sync::Arc, time::Duration};

#[tokio::test]
async fn a_store_that_is_well_is_fine_whatever_is_looked_at() {
    let ward = Ward::new();
    ward.announce("a", "0.1.0", Some(&["email"]), 0).await;
    ward.put(jobs(3)).await;
    let diagnosis = ward.doctor().examine().await;
    assert_eq!(diagnosis.severity(), Severity::Fine, "{diagnosis:?}");
    let mut codes: Vec<_> = diagnosis.findings.iter().map(|finding| &finding.code).collect();
    codes.sort();
    codes.dedup();
    assert_eq!(codes.len(), diagnosis.findings.len(), "each check has a code of its own");
    assert!(codes.iter().all(|code| Finding::is_code(code)));
}

#[tokio::test]
async fn the_probe_leaves_no_job_even_after_one_that_was_killed() {
    let ward = Ward::new();
    let probes = QueueName::from_static(PROBE_QUEUE);
    ward.store.enqueue(&probes, vec![vec![job("probe")]]).await.unwrap();
    let diagnosis = ward.doctor().examine().await;
    Ward::assert_is(diagnosis.finding("hints-arrive").unwrap(), Severity::Fine, "a hint took");
    assert_eq!(ward.store.counts(&probes).await.unwrap().total(), 0);
    assert!(diagnosis.findings.iter().all(|finding| !finding.seen.contains(PROBE_QUEUE)));
}

#[tokio::test]
async fn workers_of_several_versions_are_a_warning() {
    let ward = Ward::new();
    ward.announce("a", "0.1.0", None, 0).await;
    ward.announce("b", "0.1.0", None, 0).await;
    Ward::assert_is(&ward.finding("worker-versions").await, Severity::Fine, "2 of version 0.1.0");
    ward.announce("c", "0.2.0", None, 0).await;
    Ward::assert_is(&ward.finding("worker-versions").await, Severity::Warning, "1 of version 0.2.0");
}

#[tokio::test]
async fn a_clock_that_differs_from_that_of_the_host_is_a_warning() {
    let ward = Ward::new();
    let host = Arc::new(ManualClock::default());
    let look =
        || async { Doctor::new(ward.store.clone()).clock(host.clone()).without_probe().examine().await };
    ward.clock.advance(Duration::from_secs(1));
    Ward::assert_is(look().await.finding("store-clock").unwrap(), Severity::Fine, "ahead");
    ward.clock.advance(Duration::from_millis(1));
    Ward::assert_is(look().await.finding("store-clock").unwrap(), Severity::Warning, "1 s ahead of");
    host.advance(Duration::from_secs(10));
    Ward::assert_is(look().await.finding("store-clock").unwrap(), Severity::Warning, "8 s behind");
}

#[tokio::test]
async fn store_time_that_is_ahead_of_its_clock_is_a_warning() {
    let ward = Ward::new();
    let right = queue::Clock::now(&*ward.clock);
    ward.clock.advance(Duration::from_secs(600));
    ward.put(jobs(1)).await;
    ward.clock.set(right);
    Ward::assert_is(&ward.finding("store-time-lead").await, Severity::Warning, "10 min ahead");
}

#[tokio::test]
async fn what_a_clock_that_was_ahead_has_touched_is_named() {
    let ward = Ward::new();
    let days = |days: i64| Span::from_secs(days * 86_400);
    let mut kept = job("kept");
    kept.terms.retention = Retention::Keep(days(60)).into();
    ward.put([kept]).await;
    ward.end(complete).await;
    let delayed = |id: &str, delay| {
        let mut delayed = job(id);
        delayed.delay = delay;
        delayed
    };
    ward.put([delayed("month", days(30)), delayed("quarter", days(90)), job("due")]).await;
    for code in ["jobs-early", "results-early", "schedules-ahead"] {
        Ward::assert_is(&ward.finding(code).await, Severity::Fine, "no ");
    }
    let right = queue::Clock::now(&*ward.clock);
    ward.clock.set(right + days(40));
    ward.put([job("by the wrong clock"), delayed("after it", days(1))]).await;
    ward.clock.set(right);
    let early = ward.finding("jobs-early").await;
    let seen = "\"emails\" has jobs that may run up to 40 d before their time: month, quarter";
    Ward::assert_is(&early, Severity::Warning, seen);
    assert!(early.seen.ends_with("quarter"), "{early:?}");
    let results = ward.finding("results-early").await;
    Ward::assert_is(&results, Severity::Warning, "removed up to 40 d before their time: kept");
}

#[tokio::test]
async fn a_schedule_beyond_its_clock_is_named() {
    let ward = Ward::new();
    let reports: Queue<String> = Queue::new(ward.store.clone(), "emails").unwrap();
    let hourly = Timing::every(Duration::from_secs(3600)).unwrap();
    let right = queue::Clock::now(&*ward.clock);
    ward.clock.set(right + Span::from_secs(40 * 86_400));
    reports.schedules().put(&Schedule::new("hourly", hourly, String::new())).await.unwrap();
    ward.clock.set(right);
    let finding = ward.finding("schedules-ahead").await;
    Ward::assert_is(&finding, Severity::Warning, "has schedules up to 40 d ahead of the clock: hourly");
    assert!(finding.advice.contains("queue schedule resume"), "{finding:?}");
}

#[tokio::test]
async fn more_queues_than_are_looked_at_are_told() {
    let ward = Ward::new();
    for n in 0..101 {
        let name = QueueName::new(format!("q{n}")).unwrap();
        ward.store.enqueue(&name, vec![vec![job("a")]]).await.unwrap();
    }
    Ward::assert_is(&ward.finding("doctor-bounds").await, Severity::Unknown, "1 were not");
}

/// A store whose hints are lost, or that does not answer at all.
#[derive(Debug)]
struct Deaf {
    store: Arc<dyn Storage>,
    answers: bool,
}

#[async_trait]
impl StorageLayer for Deaf {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn subscribe(&self, _: &QueueName, _: Interest) -> Result<EventStream> {
        Ok(Box::pin(futures_util::stream::pending()))
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        if self.answers {
            return self.store.queues(query).await;
        }
        Err(Error::new(ErrorKind::Unavailable, "queues", "nobody is at home"))
    }
}

#[tokio::test(start_paused = true)]
async fn a_hint_that_never_comes_is_a_warning() {
    let store = Arc::new(Deaf { store: Ward::new().store, answers: true });
    let diagnosis = Doctor::new(store).examine().await;
    Ward::assert_is(diagnosis.finding("hints-arrive").unwrap(), Severity::Warning, "no hint came within 5 s");
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_broken_and_nothing_else_is_said() {
    let store = Arc::new(Deaf { store: Ward::new().store, answers: false });
    let diagnosis = Doctor::new(store).examine().await;
    assert_eq!(diagnosis.findings.len(), 1);
    Ward::assert_is(&diagnosis.findings[0], Severity::Broken, "nobody is at home");
}

#[tokio::test]
async fn a_restored_store_says_what_went_back() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("jobs.db");
    let store = SqliteStorage::open(SqliteOptions::new(&path)).await.unwrap();
    let ward = Ward { clock: Arc::new(ManualClock::default()), store: Arc::new(store) };
    ward.put(jobs(3)).await;
    ward.claim(1, 600).await;
    let backup = place.path().join("backup.db");
    let connection = queue::rusqlite::Connection::open(&path).unwrap();
    connection.execute("VACUUM INTO ?1", [backup.to_str().unwrap()]).unwrap();
    // What happens now is lost.
    ward.put([job("lost")]).await;
    ward.claim(4, 600).await;

    let store = Arc::new(SqliteStorage::open(SqliteOptions::new(&backup)).await.unwrap());
    let diagnosis = Doctor::new(store).restored().examine().await;
    let finding = |code| diagnosis.finding(code).unwrap();
    Ward::assert_is(finding("restored-fences"), Severity::Warning, "behind seq 3, epochs seen up to 1");
    Ward::assert_is(finding("restored-running"), Severity::Warning, "1 jobs ran");
    Ward::assert_is(finding("restored-waiting"), Severity::Warning, "2 jobs waited");
    Ward::assert_is(finding("restored-age"), Severity::Warning, "ago");
    assert!(finding("restored-fences").advice.contains("clear the number"));
}

#[tokio::test]
async fn a_second_handle_proves_the_way_of_other_processes() {
    let place = tempfile::tempdir().unwrap();
    let open = || async {
        Arc::new(SqliteStorage::open(SqliteOptions::new(place.path().join("jobs.db"))).await.unwrap())
    };
    let diagnosis = Doctor::new(open().await).producer(open().await).examine().await;
    Ward::assert_is(diagnosis.finding("hints-arrive").unwrap(), Severity::Fine, "a hint took");
}
