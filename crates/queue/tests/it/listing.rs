//! Operations on many jobs: show, count and change by what the jobs have in common.

use crate::support::{Fault, Faulty, memory, on, take, texts};
use async_trait::async_trait;
use futures_util::TryStreamExt;
use queue::{
    ErrorKind, Failure, InvalidListing, InvalidOption, JobOptions, Jobs, ManualClock, MemoryStorage, Nack,
    OnProcessing, Queue, Result, State, Storage,
    queue_core::{Applied, Stamped, StorageLayer, lifecycle::Transition},
    view::InvalidFilter,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

async fn put<R: queue::Decode>(queue: &Queue<String, R>, id: &str, options: JobOptions) {
    assert!(queue.enqueue_with(id, String::new(), options).await.expect("it is stored").is_new());
}

async fn fail(queue: &Queue<String, String>) {
    let broken = Nack::new(Failure::new("Io", "broken")).terminal();
    let _ = take(queue).await.nack(broken).await.expect("it is settled");
}

async fn ids(jobs: Jobs) -> Vec<String> {
    let found: Vec<_> = jobs.all().try_collect().await.expect("it lists");
    found.into_iter().map(|status| status.meta.id.to_string()).collect()
}

#[tokio::test(start_paused = true)]
async fn headers_and_tags_come_with_a_job_and_those_of_the_handle_too() {
    let handle = JobOptions::new().header("tenant", "7").header("schema", "v1").tag("shop");
    let queue: Queue<String> = Queue::builder(memory(), "q").options(handle).build().expect("valid");
    put(&queue, "a", JobOptions::new().header("schema", "v2").tag("import").tag("shop")).await;
    let job = take(&queue).await;
    let tags: Vec<_> = job.meta().tags.iter().map(ToString::to_string).collect();
    assert_eq!(tags, ["import", "shop"]);
    let headers: Vec<_> = job.headers().iter().collect();
    assert_eq!(headers, [("schema", "v2"), ("tenant", "7")], "the job's own take the place of the handle's");
}

#[test]
fn headers_and_tags_that_cannot_be_are_refused_before_anything_is_sent() {
    let many = |options: JobOptions, n: usize| (0..n).fold(options, |options, n| options.tag(n.to_string()));
    for options in [
        JobOptions::new().header("", "x"),
        JobOptions::new().header("a\n", "x"),
        JobOptions::new().header("a", "\u{1b}"),
        JobOptions::new().header("a", "x".repeat(4096)),
    ] {
        assert!(matches!(options.validate(), Err(InvalidOption::Headers(_))), "{options:?}");
    }
    for options in
        [JobOptions::new().tag(""), JobOptions::new().tag("x".repeat(65)), many(JobOptions::new(), 9)]
    {
        assert!(matches!(options.validate(), Err(InvalidOption::Tags(_))), "{options:?}");
    }
    assert_eq!(many(JobOptions::new(), 8).header("a", "x".repeat(4095)).validate(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn jobs_are_found_by_what_they_have_in_common() {
    let queue = texts();
    for (id, tag) in [("a-1", "x"), ("a-2", "y"), ("b-1", "x"), ("b-2", "x")] {
        put(&queue, id, JobOptions::new().tag(tag)).await;
    }
    fail(&queue).await;
    tokio::time::advance(std::time::Duration::from_millis(5)).await;
    fail(&queue).await;
    assert_eq!(ids(queue.jobs().tag("x")).await, ["a-1", "b-1", "b-2"]);
    assert_eq!(ids(queue.jobs().tag("x").newest_first().limit(2)).await, ["b-2", "b-1"]);
    assert_eq!(ids(queue.jobs().tag("x").failed()).await, ["a-1"]);
    assert_eq!(ids(queue.jobs().failed().newest_first()).await, ["a-2", "a-1"]);
    assert_eq!(ids(queue.jobs().failed().queued().id_prefix("a")).await, ["a-1", "a-2"]);
    assert_eq!(ids(queue.jobs().due()).await, ["b-1", "b-2"]);
    assert_eq!(ids(queue.jobs().scheduled()).await, Vec::<String>::new());
    let failed = queue.jobs().failed().page().await.expect("it lists");
    let second = failed.jobs[1].finished_at.expect("it is over");
    assert_eq!(ids(queue.jobs().failed().since(second)).await, ["a-2"]);
    assert_eq!(ids(queue.jobs().failed().until(second)).await, ["a-1"]);
    let count = queue.jobs().tag("x").queued().count().await.expect("it counts");
    assert_eq!((count.jobs, count.looked_at), (2, 3));
}

#[tokio::test(start_paused = true)]
async fn what_contradicts_itself_is_refused_by_every_call() {
    let queue = texts();
    let wrong = queue.jobs().due().newest_first();
    assert_eq!(wrong.validate(), Err(InvalidListing::Filter(InvalidFilter::OwnOrder)));
    assert_eq!(wrong.page().await.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(wrong.count().await.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(wrong.delete_all().await.unwrap_err().kind(), ErrorKind::Invalid);
    let listed: Result<Vec<_>, _> = wrong.all().try_collect().await;
    assert_eq!(listed.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(queue.jobs().limit(0).validate(), Err(InvalidListing::NoLimit));
    let page = queue.jobs().limit(1).page().await.expect("it lists");
    assert_eq!(page.next, None);
    put(&queue, "a", JobOptions::new()).await;
    put(&queue, "b", JobOptions::new()).await;
    let first = queue.jobs().limit(1).page().await.expect("it lists");
    let of_another = queue.jobs().failed().after(first.next).page().await;
    assert_eq!(of_another.unwrap_err().kind(), ErrorKind::Invalid);
}

#[tokio::test(start_paused = true)]
async fn a_change_of_many_counts_what_it_did_and_leaves_others_alone() {
    let queue = texts();
    for n in 0..1_200 {
        put(&queue, &format!("{n:04}"), JobOptions::new().tag(if n % 2 == 0 { "even" } else { "odd" })).await;
    }
    let _runs = take(&queue).await;
    let cancelled = queue.jobs().tag("even").cancel_all().await.expect("it lists");
    assert_eq!((cancelled.done, cancelled.skipped, cancelled.failed), (599, 1, 0), "one runs");
    let counts = queue.counts().await.expect("it counts");
    assert_eq!((counts.of(State::Cancelled), counts.of(State::Queued)), (599, 600));
    let requested = queue.jobs().tag("even").cancel_all_with(OnProcessing::Request).await.expect("it lists");
    assert_eq!((requested.done, requested.met()), (1, 600));
    let redriven = queue.jobs().cancelled().limit(9).redrive_all().await.expect("it lists");
    assert_eq!((redriven.done, redriven.met()), (9, 9));
    let deleted = queue.jobs().cancelled().delete_all().await.expect("it lists");
    assert_eq!((deleted.done, deleted.met()), (590, 590));
    assert_eq!(queue.counts().await.expect("it counts").total(), 610);
}

/// A store in which, between a page and the change that follows it, another caller redrives and
/// cancels one of the page's jobs, and cancels a new one.
#[derive(Debug)]
struct Meddled {
    store: Arc<dyn Storage>,
    clock: Arc<ManualClock>,
    left: AtomicU32,
}

#[async_trait]
impl StorageLayer for Meddled {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        if self.left.swap(0, Ordering::SeqCst) > 0 {
            self.clock.advance(Duration::from_secs(1));
            let beside = on(self.store.clone());
            let _ = beside.redrive("0007").await?;
            put(&beside, "later", JobOptions::new()).await;
            for id in ["0007", "later"] {
                let _ = beside.cancel(id).await?;
            }
        }
        self.store.apply(batch).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_many_leaves_out_what_came_into_its_state_since_it_began() {
    let clock = Arc::new(ManualClock::default());
    let store: Arc<dyn Storage> = Arc::new(MemoryStorage::with_clock(clock.clone()));
    let queue = on(store.clone());
    // More jobs than a page has.
    for n in 0..1_200 {
        put(&queue, &format!("{n:04}"), JobOptions::new()).await;
    }
    assert_eq!(queue.jobs().cancel_all().await.expect("it lists").done, 1_200);
    let meddled = on(Arc::new(Meddled { store, clock, left: AtomicU32::new(1) }));
    let redriven = meddled.jobs().cancelled().redrive_all().await.expect("it lists");
    assert_eq!((redriven.done, redriven.skipped, redriven.failed), (1_199, 1, 0));
    let mut left = ids(queue.jobs().cancelled()).await;
    left.sort();
    assert_eq!(left, ["0007", "later"]);
}

#[tokio::test(start_paused = true)]
async fn a_change_of_many_says_what_went_wrong() {
    let store = memory();
    let queue = on(store.clone());
    put(&queue, "a", JobOptions::new()).await;
    let away = on(Faulty::wrap(store, Fault::ListFails(AtomicU32::new(1))));
    assert_eq!(away.jobs().delete_all().await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(away.jobs().delete_all().await.expect("it is back").done, 1);
}

#[tokio::test(start_paused = true)]
async fn attempts_tell_what_was_charged_oldest_first() {
    let queue = texts();
    put(&queue, "a", JobOptions::new()).await;
    for message in ["first", "second"] {
        let nack = Nack::new(Failure::new("Io", message)).retry_in(Duration::ZERO);
        let _ = take(&queue).await.nack(nack).await.expect("it is settled");
    }
    let found = queue.attempts("a").await.expect("it keeps them").expect("it is there");
    let said: Vec<_> = found.attempts.iter().map(|attempt| attempt.error_message.as_str()).collect();
    assert_eq!((said, found.meta.failures), (vec!["first", "second"], 2));
    assert!(queue.attempts("b").await.expect("it keeps them").is_none());
}
