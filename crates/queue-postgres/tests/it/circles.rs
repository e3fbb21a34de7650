//! Statements that meet step by step, each held where it would have to wait: they never wait in a
//! circle.

use crate::common::{self, enqueue, job, queue};
use crate::database::Database;
use queue_core::{
    Applied, Changed, ClaimedJob, Enqueued, NewJob, OnFailed, OnWaiting, Span, State, Storage, WorkerId,
    WorkerInfo,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue_postgres::PostgresStorage;
use sqlx::Connection;
use std::{sync::Arc, time::Duration};
use tokio::task::JoinSet;

/// Ends a job, so that the next enqueue of its id replaces it.
async fn end(store: &PostgresStorage, id: &str) {
    enqueue(store, vec![job(id)]).await;
    let held = common::claim_one(store).await;
    common::settle(store, &held.record.meta, common::fail(held.token)).await;
}

/// The insert of a body that may still be rolled back.
fn body(id: &str) -> String {
    format!(
        "INSERT INTO queue.body
         SELECT nextval('queue.life'), created_at, expires_in, queue, priority, '{id}', kind, terms, headers, tags, content_type, payload
         FROM queue.body LIMIT 1"
    )
}

/// Enqueues a group from another task.
fn send(store: &Arc<PostgresStorage>, jobs: Vec<NewJob>) -> JoinSet<Vec<Enqueued>> {
    let store = store.clone();
    JoinSet::from_iter([async move { enqueue(&*store, jobs).await }])
}

/// Enqueues from another task; each job replaces one that failed.
fn replace(store: &Arc<PostgresStorage>, ids: &'static [&'static str]) -> JoinSet<Vec<Enqueued>> {
    send(store, ids.iter().map(|id| job(id).with_on_failed(OnFailed::Replace)).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_enqueue_that_began_before_a_job_did_waits_in_no_circle_with_one_that_makes_it_anew() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    end(&store, "4").await;
    let first = database.hold("SELECT FROM queue.finished FOR UPDATE").await;
    // Each call has its own handle, since calls on one handle wait for each other before they are
    // sent.
    let early = replace(&database.open().await, &["2", "3", "4"]);
    database.until_waiting(1).await;

    end(&store, "3").await;
    let second = database.hold(&body("1")).await;
    let late = replace(&database.open().await, &["1", "2", "3"]);
    database.until_waiting(2).await;

    first.close().await.expect("it closes");
    database.until_chained().await;
    second.close().await.expect("it closes");
    let answers = [early.join_all().await, late.join_all().await].concat().concat();
    assert_eq!(answers.iter().filter(|answer| answer.is_new()).count(), 4, "each id once: {answers:?}");
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
    store.close().await.expect("it closes");
    database.assert_none().await;
}

/// A group that needs two rounds enters "a" in the second one, behind "b".
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_group_of_several_rounds_waits_in_no_circle_with_another_enqueue() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    enqueue(&*store, vec![job("0")]).await;
    let holder = database.hold(&body("c")).await;
    let anew = job("c").with_on_waiting(OnWaiting::Replace { max_wait: None });
    let rounds = send(&database.open().await, vec![job("b"), job("c"), anew, job("a")]);
    database.until_waiting(1).await;
    let other = send(&database.open().await, vec![job("a"), job("b")]);
    database.until_waiting(2).await;
    holder.close().await.expect("it closes");
    let answers = rounds.join_all().await.concat();
    assert!(answers.iter().all(Enqueued::is_new), "{answers:?}");
    let answers = other.join_all().await.concat();
    assert!(!answers.iter().any(Enqueued::is_new), "{answers:?}");
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
    store.close().await.expect("it closes");
    database.assert_none().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ids_are_entered_in_one_order_however_the_database_sorts() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    enqueue(&*store, vec![job("taken")]).await;
    let held = database.hold(&body("M")).await;
    let new = replace(&store, &["B", "M", "a"]);
    database.until_waiting(1).await;
    let some_taken = replace(&database.open().await, &["B", "a", "taken"]);
    database.until_waiting(2).await;

    held.close().await.expect("it closes");
    let answers = [new.join_all().await, some_taken.join_all().await].concat().concat();
    assert_eq!(answers.iter().filter(|answer| answer.is_new()).count(), 3, "each id once: {answers:?}");
    store.close().await.expect("it closes");
    database.assert_none().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_announcement_does_not_wait_for_one_that_ran_out_and_comes_back() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    let announce = async |id| {
        let worker = WorkerInfo { queues: vec![queue()], ..WorkerInfo::new(WorkerId::from_static(id)) };
        store.announce(worker, Duration::from_mins(1)).await.expect("the server answers");
    };
    announce("old").await;
    let held = database
        .hold("UPDATE queue.worker SET expires_at = 0; COMMIT; BEGIN; SELECT FROM queue.worker FOR UPDATE")
        .await;
    tokio::select! {
        () = announce("new") => {}
        () = database.until_waiting(1) => panic!("it waits"),
    }
    assert_eq!(store.workers().await.expect("the server answers").len(), 1, "the one that announced itself");
    held.close().await.expect("it closes");
    store.close().await.expect("it closes");
    database.assert_none().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_record_that_is_kept_for_longer_meanwhile_makes_no_room() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    enqueue(&*store, vec![job("a")]).await;
    let held = common::claim_one(&store).await;
    common::settle(&*store, &held.record.meta, common::complete(held.token)).await;
    let purged = "UPDATE queue.finished SET purge_at = 0";
    let kept = "UPDATE queue.finished SET purge_at = NULL, revision = revision + 1";
    let mut keeper = database.hold(&format!("{purged}; COMMIT; BEGIN; {kept}")).await;
    let again = replace(&store, &["a"]);
    database.until_waiting(1).await;

    sqlx::raw_sql("COMMIT").execute(&mut keeper).await.expect("it commits");
    let answers = again.join_all().await.concat();
    assert!(matches!(answers[0], Enqueued::Completed { .. }), "{answers:?}");
    keeper.close().await.expect("it closes");
    store.close().await.expect("it closes");
    database.assert_none().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_transaction_whose_enqueue_came_second_holds_nothing_of_the_job() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    enqueue(&*store, vec![job("first of its queue")]).await;
    let (mut first, mut second) = (database.hold("SELECT").await, database.hold("SELECT").await);
    store.enqueue_in(&mut first, &queue(), &[job("a")]).await.expect("the server answers");
    let waits = JoinSet::from_iter([{
        let store = store.clone();
        async move { (store.enqueue_in(&mut second, &queue(), &[job("a")]).await, second) }
    }]);
    database.until_waiting(1).await;
    sqlx::raw_sql("COMMIT").execute(&mut first).await.expect("it commits");

    let (answers, second) = waits.join_all().await.remove(0);
    assert!(matches!(answers.expect("the server answers").value[0], Enqueued::Duplicate { .. }));
    let other = database.hold("SELECT FROM queue.body FOR UPDATE NOWAIT").await;
    for connection in [first, second, other] {
        connection.close().await.expect("it closes");
    }
    store.close().await.expect("it closes");
    database.assert_none().await;
}

/// The decisions about held jobs, by their holder or a rescuer.
fn decided(jobs: &[ClaimedJob], event: impl Fn(&ClaimedJob) -> Event) -> Vec<Transition> {
    let decided = jobs.iter().map(|job| decide(&job.record.meta, event(job), &Policy::default()));
    decided.collect::<Result<_, _>>().expect("they are held")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn heartbeats_and_rescues_of_others_do_not_wait_for_a_transaction_that_completes_a_job() {
    let Some(mut database) = Database::new().await else { return };
    let store = database.open().await;
    enqueue(&*store, vec![job("lapsed a"), job("lapsed b")]).await;
    let lapsed = common::claim(&*store, 2).await.jobs;
    let lapse = "UPDATE queue.lease SET expires_at = 0, deadline = 0; COMMIT; BEGIN";
    let mut transaction = database.hold(lapse).await;
    enqueue(&*store, vec![job("a"), job("b")]).await;
    let held = common::claim(&*store, 2).await.jobs;
    for job in [&lapsed[0], &held[0]] {
        let completing =
            store.complete_in(&mut transaction, &job.record.meta, job.token, common::text("done")).await;
        assert!(matches!(completing.expect("the server answers"), Changed::Done(_)));
    }

    let extend =
        |job: &ClaimedJob| Event::Extend { token: job.token, by: Span::from_secs(60), progress: None };
    let meanwhile = async {
        let beats = store.apply(decided(&held, extend)).await.expect("the server answers").value;
        assert!(matches!(beats[..], [Applied::Stale(_), Applied::Done(_)]), "{beats:?}");
        let rescues =
            store.apply(decided(&lapsed, |_| Event::Lapse)).await.expect("the server answers").value;
        assert!(matches!(rescues[..], [Applied::Stale(_), Applied::Done(_)]), "{rescues:?}");
    };
    tokio::select! {
        () = meanwhile => {}
        () = database.until_waiting(1) => panic!("somebody waits"),
    }
    sqlx::raw_sql("COMMIT").execute(&mut transaction).await.expect("it commits");
    let counts = store.counts(&queue()).await.expect("the server answers");
    assert_eq!(counts.of(State::Completed), 2, "both that the transaction completed");
    transaction.close().await.expect("it closes");
    store.close().await.expect("it closes");
    database.assert_none().await;
}
