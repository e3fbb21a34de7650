//! The server that the tests use, and schemas of their own on it.
#![allow(dead_code, reason = "each test file uses a part")]

use queue_postgres::PostgresOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::{
    env,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Where the server is; `cargo xtask services run postgres -- cargo test` sets it.
pub(crate) const URL: &str = "QUEUE_TEST_POSTGRES_URL";
/// Names of servers to do without.
const SKIP: &str = "QUEUE_TEST_SKIP";

/// Why something of the server failed, in whatever form.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The server, or none if the environment says to do without. One that is merely missing is a
/// failure, since tests that silently lack their server look green.
pub(crate) fn url() -> Option<String> {
    url_of("postgres", URL)
}

/// The same of another server, by its name and its variable.
pub(crate) fn url_of(server: &str, variable: &str) -> Option<String> {
    if env::var(SKIP).unwrap_or_default().split(',').any(|name| name.trim() == server) {
        eprintln!("skipped: {SKIP} names {server}");
        return None;
    }
    let url = env::var(variable).unwrap_or_default();
    assert!(
        !url.is_empty(),
        "{variable} is not set: run `cargo xtask services run {server} -- cargo test`, or set it"
    );
    Some(url)
}

/// A schema that nobody else uses.
#[derive(Debug)]
pub(crate) struct TestSchema {
    pub(crate) url: String,
    pub(crate) name: String,
}

/// A name for a schema, not made yet: opening a store makes it.
pub(crate) async fn new_schema() -> Result<TestSchema, Failure> {
    new_schema_at(&url().ok_or("there is no server")?).await
}

/// The same on another server.
pub(crate) async fn new_schema_at(url: &str) -> Result<TestSchema, Failure> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("queue test {}-{number}", std::process::id());
    let schema = TestSchema { url: url.to_owned(), name };
    // One of an earlier process of the same number may have been left behind.
    schema.remove().await?;
    Ok(schema)
}

impl TestSchema {
    pub(crate) fn options(&self) -> Result<PostgresOptions, Failure> {
        Ok(PostgresOptions::new(&self.url)?.schema(&self.name)?)
    }

    /// The name as it stands in a statement.
    pub(crate) fn quoted(&self) -> String {
        format!("\"{}\"", self.name)
    }

    /// A connection beside the store's.
    pub(crate) async fn connect(&self) -> Result<PgConnection, Failure> {
        Ok(PgConnection::connect(&self.url).await?)
    }

    /// Runs a statement in which `{schema}` is the quoted name.
    pub(crate) async fn execute(&self, text: &str) -> Result<u64, Failure> {
        let text = text.replace("{schema}", &self.quoted());
        let mut connection = self.connect().await?;
        let done = sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut connection).await?;
        connection.close().await?;
        Ok(done.rows_affected())
    }

    pub(crate) async fn remove(&self) -> Result<(), Failure> {
        self.execute("SET client_min_messages = error; DROP SCHEMA IF EXISTS {schema} CASCADE")
            .await
            .map(drop)
    }
}
