//! Jobs that replace waiting ones, while other callers do the same or claim them: each begins a
//! life or gets the answer which job runs, and no calls wait in a circle.

use crate::common::{self, enqueue, job, queue};
use crate::database::Database;
use queue_core::{
    Applied, Detail, Enqueued, JobMeta, JobRecord, NewJob, OnWaiting, Seq, Span, State, Storage, StorageExt,
    lifecycle::{Event, OnProcessing, Policy, decide},
};
use queue_postgres::PostgresStorage;
use sqlx::Connection;
use std::{collections::HashSet, sync::Arc};
use tokio::task::JoinSet;

const HANDLES: usize = 8;
const EACH: usize = 8;

fn replacing(id: &str) -> NewJob {
    job(id).with_on_waiting(OnWaiting::Replace { max_wait: None })
}

/// Enqueues from another task.
fn replace(store: &Arc<PostgresStorage>, ids: &'static [&'static str]) -> JoinSet<Vec<Enqueued>> {
    let store = store.clone();
    let jobs = ids.iter().map(|id| replacing(id)).collect();
    JoinSet::from_iter([async move { enqueue(&*store, jobs).await }])
}

async fn find(store: &PostgresStorage, id: &str) -> JobRecord {
    let id = job(id).id;
    store.get_one(&queue(), &id, Detail::Full).await.expect("it reads").expect("it is there")
}

/// Asserts that the store is sound, and that no deadlock had to be broken.
async fn end(database: Database, stores: Vec<Arc<PostgresStorage>>) {
    for store in stores {
        common::assert_sound(&*store).await;
        store.close().await.expect("it closes");
    }
    database.assert_none().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn those_that_replace_one_waiting_job_at_once_take_turns_and_none_tries_in_vain() {
    let Some(mut database) = Database::new().await else { return };
    let first = database.open().await;
    enqueue(&*first, vec![job("a"), job("b")]).await;
    let born = find(&first, "a").await.meta.created_at;
    let held = database.hold("SELECT FROM queue.ready FOR UPDATE").await;
    let mut tasks = JoinSet::new();
    for handle in 0..HANDLES {
        let store = database.open().await;
        tasks.spawn(async move {
            let mut seqs = Vec::new();
            for round in 0..EACH {
                // Half of the calls use one order, half the other.
                let ids = if (handle + round) % 2 == 0 { ["a", "b"] } else { ["b", "a"] };
                let answers = enqueue(&*store, ids.map(replacing).to_vec()).await;
                assert!(answers.iter().all(Enqueued::is_new), "nothing runs: {answers:?}");
                seqs.extend(answers.iter().filter_map(Enqueued::seq));
            }
            store.close().await.expect("it closes");
            seqs
        });
    }
    database.until_waiting(i64::try_from(HANDLES).expect("a few")).await;
    held.close().await.expect("it closes");
    let seqs: HashSet<Seq> = tasks.join_all().await.concat().into_iter().collect();
    assert_eq!(seqs.len(), 2 * HANDLES * EACH, "each has a life of its own");
    // A statement that was sent for nothing would have consumed numbers of lives.
    assert_eq!(seqs.into_iter().max(), Some(Seq::new(2 + 2 * (HANDLES * EACH) as u64)));
    for id in ["a", "b"] {
        let last = find(&first, id).await.meta;
        assert_eq!((last.state, last.created_at), (State::Queued, born), "as old as the first of them");
    }
    assert_eq!(first.counts(&queue()).await.expect("it counts").of(State::Queued), 2);
    end(database, vec![first]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_job_that_is_being_claimed_is_waited_for_and_keeps_its_id() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    enqueue(&*store, vec![job("a"), job("b")]).await;
    let seq = find(&store, "a").await.meta.seq.get();
    // The statement of a claim, held before its commit.
    let claim = format!(
        "DELETE FROM queue.ready WHERE seq = {seq};
         INSERT INTO queue.lease (seq, deadline, claimed_at, expires_at, run_at, revision, epoch, failures, stalls, queue, flags, token, worker)
         SELECT {seq}, 9e15, 0, 9e15, 0, 2, 1, 0, 0, queue, 0, '\\x00000000000000000000000000000000', 'w'
         FROM queue.body WHERE seq = {seq}"
    );
    let mut claim = database.hold(&claim).await;
    let replacing = replace(&store, &["a", "b", "c"]);
    database.until_waiting(1).await;
    sqlx::raw_sql("COMMIT").execute(&mut claim).await.expect("it commits");
    let answers = replacing.join_all().await.concat();
    assert!(
        matches!(answers[0], Enqueued::Duplicate { state: State::Processing, seq: held } if held.get() == seq),
        "{answers:?}"
    );
    assert!(answers[1].is_new() && answers[2].is_new(), "{answers:?}");
    assert_eq!(find(&store, "a").await.meta.state, State::Processing);
    claim.close().await.expect("it closes");
    end(database, vec![store]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn claims_pass_over_a_job_that_is_being_replaced() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    enqueue(&*store, vec![job("a"), job("b")]).await;
    let mut caller = database.hold("SELECT").await;
    let answers =
        store.enqueue_in(&mut caller, &queue(), &[replacing("a")]).await.expect("it enqueues").value;
    assert!(answers[0].is_new());
    let claimed = common::claim(&*store, 10).await.jobs;
    assert_eq!(claimed.iter().map(|job| job.record.meta.id.as_str()).collect::<Vec<_>>(), ["b"]);
    sqlx::raw_sql("ROLLBACK").execute(&mut caller).await.expect("it rolls back");
    let claimed = common::claim(&*store, 10).await.jobs;
    assert_eq!(claimed.len(), 1, "the old life waits as before");
    assert_eq!(claimed[0].record.meta.seq.get(), 1);
    caller.close().await.expect("it closes");
    database.until_waiting(0).await;
    end(database, vec![store]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_replacement_in_a_callers_transaction_is_waited_for_by_others_of_that_job_alone() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    let ids: Vec<String> = (0..200).map(|n| n.to_string()).collect();
    enqueue(&*store, ids.iter().map(|id| job(id)).collect()).await;
    let mut caller = database.hold("SELECT").await;
    store.enqueue_in(&mut caller, &queue(), &[replacing("7")]).await.expect("it enqueues");
    // The other ids cover all locks by which turns are taken.
    let others = ids.iter().filter(|id| *id != "7").map(|id| replacing(id)).collect();
    tokio::select! {
        answers = enqueue(&*store, others) => assert!(answers.iter().all(Enqueued::is_new)),
        () = database.until_waiting(1) => panic!("it waits"),
    }
    let same = replace(&store, &["7"]);
    database.until_waiting(1).await;
    sqlx::raw_sql("COMMIT").execute(&mut caller).await.expect("it commits");
    assert!(same.join_all().await.concat()[0].is_new(), "behind the caller's");
    caller.close().await.expect("it closes");
    end(database, vec![store]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_job_that_changed_while_it_was_to_be_replaced_is_replaced_as_it_is() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    enqueue(&*store, vec![job("a").with_delay(Span::from_secs(60))]).await;
    let born = find(&store, "a").await.meta;
    let mut marker = database.hold("UPDATE queue.ready SET revision = revision + 1, flags = flags | 2").await;
    let again = replace(&store, &["a"]);
    database.until_waiting(1).await;
    sqlx::raw_sql("COMMIT").execute(&mut marker).await.expect("it commits");
    assert!(again.join_all().await.concat()[0].is_new());
    let new: JobMeta = find(&store, "a").await.meta;
    assert_eq!((new.created_at, new.revision, new.awaited), (born.created_at, 1, false));
    assert!(new.seq > born.seq && new.run_at < born.run_at);
    marker.close().await.expect("it closes");
    end(database, vec![store]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn settles_whose_followers_replace_each_others_jobs_wait_in_no_circle() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    enqueue(&*store, vec![job("a"), job("b")]).await;
    // Each task cancels one of the two, and replaces the other.
    let cancel = async |store: Arc<PostgresStorage>, id: &'static str, other: &'static str| {
        let seen = find(&store, id).await.meta;
        let event = Event::Cancel { processing: OnProcessing::Leave };
        let mut cancel = decide(&seen, event, &Policy::default()).expect("it waits");
        cancel.then.push(replacing(other));
        store.apply(vec![cancel]).await.expect("no circle").value
    };
    let held = database.hold("SELECT FROM queue.ready FOR UPDATE").await;
    let mut tasks = JoinSet::new();
    for (id, other) in [("a", "b"), ("b", "a")] {
        let store = database.open().await;
        tasks.spawn(cancel(store, id, other));
    }
    database.until_waiting(2).await;
    held.close().await.expect("it closes");
    let answers = tasks.join_all().await.concat();
    assert!(answers.iter().any(Applied::is_done), "{answers:?}");
    end(database, vec![store]).await;
}
