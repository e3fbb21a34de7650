//! The server of the tests, and schemas on it.
#![allow(dead_code, reason = "each test file uses a part")]

use queue_postgres::PostgresOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::{
    collections::hash_map::RandomState,
    env,
    hash::{BuildHasher, Hasher},
};

/// The variable with the server's URL; `cargo xtask services run postgres -- cargo test` sets it.
pub(crate) const URL: &str = "QUEUE_TEST_POSTGRES_URL";
/// The variable with the names of servers to skip.
const SKIP: &str = "QUEUE_TEST_SKIP";

/// The error of any step on the server.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The URL of the server, or `None` if the environment skips it. A missing variable is a failure,
/// since tests that silently lack their server look green.
pub(crate) fn url() -> Option<String> {
    url_of("postgres", URL)
}

/// The URL of another server, by its name and its variable.
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

/// A schema that no other test uses.
#[derive(Debug)]
pub(crate) struct TestSchema {
    pub(crate) url: String,
    pub(crate) name: String,
}

/// A name for a schema that does not exist yet: opening a store creates it.
pub(crate) fn new_schema() -> Result<TestSchema, Failure> {
    Ok(new_schema_at(&url().ok_or("there is no server")?))
}

/// The same on another server.
pub(crate) fn new_schema_at(url: &str) -> TestSchema {
    // Random, so that none was left behind by an earlier process, and no session is needed to look.
    let random = RandomState::new().build_hasher().finish();
    TestSchema { url: url.to_owned(), name: format!("queue test {random:016x}") }
}

impl TestSchema {
    pub(crate) fn options(&self) -> Result<PostgresOptions, Failure> {
        Ok(PostgresOptions::new(&self.url)?.schema(&self.name)?)
    }

    /// The name as a statement quotes it.
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
