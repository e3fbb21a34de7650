//! Handlers whose write commits together with the completion of their job, and producers whose
//! write commits together with the enqueue, in processes that are killed: at the end each write has
//! exactly one counterpart.

use super::{
    KILLS, PROCESSES,
    part::{self, Part},
};
use crate::common;
use crate::{
    common::{Place, queue},
    storm::rounds,
};
use queue_core::{
    Budget, Changed, ContentType, JobId, Kind, NewJob, Payload, Rng, SeededRng, State, Storage, SystemRng,
};
use queue_postgres::PostgresStorage;
use queue_testkit::history::Herd;
use queue_worker::{Context, JobError, Router, Worker};
use sqlx::{AssertSqlSafe, PgPool, postgres::PgPoolOptions};
use std::{sync::Arc, time::Duration};
use tokio::time::{sleep, timeout};

const THIS: &str =
    "kills::effects::writes_and_jobs_that_commit_together_stay_together_though_processes_are_killed";
/// The time that a producer leaves to the workers between two jobs.
const PAUSE: Duration = Duration::from_millis(5);
/// Short, so that a dead worker's jobs come back soon.
const LEASE: Duration = Duration::from_millis(500);
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_mins(2);
/// The rows of effects between two kills; at most as many are added at random.
const EFFECTS: u64 = 20;

const TABLES: &str = "
    CREATE TABLE {schema}.announced (id text NOT NULL);
    CREATE TABLE {schema}.effect (id text NOT NULL, seq bigint NOT NULL, epoch bigint NOT NULL);";

/// The rows without a counterpart: announcements and enqueues, effects and completions, run by run.
const UNMATCHED: &str = "
    SELECT
      (SELECT count(*) FROM {schema}.announced AS a FULL JOIN {schema}.job AS j ON j.id = a.id
       WHERE a.id IS NULL OR j.id IS NULL),
      (SELECT count(*) FROM {schema}.effect AS e
       FULL JOIN (SELECT id, seq, epoch FROM {schema}.job WHERE state = $1) AS c
         ON (c.id, c.seq, c.epoch) = (e.id, e.seq, e.epoch)
       WHERE e.id IS NULL OR c.id IS NULL),
      (SELECT count(*) FROM {schema}.announced),
      (SELECT count(*) FROM {schema}.effect)";

/// The handles of a process.
#[derive(Clone)]
struct Shop {
    store: Arc<PostgresStorage>,
    pool: PgPool,
    schema: String,
}

/// An insert into a table of the shop.
fn insert(schema: &str, into: &str) -> String {
    format!("INSERT INTO \"{schema}\".{into}")
}

impl Shop {
    /// Writes a job and its row, or neither.
    async fn produce(&self, number: usize) {
        let announce = format!("{} VALUES ($1)", insert(&self.schema, "announced (id)"));
        for n in 0.. {
            let id = format!("{number}-{n}");
            let mut transaction = self.pool.begin().await.expect("the server answers");
            let announced = sqlx::query(AssertSqlSafe(announce.clone())).bind(id.clone());
            announced.execute(&mut *transaction).await.expect("the server answers");
            let payload = Payload::new("null", ContentType::from_static("application/json"));
            let job = NewJob::new(JobId::new(id).expect("a valid id"), Kind::from_static("work"), payload)
                .with_max_attempts(Budget::Unlimited)
                .with_max_stalls(Budget::Unlimited);
            self.store.enqueue_in(&mut transaction, &queue(), &[job]).await.expect("the server answers");
            let ended = if SystemRng.next_u64().is_multiple_of(2) {
                transaction.commit().await
            } else {
                transaction.rollback().await
            };
            ended.expect("the server answers");
            sleep(PAUSE).await;
        }
    }

    /// The work of a handler: its effect, and the completion of its job.
    async fn handle(&self, job: &Context<Self>) -> Result<(), JobError> {
        let effect = format!("{} VALUES ($1, $2, $3)", insert(&self.schema, "effect (id, seq, epoch)"));
        let mut transaction = self.pool.begin().await.map_err(JobError::retryable)?;
        let meta = job.meta();
        let number = |n: u64| i64::try_from(n).expect("they are small");
        let row = sqlx::query(AssertSqlSafe(effect)).bind(meta.id.as_str().to_owned());
        let row = row.bind(number(meta.seq.get())).bind(number(meta.epoch));
        row.execute(&mut *transaction).await.map_err(JobError::retryable)?;
        let done = Payload::new("null", ContentType::from_static("application/json"));
        let completed = self.store.complete_in(&mut transaction, meta, job.lease_token(), done).await;
        let is_done = matches!(completed.map_err(JobError::retryable)?, Changed::Done(_));
        // Some handlers roll back at the last moment, and run again.
        if is_done && !SystemRng.next_u64().is_multiple_of(8) {
            transaction.commit().await.map_err(JobError::retryable)
        } else {
            transaction.rollback().await.map_err(JobError::retryable)?;
            Err(JobError::release())
        }
    }

    fn worker(&self) -> Worker {
        let router = Router::new(self.clone());
        let router = router.handle("work", async |(): (), job: Context<Self>| job.state().handle(&job).await);
        Worker::builder(self.store.clone(), queue(), router.expect("the only one"))
            .concurrency(4)
            .prefetch(4)
            .lease(LEASE)
            .rescue_interval(LEASE / 5)
            .build()
            .expect("valid settings")
    }
}

async fn shop(part: &Part) -> Shop {
    let url = common::server::url().expect("whoever started this has a server");
    let pool = PgPoolOptions::new().max_connections(5).connect(&url).await.expect("the server answers");
    Shop { store: part::open(&part.schema).await, pool, schema: part.schema.clone() }
}

/// Produces and works for ever.
async fn run(part: &Part) {
    let shop = shop(part).await;
    tokio::join!(shop.produce(part.number), shop.worker().run());
}

async fn effects(place: &Place, pool: &PgPool) -> u64 {
    let count = format!("SELECT count(*) FROM {}.effect", place.schema.quoted());
    let (count,): (i64,) = sqlx::query_as(AssertSqlSafe(count)).fetch_one(pool).await.expect("it counts");
    u64::try_from(count).expect("a number of rows")
}

/// Waits until the workers have made some progress, of random length.
async fn wait_for_more(place: &Place, pool: &PgPool, rng: &SeededRng) {
    let wanted = effects(place, pool).await + EFFECTS + rng.next_u64() % EFFECTS;
    let more = async {
        while effects(place, pool).await < wanted {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, more).await.expect("the processes work");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_and_jobs_that_commit_together_stay_together_though_processes_are_killed() {
    if let Some(part) = Part::of_this_process() {
        return run(&part).await;
    }
    for seed in 0..rounds() {
        let Some(place) = Place::new().await else { return };
        let (schema, rng) = (place.schema.name.clone(), SeededRng::new(seed));
        let part = move |number| Part { schema: schema.clone(), number };
        let end = shop(&part(usize::MAX)).await;
        place.execute(TABLES).await;
        let mut herd = Herd::start(PROCESSES, move |number| part(number).command(THIS));
        for _ in 0..KILLS {
            wait_for_more(&place, &end.pool, &rng).await;
            herd.kill_one(&rng);
        }
        herd.kill_all();
        // The remaining worker works off what all of them left.
        let worker = end.worker();
        let done = async {
            while end.store.counts(&queue()).await.expect("it counts").unfinished() > 0 {
                sleep(Duration::from_millis(10)).await;
            }
            worker.stop_token().cancel();
        };
        timeout(PATIENCE, async { tokio::join!(worker.run(), done) }).await.expect("all is worked off");
        assert_matched(&place, &end, seed).await;
        place.remove().await;
    }
}

async fn assert_matched(place: &Place, shop: &Shop, seed: u64) {
    let query = UNMATCHED.replace("{schema}", &place.schema.quoted());
    let query = sqlx::query_as(AssertSqlSafe(query)).bind(i16::from(State::Completed.as_code()));
    let counted: (i64, i64, i64, i64) = query.fetch_one(&shop.pool).await.expect("it counts");
    let (jobs, completions, announced, effects) = counted;
    println!(
        "seed {seed}: {KILLS} kills, {announced} announced, {effects} effects, unmatched {jobs} and {completions}"
    );
    assert_eq!((jobs, completions), (0, 0));
    assert!(effects > 0 && announced == effects, "every job that was announced took effect once");
}
