//! Every part of a record survives its way through the journal.

mod common;

use common::{Place, assert_sound, claim, complete, enqueue, job, queue, settle, text};
use queue_core::{
    Budget, Changed, Detail, Enqueued, Failure, JobId, OnFailed, Payload, Prune, PruneRequest, Retention,
    RetentionPolicy, Span, State, Storage, StorageExt,
    lifecycle::{Cause, Event, OnRunning, Policy},
};
use queue_fs::FsStorage;

#[tokio::test]
async fn a_new_job_reads_as_it_was_written() {
    let place = Place::new();
    let store = place.open().await;
    let retention = RetentionPolicy { completed: Retention::Forever, failed: Retention::Remove };
    let new = job("a")
        .with_priority(-7)
        .with_delay(Span::from_secs(60))
        .with_max_attempts(Budget::from_raw(9))
        .with_max_stalls(Budget::Unlimited)
        .with_retention(retention)
        .awaited();
    enqueue(&store, vec![new.clone()]).await;
    let record = store.get_one(&queue(), &new.id, Detail::Full).await.unwrap().unwrap();
    let meta = &record.meta;
    assert_eq!((meta.priority, meta.state, meta.awaited), (-7, State::Queued, true));
    assert_eq!(meta.run_at, meta.created_at + Span::from_secs(60));
    assert_eq!((meta.max_attempts.as_raw(), meta.max_stalls.as_raw()), (9, 0));
    assert_eq!(meta.retention, retention);
    assert_eq!(record.body.unwrap().payload, new.payload);
    let counts = store.counts(&queue()).await.unwrap();
    assert_eq!((counts.of(State::Queued), counts.scheduled, counts.oldest_due), (1, 1, None));
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_failure_is_kept_with_its_details_until_the_next_one_has_none() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    let details = Failure::new("Io", "broken").with_details("why".into());
    for (seed, failure, kept) in [(1, details, Some("why")), (2, Failure::new("Io", "again"), None)] {
        let claimed = claim(&store, 1, seed).await.jobs.remove(0);
        let delay = Some(Span::ZERO);
        let fail =
            Event::Fail { token: claimed.token, failure, cause: Cause::Retryable, delay, retention: None };
        settle(&store, &claimed.record.meta, fail).await;
        let id = JobId::from_static("a");
        let record = store.get_one(&queue(), &id, Detail::Full).await.unwrap().unwrap();
        assert_eq!(record.meta.state, State::Failing);
        assert_eq!(record.meta.last_error.unwrap().name(), "Io");
        assert_eq!(record.body.unwrap().error_details.as_deref(), kept.map(str::as_bytes));
        assert_sound(&store).await;
    }
}

#[tokio::test]
async fn a_result_is_answered_to_whoever_enqueues_the_id_again() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    let claimed = claim(&store, 1, 1).await.jobs.remove(0);
    settle(&store, &claimed.record.meta, complete(claimed.token)).await;
    let again = enqueue(&store, vec![job("a"), job("b"), job("b")]).await;
    assert!(matches!(&again[0], Enqueued::Completed { result, .. } if *result == text("result")));
    assert!(again[1].is_new());
    assert!(matches!(again[2], Enqueued::Duplicate { state: State::Queued, .. }));
    assert_sound(&store).await;
}

#[tokio::test]
async fn replacing_a_failed_job_leaves_nothing_of_the_old_life() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    let claimed = claim(&store, 1, 1).await.jobs.remove(0);
    let failure = Failure::new("Bad", "no").with_details("details".into());
    let (token, cause) = (claimed.token, Cause::Terminal);
    let fail = Event::Fail { token, failure, cause, delay: None, retention: None };
    settle(&store, &claimed.record.meta, fail).await;
    let seq = claimed.record.meta.seq;
    let blocked = enqueue(&store, vec![job("a")]).await;
    assert_eq!(blocked[0], Enqueued::Duplicate { seq, state: State::Failed });
    let replaced = enqueue(&store, vec![job("a").with_on_failed(OnFailed::Replace)]).await;
    assert!(replaced[0].is_new() && replaced[0].seq() > seq);
    assert_sound(&store).await;
}

#[tokio::test]
async fn progress_and_cancellation_reach_the_holder_and_its_next_heartbeat() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    let claimed = claim(&store, 1, 1).await.jobs.remove(0);
    let (token, by) = (claimed.token, Span::from_secs(60));
    let cancel = Event::Cancel { running: OnRunning::Request };
    let policy = Policy::default();
    store.change(&queue(), &JobId::from_static("a"), cancel, &policy).await.unwrap();
    let beat = Event::Extend { token, by, progress: Some("half".into()) };
    let Changed::Done(meta) = settle(&store, &claimed.record.meta, beat).await else { panic!("extended") };
    assert!(meta.cancel_requested);
    assert_eq!(meta.progress.as_deref(), Some(&b"half"[..]));
    settle(&store, &claimed.record.meta, Event::Release { token }).await;
    let counts = store.counts(&queue()).await.unwrap();
    assert_eq!((counts.of(State::Cancelled), counts.total()), (1, 1));
    assert_sound(&store).await;
}

#[tokio::test]
async fn pruning_more_than_one_transaction_holds_removes_every_part() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, (0..2_500).map(|n| job(&n.to_string())).collect()).await;
    let claimed = claim(&store, 10, 1).await;
    for each in &claimed.jobs {
        settle(&store, &each.record.meta, complete(each.token)).await;
    }
    let prune = |what, limit| PruneRequest { queue: queue(), what, limit };
    assert_eq!(store.prune(prune(Prune::Expired, 5_000)).await.unwrap(), 0);
    assert_eq!(store.prune(prune(Prune::FinishedBefore(Span::ZERO), 4)).await.unwrap(), 4);
    assert_eq!(store.prune(prune(Prune::Everything, 2_400)).await.unwrap(), 2_400);
    assert_sound(&store).await;
    assert_eq!(store.prune(prune(Prune::Everything, usize::MAX)).await.unwrap(), 96);
    assert_eq!(store.counts(&queue()).await.unwrap().total(), 0);
    assert_sound(&store).await;
}

#[tokio::test]
async fn payloads_beyond_the_memory_budget_are_read_from_the_disk() {
    const BUDGET_BYTES: u64 = 50_000;
    let place = Place::new();
    let open = || FsStorage::open(place.options().memory_budget_bytes(BUDGET_BYTES));
    let large = |n: usize| {
        let payload = Payload::new(format!("{n} ").repeat(2_000), text("").content_type);
        let mut job = job(&n.to_string());
        job.payload = payload;
        job
    };
    let store = open().await.unwrap();
    enqueue(&store, (0..50).map(large).collect()).await;
    let usage = store.usage().await.unwrap();
    assert!(usage.resident_bytes <= BUDGET_BYTES && usage.resident_bytes > 0, "{usage:?}");
    assert_eq!(usage.jobs, 50);
    drop(store);
    let store = open().await.unwrap();
    assert!(store.usage().await.unwrap().resident_bytes <= BUDGET_BYTES);
    for (n, held) in claim(&store, 50, 1).await.jobs.into_iter().enumerate() {
        assert_eq!(held.record.body.unwrap().payload, large(n).payload);
        let event =
            Event::Complete { token: held.token, result: large(n).payload, retention: None, then: vec![] };
        settle(&store, &held.record.meta, event).await;
    }
    let usage = store.usage().await.unwrap();
    assert!(usage.resident_bytes <= BUDGET_BYTES, "{usage:?}");
    for n in 0..50 {
        let again = enqueue(&store, vec![large(n)]).await;
        assert!(
            matches!(&again[0], Enqueued::Completed { result, .. } if *result == large(n).payload),
            "{n}"
        );
    }
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_call_that_is_too_large_for_one_record_is_refused_whole() {
    let place = Place::new();
    let store = place.open().await;
    let payload = Payload::new(vec![0; 1 << 20], text("").content_type);
    let jobs: Vec<_> = (0..257)
        .map(|n| {
            let mut job = job(&n.to_string());
            job.payload = payload.clone();
            job
        })
        .collect();
    let error = store.enqueue(&queue(), vec![jobs]).await.unwrap_err();
    assert_eq!(error.kind(), queue_core::ErrorKind::Invalid, "{error}");
    assert_eq!(store.counts(&queue()).await.unwrap().total(), 0);
}
