//! What a copy reports.

use super::{assert_same, copy, count, fill, id, job, jobs, other, put, run};
use async_trait::async_trait;
use queue::{
    CopyPhase, ErrorKind, Policy, QueueName, Result, State, Storage, StorageExt, open,
    queue_core::{Counts, ImportRequest, Prune, PruneRequest, StorageLayer, lifecycle::Event},
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// A source in which a job arrives and another one changes before the records are compared.
#[derive(Debug)]
struct BusySource(Arc<dyn Storage>, AtomicUsize);

#[async_trait]
impl StorageLayer for BusySource {
    type Inner = dyn Storage;

    fn inner(&self) -> &(dyn Storage + 'static) {
        &*self.0
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        if self.1.fetch_add(1, Ordering::SeqCst) == 1 {
            put(&*self.0, queue, job("late")).await;
            self.0.change(queue, &id("labelled"), Event::Promote, &Policy::default()).await?;
        }
        self.0.counts(queue).await
    }
}

#[tokio::test]
async fn jobs_that_reach_the_source_during_the_copy_are_told_apart_from_changed_ones() {
    for renumbers in [false, true] {
        let (from, to) =
            (open("memory:").await.expect("it answers"), open("memory:").await.expect("it answers"));
        fill(&*from).await;
        let busy: Arc<dyn Storage> = Arc::new(BusySource(from.clone(), AtomicUsize::new(0)));
        let copying = copy(&busy, &to).queue(jobs());
        let copying = if renumbers { copying.renumbering() } else { copying };
        let first = run(&copying).await.expect("it answers").queues.remove(0);
        assert_eq!((first.late, first.differing), (1, 1), "{first:?}");
        assert_eq!(first.differing_ids, [id("labelled")]);
        let second = run(&copying).await.expect("it is not finished").queues.remove(0);
        assert_eq!((second.stored, second.late, second.differing), (1, 0, 1), "{second:?}");
    }
}

#[tokio::test]
async fn a_dry_run_tells_what_would_be_copied_and_writes_nothing() {
    let (from, to) = (open("memory:").await.expect("it answers"), open("memory:").await.expect("it answers"));
    fill(&*from).await;
    let report = run(&copy(&from, &to).dry_run()).await.expect("it answers");
    assert!(report.is_dry_run);
    assert_eq!((report.queues[0].stored, report.queues[1].stored), (10, 1));
    assert_eq!(report.queues[0].source.of(State::Queued), 6);
    assert_eq!(report.queues[0].target.total(), 0);
    assert_eq!(to.status_of(&jobs()).await.expect("it answers"), None);
    assert!(!from.status_of(&jobs()).await.expect("it answers").expect("it answers").pause.is_on());
    let copied = run(&copy(&from, &to)).await.expect("it answers");
    assert_eq!(copied.queues[0].source, report.queues[0].source, "as the dry run said");
    let again = run(&copy(&from, &to).dry_run()).await.expect("it answers");
    assert_eq!((again.queues[0].stored, again.queues[0].present), (0, 10));
    assert!(again.is_verified());
}

#[tokio::test]
async fn a_named_queue_is_copied_alone() {
    let (from, to) = (open("memory:").await.expect("it answers"), open("memory:").await.expect("it answers"));
    fill(&*from).await;
    let report = run(&copy(&from, &to).queue(other())).await.expect("it answers");
    assert_eq!(report.queues.len(), 1);
    assert_eq!((count(&*to, &other()).await, count(&*to, &jobs()).await), (1, 0));
    assert!(!from.status_of(&jobs()).await.expect("it answers").expect("it answers").pause.is_on());
}

#[tokio::test]
async fn copies_go_through_every_embedded_store_and_stay_the_same() {
    let directory = tempfile::tempdir().expect("it answers");
    let at = directory.path().display();
    let first = open("memory:").await.expect("it answers");
    fill(&*first).await;
    let mut from = first.clone();
    for url in [
        format!("sqlite:{at}/a.db"),
        format!("file:{at}/b"),
        "memory:".into(),
        format!("file:{at}/c"),
        format!("sqlite:{at}/d.db"),
    ] {
        let to = open(&url).await.expect("it answers");
        let report = run(&copy(&from, &to)).await.expect("it answers");
        assert!(report.is_verified(), "{url}: {report:?}");
        assert_same(&*first, &*to).await;
        from = to;
    }
}

#[tokio::test]
async fn progress_is_told_for_each_phase() {
    let (from, to) = (open("memory:").await.expect("it answers"), open("memory:").await.expect("it answers"));
    fill(&*from).await;
    let mut told = Vec::new();
    let copying = copy(&from, &to).queue(jobs());
    copying.run(&mut |step| told.push((step.phase, step.done, step.total))).await.expect("it answers");
    assert_eq!(told, [(CopyPhase::Copying, 10, 10), (CopyPhase::Verifying, 10, 10)]);
}

#[tokio::test]
async fn a_job_that_was_changed_in_the_target_is_told_as_different() {
    let (from, to) = (open("memory:").await.expect("it answers"), open("memory:").await.expect("it answers"));
    fill(&*from).await;
    let first = run(&copy(&from, &to)).await.expect("it answers");
    to.change(&jobs(), &id("labelled"), Event::Promote, &Policy::default()).await.expect("it answers");
    let second = run(&copy(&from, &to).again()).await.expect("it answers");
    assert_eq!(second.queues[0].differing_ids, [id("labelled")]);
    assert_eq!(second.queues[0].source, first.queues[0].source);
    assert_ne!(second.queues[0].source.digest(), second.queues[0].target.digest());
    assert!(!second.is_verified());
}

#[tokio::test]
async fn numbers_go_on_behind_those_of_jobs_that_left_no_record() {
    let (from, to) = (open("memory:").await.expect("it answers"), open("memory:").await.expect("it answers"));
    put(&*from, &jobs(), job("a")).await;
    for number in 0..50 {
        put(&*from, &jobs(), job(&format!("gone-{number}"))).await;
    }
    let last = from
        .list(queue::queue_core::ListQuery::all(jobs(), 100))
        .await
        .expect("it answers")
        .jobs
        .pop()
        .expect("it answers")
        .seq;
    for number in 0..50 {
        let gone = id(&format!("gone-{number}"));
        from.change(&jobs(), &gone, Event::Delete, &Policy::default()).await.expect("it answers");
    }
    run(&copy(&from, &to)).await.expect("it answers");
    let answers = to.enqueue(&jobs(), vec![vec![job("gone-49")]]).await.expect("it answers").value;
    assert!(answers[0][0].seq() > Some(last));
    let everything = PruneRequest { queue: jobs(), what: Prune::Everything, limit: 9 };
    assert_eq!(from.prune(everything).await.expect("it answers"), 1, "what asked for the number is gone");
    let low = ImportRequest { queue: jobs(), after: last, jobs: Vec::new() };
    assert!(to.import(low).await.is_ok());
}

#[tokio::test]
async fn a_job_that_is_too_large_for_the_target_is_told_by_the_dry_run() {
    let directory = tempfile::tempdir().expect("it answers");
    let from = open("memory:").await.expect("it answers");
    let options = queue::SqliteOptions::new(directory.path().join("jobs.db"));
    let limits = queue::Limits { payload_bytes_max: 8, ..queue::Limits::default() };
    let to =
        std::sync::Arc::new(queue::SqliteStorage::open(options.limits(limits)).await.expect("it answers"));
    put(&*from, &jobs(), job("large")).await;
    let refused = run(&queue::StoreCopy::new(from, to).dry_run()).await.expect_err("it does not fit");
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert!(refused.message().contains("\"large\""), "{refused}");
}
