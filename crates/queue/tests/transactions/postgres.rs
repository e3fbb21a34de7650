//! The test on PostgreSQL, where connections are ended as well.

use crate::killed::{CHILD, TURN, check, run_and_kill, say_ended, wanted};
use queue::{
    Queue, Settled, open as open_url,
    sqlx::{self, AssertSqlSafe, Connection, PgConnection, PgPool, Row, postgres::PgPoolOptions},
    worker::{Context, JobError, Router},
};
use std::time::Duration;

const TEST: &str = "postgres::data_and_jobs_agree_whenever_the_process_is_killed_or_its_connections_end";
const URL: &str = "QUEUE_TEST_POSTGRES_URL";
/// Longer than a handler takes, and short enough that a killed process's jobs come back soon.
const LEASE: Duration = Duration::from_millis(500);

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The schema of this run, which the store and the application share.
fn schema_of(place: &str) -> &str {
    place.rsplit_once("schema=").expect("the parent says it").1
}

fn server_of(place: &str) -> &str {
    place.rsplit_once("?schema=").expect("the parent says it").0
}

async fn open(place: &str) -> Queue<u64> {
    // `open` makes the handle that transactions take.
    let storage = open_url(place).await.expect("it opens");
    let options = queue::JobOptions::new().unlimited_stalls().unlimited_attempts();
    Queue::builder(storage, "charges").options(options).lease(LEASE).build().expect("valid")
}

async fn pool(place: &str) -> PgPool {
    let connect = format!("{}?application_name={}", server_of(place), schema_of(place));
    PgPoolOptions::new().max_connections(6).connect(&connect).await.expect("it connects")
}

async fn execute(connection: &mut PgConnection, statement: String) {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await.expect("it is done");
}

#[test]
fn data_and_jobs_agree_whenever_the_process_is_killed_or_its_connections_end() {
    if let Ok(place) = std::env::var(CHILD) {
        return child(&place);
    }
    let skipped = std::env::var("QUEUE_TEST_SKIP").unwrap_or_default();
    let Ok(url) = std::env::var(URL) else {
        assert!(
            skipped.split(',').any(|name| name.trim() == "postgres"),
            "{URL} does not say where a server is"
        );
        return;
    };
    let schema = format!("transactions_{}", std::process::id());
    let place = format!("{url}?schema={schema}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it starts");
    let mut server = runtime.block_on(async {
        let mut server = PgConnection::connect(&url).await.expect("it connects");
        let tables = format!(
            "CREATE SCHEMA {schema}; CREATE TABLE {schema}.made (id text NOT NULL); CREATE TABLE {schema}.charged (id text NOT NULL)"
        );
        execute(&mut server, tables).await;
        server
    });
    // This ends the application's connections in the middle of their work.
    let end =
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{schema}'");
    let (mut ended, mut turn) = (0, 0);
    while ended < wanted() {
        ended += run_and_kill(TEST, &place, turn, |number| {
            if number % 41 == 40 {
                runtime.block_on(execute(&mut server, end.clone()));
            }
        });
        turn += 1;
        runtime.block_on(after_a_kill(&mut server, &place));
    }
    runtime.block_on(execute(&mut server, format!("DROP SCHEMA {schema} CASCADE")));
    println!("{ended} transactions ended, {turn} kills");
}

async fn after_a_kill(server: &mut PgConnection, place: &str) {
    let schema = schema_of(place);
    // The killed process's transactions are over once its sessions have ended.
    let sessions = format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{schema}'");
    while sqlx::query_scalar::<_, i64>(AssertSqlSafe(sessions.clone()))
        .fetch_one(&mut *server)
        .await
        .expect("it answers")
        > 0
    {}
    let mut ids = async |table: &str| -> Vec<String> {
        let select = AssertSqlSafe(format!("SELECT id FROM {schema}.{table}"));
        let rows = sqlx::query(select).fetch_all(&mut *server).await.expect("it answers");
        rows.iter().map(|row| row.get(0)).collect()
    };
    let (made, charged) = (ids("made").await, ids("charged").await);
    let queue = open(place).await;
    check(&queue, made, charged).await;
    queue.storage().close().await.expect("it closes");
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn child(place: &str) {
    let (charges, pool) = (open(place).await, pool(place).await);
    let (queue, of_worker, schema) = (charges.clone(), pool.clone(), schema_of(place).to_owned());
    let charge = move |_: u64, job: Context| {
        let (queue, pool, schema) = (queue.clone(), of_worker.clone(), schema.clone());
        async move {
            // The first transaction rolls back, the second commits.
            for commits in [false, true] {
                charge(&queue, &pool, &schema, &job, commits)
                    .await
                    .map_err(|error| JobError::from(error).retry_in(Duration::ZERO))?;
            }
            Ok(())
        }
    };
    let router = Router::new(()).handle("default", charge).expect("valid");
    let worker = charges.worker(router).concurrency(4).build().expect("valid");
    tokio::join!(worker.run(), produce(&charges, &pool, schema_of(place)));
}

async fn charge(
    queue: &Queue<u64>,
    pool: &PgPool,
    schema: &str,
    job: &Context,
    commits: bool,
) -> Result<(), Failure> {
    let mut transaction = pool.begin().await?;
    let insert = sqlx::query(AssertSqlSafe(format!("INSERT INTO {schema}.charged (id) VALUES ($1)")));
    insert.bind(job.meta().id.as_str().to_owned()).execute(&mut *transaction).await?;
    match queue.complete_in(&mut transaction, job, &()).await? {
        Settled::Done if commits => transaction.commit().await?,
        _ => transaction.rollback().await?,
    }
    say_ended();
    Ok(())
}

async fn produce(queue: &Queue<u64>, pool: &PgPool, schema: &str) {
    let turn = std::env::var(TURN).expect("the parent says it");
    for n in 0.. {
        // A call that fails because its connection was ended has committed both row and job, or
        // neither.
        drop(make(queue, pool, schema, format!("{turn}-{n}"), n).await);
    }
}

async fn make(queue: &Queue<u64>, pool: &PgPool, schema: &str, id: String, n: u64) -> Result<(), Failure> {
    let mut transaction = pool.begin().await?;
    let insert = sqlx::query(AssertSqlSafe(format!("INSERT INTO {schema}.made (id) VALUES ($1)")));
    insert.bind(id.clone()).execute(&mut *transaction).await?;
    let accepted = queue.enqueue_in(&mut transaction, id.as_str(), n).await?;
    assert!(accepted.is_new());
    if n.is_multiple_of(2) {
        transaction.commit().await?;
    } else {
        transaction.rollback().await?;
    }
    say_ended();
    Ok(())
}
