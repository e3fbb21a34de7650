//! Calls over the same jobs in opposite orders, all at once: the server never has to end one to let another go on. Each test
//! has a database of its own, which counts its deadlocks.

mod common;
mod load;
mod storm;

use common::{enqueue, job, queue, request, server, text};
use load::{LASTS, params, under};
use queue_core::{
    ClaimedJob, Enqueued, Failure, NewJob, OnFailed, Prune, PruneRequest, Rng, SeededRng, Span, Storage,
    StorageExt,
    lifecycle::{Cause, Event, OnRunning, Policy, Transition, decide},
};
use queue_postgres::{PostgresOptions, PostgresStorage};
use server::new_schema;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::sync::Arc;
use storm::{in_database, rounds};
use tokio::{
    task::{JoinHandle, JoinSet},
    time::sleep,
};

const JOBS: usize = 60;
const TASKS: u64 = 8;
/// Batches that each task sends of each kind.
const BATCHES: usize = 6;

/// A database that nobody else uses.
struct Database {
    name: String,
    url: String,
    admin: PgConnection,
}

impl Database {
    async fn new() -> Option<Self> {
        let server = server::url()?;
        let name = new_schema().await.expect("the server answers").name;
        let mut admin = PgConnection::connect(&server).await.expect("the server answers");
        let make = format!("DROP DATABASE IF EXISTS \"{name}\"; CREATE DATABASE \"{name}\"");
        for statement in make.split("; ") {
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut admin).await.expect("a superuser may");
        }
        let url = in_database(&server, &name.replace(' ', "%20"));
        Some(Self { name, url, admin })
    }

    fn options(&self) -> PostgresOptions {
        PostgresOptions::new(&self.url).expect("a URL")
    }

    /// How often the server had to break a deadlock so far. Sessions report with a delay, or when they end.
    async fn deadlocks(&mut self) -> i64 {
        self.count("SELECT deadlocks FROM pg_stat_database WHERE datname = $1").await
    }

    /// A transaction that holds what a statement locked.
    async fn hold(&self, statement: &str) -> PgConnection {
        let mut connection = PgConnection::connect(&self.url).await.expect("the server answers");
        let text = format!("BEGIN; {statement}");
        sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut connection).await.expect("nobody else holds it");
        connection
    }

    /// Returns once so many sessions wait for others.
    async fn until_waiting(&mut self, sessions: i64) {
        let waiting = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = $1 AND cardinality(pg_blocking_pids(pid)) > 0";
        while self.count(waiting).await != sessions {}
    }

    /// Returns once a session waits for one that waits.
    async fn until_chained(&mut self) {
        let chained = "SELECT count(*) FROM pg_stat_activity AS a WHERE a.datname = $1 AND EXISTS (
            SELECT FROM unnest(pg_blocking_pids(a.pid)) AS b (pid) WHERE cardinality(pg_blocking_pids(b.pid)) > 0)";
        while self.count(chained).await == 0 {}
    }

    async fn count(&mut self, statement: &'static str) -> i64 {
        let row = sqlx::query_as(statement).bind(&self.name).fetch_one(&mut self.admin).await;
        let (count,): (i64,) = row.expect("the server answers");
        count
    }

    /// Checks that there was none, and that one would have been counted.
    async fn assert_none(mut self) {
        assert_eq!(self.deadlocks().await, 0);
        self.provoke().await;
        while self.deadlocks().await == 0 {}
        assert_eq!(self.deadlocks().await, 1, "the one that was made on purpose");
        let drop = format!("DROP DATABASE \"{}\"", self.name);
        sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut self.admin).await.expect("nobody is connected");
    }

    async fn provoke(&self) {
        let mut one = PgConnection::connect(&self.url).await.expect("the server answers");
        let mut other = PgConnection::connect(&self.url).await.expect("the server answers");
        let run = async |connection: &mut PgConnection, statement: &'static str| {
            sqlx::raw_sql(statement).execute(connection).await
        };
        run(&mut one, "CREATE TABLE a (); CREATE TABLE b ()").await.expect("new tables");
        run(&mut one, "BEGIN; LOCK a").await.expect("it is free");
        run(&mut other, "BEGIN; LOCK b").await.expect("it is free");
        let outcomes = tokio::join!(run(&mut one, "LOCK b"), run(&mut other, "LOCK a"));
        assert!(outcomes.0.is_err() != outcomes.1.is_err(), "one of them has to go");
        one.close().await.expect("it closes");
        other.close().await.expect("it closes");
    }
}

/// In an order of this task's own.
fn shuffled<T: Clone>(of: &[T], rng: &SeededRng) -> Vec<T> {
    let mut keyed: Vec<(u64, T)> = of.iter().map(|item| (rng.next_u64(), item.clone())).collect();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, item)| item).collect()
}

/// A change of every kind in turn; those that come too late are refused one by one.
fn change(job: &ClaimedJob, rng: &SeededRng) -> Option<Transition> {
    let token = job.token;
    let event = match rng.next_u64() % 8 {
        0 | 1 => Event::Extend { token, by: Span::from_secs(60), progress: None },
        2 => Event::Await,
        3 => Event::Cancel { running: OnRunning::Request },
        4 => Event::Release { token },
        5 => Event::Fail {
            token,
            failure: Failure::new("Injected", "part of the test"),
            cause: Cause::Terminal,
            delay: None,
            retention: None,
        },
        _ => Event::Complete { token, result: text("result"), retention: None, then: Vec::new() },
    };
    decide(&job.record.meta, event, &Policy::default()).ok()
}

async fn collide(store: Arc<PostgresStorage>, held: Vec<ClaimedJob>, seed: u64) {
    const FINE: &str = "no call loses against another";
    let rng = SeededRng::new(seed);
    let ids: Vec<NewJob> = (0..JOBS).map(|n| job(&n.to_string()).with_on_failed(OnFailed::Replace)).collect();
    for _ in 0..BATCHES {
        let batch = |jobs: Vec<ClaimedJob>| jobs.iter().filter_map(|job| change(job, &rng)).collect();
        store.apply(batch(shuffled(&held, &rng))).await.expect(FINE);
        store.enqueue(&queue(), vec![shuffled(&ids, &rng)]).await.expect(FINE);
        let request = request(20, Span::from_millis(1));
        let some = shuffled(&held, &rng).split_off(JOBS / 2);
        store.apply(batch(some)).await.expect(FINE);
        store.claim(request).await.expect(FINE);
        store.rescue(&queue(), JOBS, &Policy::default()).await.expect(FINE);
        let finished = Prune::FinishedBefore(Span::ZERO);
        let prune = PruneRequest { queue: queue(), what: finished, limit: JOBS };
        store.prune(prune).await.expect(FINE);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn batches_that_overlap_in_any_order_never_deadlock() {
    let Some(database) = Database::new().await else { return };
    let store = Arc::new(PostgresStorage::open(database.options()).await.expect("it opens"));
    for round in 0..rounds() {
        enqueue(&*store, (0..JOBS).map(|n| job(&n.to_string())).collect()).await;
        let held = store.claim(request(JOBS, Span::from_secs(60))).await.expect("it claims").jobs;
        let tasks: JoinSet<_> =
            (0..TASKS).map(|task| collide(store.clone(), held.clone(), round * TASKS + task)).collect();
        tasks.join_all().await;
        let everything = PruneRequest { queue: queue(), what: Prune::Everything, limit: usize::MAX };
        store.prune(everything).await.expect("it prunes");
    }
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
    store.close().await.expect("it closes");
    database.assert_none().await;
}

/// A job that ended meanwhile, so that the next enqueue of its id makes room for itself.
async fn end(store: &PostgresStorage, id: &str) {
    enqueue(store, vec![job(id)]).await;
    let held = common::claim_one(store).await;
    let failure = Failure::new("Injected", "part of the test");
    let fail =
        Event::Fail { token: held.token, failure, cause: Cause::Terminal, delay: None, retention: None };
    common::settle(store, &held.record.meta, fail).await;
}

/// Enqueues from another task, each job anew if it has failed.
fn replace(store: &Arc<PostgresStorage>, ids: &'static [&'static str]) -> JoinHandle<Vec<Enqueued>> {
    let store = store.clone();
    let jobs = ids.iter().map(|id| job(id).with_on_failed(OnFailed::Replace)).collect();
    tokio::spawn(async move { enqueue(&*store, jobs).await })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_enqueue_that_began_before_a_job_did_waits_in_no_circle_with_one_that_makes_it_anew() {
    let Some(mut database) = Database::new().await else { return };
    let store = Arc::new(PostgresStorage::open(database.options()).await.expect("it opens"));
    end(&store, "4").await;
    let first = database.hold("SELECT FROM queue.finished FOR UPDATE").await;
    let early = replace(&store, &["2", "3", "4"]);
    database.until_waiting(1).await;

    end(&store, "3").await;
    let second = database
        .hold(
            "INSERT INTO queue.body
             SELECT 0, created_at, max_attempts, max_stalls, keep_completed, keep_failed, queue, priority, '1', kind,
               content_type, payload
             FROM queue.body LIMIT 1",
        )
        .await;
    let late = replace(&store, &["1", "2", "3"]);
    database.until_waiting(2).await;

    first.close().await.expect("it closes");
    database.until_chained().await;
    second.close().await.expect("it closes");
    let answers = [early.await.expect("no panic"), late.await.expect("no panic")].concat();
    assert_eq!(answers.iter().filter(|answer| answer.is_new()).count(), 4, "each id once: {answers:?}");
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
    store.close().await.expect("it closes");
    database.assert_none().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_load_of_everything_never_deadlocks() {
    let Some(database) = Database::new().await else { return };
    for seed in 0..rounds() {
        under(&database.options(), params(seed), async {
            sleep(LASTS).await;
            1
        })
        .await;
        let mut connection = PgConnection::connect(&database.url).await.expect("the server answers");
        let drop = sqlx::raw_sql("SET client_min_messages = error; DROP SCHEMA queue CASCADE");
        drop.execute(&mut connection).await.expect("it is there");
        connection.close().await.expect("it closes");
    }
    database.assert_none().await;
}
