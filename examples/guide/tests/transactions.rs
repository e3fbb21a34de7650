//! What the page on transactions promises, with a worker and a real Postgres.

use queue::{
    CodecContext, Encode, JobOptions, Json, PostgresOptions, PostgresStorage, Queue, Role, State,
    queue_core::Changed,
    worker::{Context, JobError, Router},
};
use sqlx::{AssertSqlSafe, PgPool, Row, postgres::PgPoolOptions};
use std::{env, error::Error, sync::Arc};

const URL: &str = "QUEUE_TEST_POSTGRES_URL";
const SKIP: &str = "QUEUE_TEST_SKIP";
const SCHEMA: &str = "queue test guide";

struct App {
    pool: PgPool,
    store: Arc<PostgresStorage>,
}

/// What a handler does once its transaction is committed.
#[derive(Clone, Copy)]
enum Afterwards {
    Returns,
    Fails,
}

/// The server, or none if the environment says to do without; one that is merely missing is a
/// failure.
fn url() -> Option<String> {
    if env::var(SKIP).unwrap_or_default().split(',').any(|name| name.trim() == "postgres") {
        eprintln!("skipped: {SKIP} names postgres");
        return None;
    }
    Some(env::var(URL).unwrap_or_else(|_| {
        panic!("{URL} is not set: run `cargo xtask services run postgres -- cargo test`")
    }))
}

async fn execute(pool: &PgPool, text: &str) -> Result<(), sqlx::Error> {
    let text = text.replace("{schema}", &format!("\"{SCHEMA}\""));
    sqlx::raw_sql(AssertSqlSafe(text)).execute(pool).await.map(drop)
}

async fn cents(pool: &PgPool) -> Result<i64, sqlx::Error> {
    let text = format!("SELECT cents FROM \"{SCHEMA}\".account");
    sqlx::query(AssertSqlSafe(text)).fetch_one(pool).await?.try_get(0)
}

/// Takes the money and completes the job, in one transaction.
async fn charge(cents: i64, context: Context<App>, afterwards: Afterwards) -> Result<(), JobError> {
    let App { pool, store } = context.state();
    let mut transaction = pool.begin().await?;
    let text = format!("UPDATE \"{SCHEMA}\".account SET cents = cents - $1");
    sqlx::query(AssertSqlSafe(text)).bind(cents).execute(&mut *transaction).await?;
    let result = ().encode(&Json, &CodecContext::of(context.meta(), Role::Result))?;
    match store.complete_in(&mut transaction, context.meta(), context.lease_token(), result).await? {
        Changed::Done(_) => transaction.commit().await?,
        _ => transaction.rollback().await?,
    }
    match afterwards {
        Afterwards::Returns => Ok(()),
        Afterwards::Fails => Err(JobError::named("Late", "it failed after its commit")),
    }
}

#[tokio::test]
async fn jobs_are_stored_and_completed_with_the_data_that_they_are_about() -> Result<(), Box<dyn Error>> {
    let Some(url) = url() else { return Ok(()) };
    let pool = PgPoolOptions::new().max_connections(4).connect(&url).await?;
    execute(&pool, "SET client_min_messages = error; DROP SCHEMA IF EXISTS {schema} CASCADE").await?;
    let options = PostgresOptions::with_pool(pool.clone()).schema(SCHEMA)?;
    let store = Arc::new(PostgresStorage::open(options).await?);
    execute(&pool, "CREATE TABLE {schema}.account (cents bigint); INSERT INTO {schema}.account VALUES (100)")
        .await?;
    let charges: Queue<i64> = Queue::new(store.clone(), "charges")?;

    for (id, commits) in [("kept", true), ("dropped", false)] {
        let job = charges.new_job(id, &7, &JobOptions::new())?;
        let mut transaction = pool.begin().await?;
        let _answers = store.enqueue_in(&mut transaction, charges.name(), &[job]).await?;
        if commits {
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        assert_eq!(charges.status(id).await?.is_some(), commits);
    }

    for (id, afterwards, left) in [("kept", Afterwards::Returns, 93), ("late", Afterwards::Fails, 86)] {
        let _stored = charges.enqueue(id, 7).await?;
        let app = App { pool: pool.clone(), store: store.clone() };
        let router =
            Router::new(app).handle("default", move |cents, context| charge(cents, context, afterwards))?;
        charges.worker(router).until_empty().build()?.run().await;
        assert_eq!(cents(&pool).await?, left, "charged once");
        assert_eq!(charges.status(id).await?.expect("kept").state(), State::Completed);
    }

    execute(&pool, "DROP SCHEMA {schema} CASCADE").await?;
    Ok(())
}
