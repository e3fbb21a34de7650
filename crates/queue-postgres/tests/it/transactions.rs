//! Jobs and completions in the caller's transaction: seen if and only if it commits (I18).
//! `QUEUE_TEST_FAULT_ROUNDS=20` makes ten thousand transactions.

use crate::common::{
    Place, assert_sound, claim, claim_one, complete, enqueue, job, queue, request, settle, text,
};
use crate::storm::rounds;
use futures_util::{FutureExt, StreamExt};
use queue_core::{
    Changed, Detail, ErrorKind, Hint, Interest, JobId, ListQuery, QueueName, Rng, SeededRng, Span, State,
    Storage, StorageExt, SystemRng,
    lifecycle::{Event, OnProcessing, Policy},
};
use queue_postgres::{PostgresOptions, PostgresStorage};
use sqlx::{AssertSqlSafe, PgPool, Row};
use std::{collections::BTreeSet, sync::Arc};
use tokio::task::{AbortHandle, JoinSet};

const TRANSACTIONS_PER_ROUND: usize = 500;
const JOBS_EACH: usize = 10;
const TASKS: usize = 8;

/// Every id in the queue.
async fn present(store: &PostgresStorage) -> BTreeSet<String> {
    let (mut ids, mut query) = (BTreeSet::new(), ListQuery::all(queue(), 10_000));
    loop {
        let page = store.list(query.clone()).await.expect("the server answers");
        ids.extend(page.jobs.iter().map(|job| job.id.to_string()));
        if page.next.is_none() {
            return ids;
        }
        query.after = page.next;
    }
}

/// The number of transactions of each task: even, since every other one commits.
fn transactions_each() -> usize {
    (usize::try_from(rounds()).expect("64 bits") * TRANSACTIONS_PER_ROUND / TASKS).next_multiple_of(2)
}

/// Enqueues in transactions, every other one of which rolls back; returns the ids of the others.
async fn produce(store: Arc<PostgresStorage>, pool: PgPool, task: usize) -> Vec<String> {
    let mut committed = Vec::new();
    for n in 0..transactions_each() {
        let ids: Vec<String> = (0..JOBS_EACH).map(|each| format!("{task}-{n}-{each}")).collect();
        let jobs: Vec<_> = ids.iter().map(|id| job(id)).collect();
        let mut transaction = pool.begin().await.expect("the server answers");
        let answers =
            store.enqueue_in(&mut transaction, &queue(), &jobs).await.expect("the server answers").value;
        assert!(answers.iter().all(queue_core::Enqueued::is_new));
        if n % 2 == 0 {
            transaction.commit().await.expect("the server answers");
            committed.extend(ids);
        } else {
            transaction.rollback().await.expect("the server answers");
        }
    }
    committed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_jobs_exactly_those_whose_transaction_committed_are_there() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (Arc::new(place.open().await), place.pool(8).await);
    let tasks: JoinSet<_> = (0..TASKS).map(|task| produce(store.clone(), pool.clone(), task)).collect();
    let committed: BTreeSet<String> = tasks.join_all().await.into_iter().flatten().collect();
    assert_eq!(committed.len(), TASKS * transactions_each() / 2 * JOBS_EACH);
    assert_eq!(present(&store).await, committed);
    place.finish(&store).await;
}

#[tokio::test]
async fn a_job_is_neither_read_nor_claimed_nor_hinted_at_before_the_commit() {
    let Some(place) = Place::new().await else { return };
    let (store, other) = (place.open().await, place.open().await);
    let pool = place.pool(1).await;
    let mut hints = [
        store.subscribe(&queue(), Interest::Wake).await.unwrap(),
        other.subscribe(&queue(), Interest::Wake).await.unwrap(),
    ];
    let mut transaction = pool.begin().await.unwrap();
    store.enqueue_in(&mut transaction, &queue(), &[job("a")]).await.unwrap();
    assert!(store.get_one(&queue(), &JobId::from_static("a"), Detail::Meta).await.unwrap().is_none());
    assert!(claim(&store, 10).await.jobs.is_empty());
    assert!(hints.iter_mut().all(|stream| stream.next().now_or_never().is_none()));
    transaction.commit().await.unwrap();
    for stream in &mut hints {
        assert_eq!(stream.next().await, Some(Hint::Wake));
    }
    assert_eq!(claim(&other, 10).await.jobs.len(), 1);
    place.finish(&store).await;
}

#[tokio::test]
async fn a_queue_that_first_appears_in_a_transaction_that_rolls_back_works_afterwards() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    let fresh = QueueName::from_static("fresh");
    let mut transaction = pool.begin().await.unwrap();
    store.enqueue_in(&mut transaction, &fresh, &[job("a").with_priority(7)]).await.unwrap();
    store.enqueue_in(&mut transaction, &fresh, &[job("b").with_priority(7)]).await.unwrap();
    transaction.rollback().await.unwrap();
    store.enqueue(&fresh, vec![vec![job("a").with_priority(7)]]).await.unwrap();
    let request = queue_core::ClaimRequest { queue: fresh, ..request(10, Span::from_secs(30)) };
    assert_eq!(store.claim(request).await.unwrap().jobs.len(), 1);
    place.finish(&store).await;
}

/// Idle connections may be dead without a sign; the caller's own is not.
#[tokio::test]
async fn a_healthy_transaction_does_not_fail_for_the_stores_idle_connections() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    enqueue(&store, vec![job("elsewhere")]).await;
    place.end_sessions().await;
    let mut transaction = pool.begin().await.unwrap();
    let unknown = QueueName::from_static("unknown");
    store.enqueue_in(&mut transaction, &unknown, &[job("a")]).await.unwrap();
    transaction.commit().await.unwrap();
    place.finish(&store).await;
}

#[tokio::test]
async fn a_transaction_that_holds_the_last_connection_of_a_shared_pool_can_enqueue() {
    let Some(place) = Place::new().await else { return };
    let pool = place.pool(1).await;
    let options = PostgresOptions::with_pool(pool.clone()).schema(&place.schema.name).unwrap();
    let store = PostgresStorage::open(options).await.unwrap();
    let mut transaction = pool.begin().await.unwrap();
    store.enqueue_in(&mut transaction, &queue(), &[job("a")]).await.unwrap();
    transaction.commit().await.unwrap();
    let held = claim_one(&store).await;
    let mut transaction = pool.begin().await.unwrap();
    let done =
        store.complete_in(&mut transaction, &held.record.meta, held.token, text("done")).await.unwrap();
    assert!(matches!(done, Changed::Done(_)));
    transaction.commit().await.unwrap();
    assert_sound(&store).await;
    store.close().await.unwrap();
    assert!(!pool.is_closed(), "the pool is the application's");
    place.remove().await;
}

#[tokio::test]
async fn a_completion_stands_if_and_only_if_its_transaction_commits() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    enqueue(&store, vec![job("a")]).await;
    let held = claim_one(&store).await;
    let state = async || {
        let found = store.get_one(&queue(), &JobId::from_static("a"), Detail::Full).await.unwrap().unwrap();
        (found.meta.state, found.result().cloned())
    };
    for (commits, expected) in [(false, State::Processing), (true, State::Completed)] {
        let mut transaction = pool.begin().await.unwrap();
        let done =
            store.complete_in(&mut transaction, &held.record.meta, held.token, text("x")).await.unwrap();
        assert!(matches!(done, Changed::Done(meta) if meta.state == State::Completed));
        if commits {
            transaction.commit().await.unwrap();
        } else {
            transaction.rollback().await.unwrap();
        }
        assert_eq!(state().await.0, expected);
    }
    assert_eq!(state().await.1, Some(text("x")));
    // The worker settles once more when the handler returns.
    let again = settle(&store, &held.record.meta, complete(held.token)).await;
    assert!(matches!(again, Changed::Done(_)));
    assert_eq!(state().await.1, Some(text("x")), "and writes nothing");
    place.finish(&store).await;
}

#[tokio::test]
async fn a_lost_lease_is_told_within_the_transaction() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    enqueue(&store, vec![job("a")]).await;
    let late = claim_one(&store).await;
    settle(&store, &late.record.meta, Event::release(late.token)).await;
    let now = claim_one(&store).await;
    let mut transaction = pool.begin().await.unwrap();
    let lost =
        store.complete_in(&mut transaction, &late.record.meta, late.token, text("late")).await.unwrap();
    assert!(matches!(lost, Changed::LeaseLost(_)), "{lost:?}");
    transaction.rollback().await.unwrap();
    let done = settle(&store, &now.record.meta, complete(now.token)).await;
    assert!(matches!(done, Changed::Done(_)));
    place.finish(&store).await;
}

#[tokio::test]
async fn a_completion_is_decided_again_when_a_mark_came_in_between() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    enqueue(&store, vec![job("a")]).await;
    let held = claim_one(&store).await;
    let cancel = Event::Cancel { processing: OnProcessing::Request };
    store.change(&queue(), &JobId::from_static("a"), cancel, &Policy::default()).await.unwrap();
    let mut transaction = pool.begin().await.unwrap();
    let follow =
        Event::Complete { token: held.token, result: text("x"), retention: None, then: vec![job("next")] };
    let done =
        store.settle_in(&mut transaction, &held.record.meta, follow, &Policy::default()).await.unwrap();
    assert!(matches!(done, Changed::Done(meta) if meta.state == State::Completed && meta.cancel_requested));
    transaction.commit().await.unwrap();
    assert_eq!(claim_one(&store).await.record.meta.id.as_str(), "next");
    place.finish(&store).await;
}

#[tokio::test]
async fn a_failed_statement_of_the_caller_is_told_as_a_conflict() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    enqueue(&store, vec![job("known")]).await;
    let mut transaction = pool.begin().await.unwrap();
    sqlx::query("SELECT 1 / 0").execute(&mut *transaction).await.unwrap_err();
    let error = store.enqueue_in(&mut transaction, &queue(), &[job("a")]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    transaction.rollback().await.unwrap();
    place.finish(&store).await;
}

const EFFECT_JOBS: usize = 200;
const WORKERS: usize = 4;
/// Long enough for a handler, and short enough that a killed worker's jobs come back soon.
const SHORT_LEASE: Span = Span::from_millis(150);

/// Workers that are killed and replaced.
#[derive(Default)]
struct Workers(JoinSet<()>, Vec<AbortHandle>);

impl Workers {
    fn fill<F: Future<Output = ()> + Send + 'static>(&mut self, worker: impl Fn() -> F) {
        while self.1.len() < WORKERS {
            self.1.push(self.0.spawn(worker()));
        }
    }

    async fn kill_one(&mut self, choice: u64) {
        self.1.swap_remove(usize::try_from(choice).expect("64 bits") % WORKERS).abort();
        let killed = self.0.join_next().await.expect("there are workers");
        assert!(killed.expect_err("workers do not end").is_cancelled(), "no worker failed");
    }
}

/// Claims, writes the effect and completes in one transaction, until it is killed.
async fn work(store: Arc<PostgresStorage>, pool: PgPool, insert: String) {
    loop {
        let request = request(3, SHORT_LEASE);
        let claimed =
            store.claim_or_rescue(request, &Policy::default(), &SystemRng).await.expect("the server answers");
        for held in claimed.jobs {
            let mut transaction = pool.begin().await.expect("the server answers");
            let insert =
                sqlx::query(AssertSqlSafe(insert.clone())).bind(held.record.meta.id.as_str().to_owned());
            insert.execute(&mut *transaction).await.expect("the server answers");
            let done = store
                .complete_in(&mut transaction, &held.record.meta, held.token, text("done"))
                .await
                .expect("the server answers");
            match done {
                Changed::Done(_) => transaction.commit().await.expect("the server answers"),
                _ => transaction.rollback().await.expect("the server answers"),
            }
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn effects_equal_completions_while_workers_are_killed() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (Arc::new(place.open().await), place.pool(6).await);
    place.execute("CREATE TABLE {schema}.effect (id text NOT NULL)").await;
    let insert = format!("INSERT INTO {}.effect (id) VALUES ($1)", place.schema.quoted());
    let unlimited = queue_core::Budget::Unlimited;
    let jobs = (0..EFFECT_JOBS).map(|n| job(&n.to_string()).with_max_stalls(unlimited)).collect();
    enqueue(&*store, jobs).await;
    let rng = SeededRng::new(7);
    let completed = async || store.counts(&queue()).await.unwrap().of(State::Completed);
    let mut workers = Workers::default();
    let (mut done, mut next_kill) = (0, 1);
    while done < EFFECT_JOBS as u64 {
        workers.fill(|| work(store.clone(), pool.clone(), insert.clone()));
        done = completed().await;
        // Each kill waits for some progress, and hits a worker at any point.
        if done >= next_kill {
            next_kill = done + 1 + rng.next_u64() % 6;
            workers.kill_one(rng.next_u64()).await;
        }
    }
    workers.0.shutdown().await;
    let count = format!("SELECT count(*), count(DISTINCT id) FROM {}.effect", place.schema.quoted());
    let jobs = i64::try_from(EFFECT_JOBS).unwrap();
    let row = sqlx::query(AssertSqlSafe(count)).fetch_one(&pool).await.unwrap();
    assert_eq!((row.get::<i64, _>(0), row.get::<i64, _>(1)), (jobs, jobs));
    pool.close().await; // ends the transactions of killed workers, whose locks would hold up the drop
    place.finish(&store).await;
}
