//! A schema for each test.
#![allow(dead_code, unused_imports, reason = "each test file uses a part")]

#[path = "../server/mod.rs"]
pub(crate) mod server;

pub(crate) use queue_testkit::short::{
    assert_sound, claim, complete, enqueue, job, queue, request, settle, text,
};

use queue_core::{
    ClaimedJob, Failure, LeaseToken, Storage,
    lifecycle::{Cause, Event},
};
use queue_postgres::{PostgresOptions, PostgresStorage};
use server::{TestSchema, new_schema, url};
use sqlx::{PgPool, Row, postgres::PgPoolOptions};
use std::time::Duration;
use tokio::time::timeout;

/// How long a test waits for what must come, also on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A schema that is dropped when the test asks for it; a failed test leaves it to be inspected.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) schema: TestSchema,
}

impl Place {
    /// `None` if the environment skips the server.
    #[expect(clippy::unused_async, reason = "the schema is made when a store is opened, which waits")]
    pub(crate) async fn new() -> Option<Self> {
        url()?;
        Some(Self { schema: new_schema().expect("there is a server") })
    }

    pub(crate) fn options(&self) -> PostgresOptions {
        let url = format!("{}?application_name={}", self.schema.url, self.application());
        PostgresOptions::new(&url).and_then(|options| options.schema(&self.schema.name)).expect("it is valid")
    }

    pub(crate) async fn open(&self) -> PostgresStorage {
        self.open_with(|options| options).await
    }

    pub(crate) async fn open_with(
        &self,
        adjust: impl FnOnce(PostgresOptions) -> PostgresOptions,
    ) -> PostgresStorage {
        PostgresStorage::open(adjust(self.options())).await.expect("it opens")
    }

    /// A pool of an application.
    pub(crate) async fn pool(&self, connections: u32) -> PgPool {
        let pool = PgPoolOptions::new().max_connections(connections).connect(&self.schema.url).await;
        pool.expect("the server answers")
    }

    /// Runs a statement in which `{schema}` is the schema.
    pub(crate) async fn execute(&self, text: &str) -> u64 {
        self.schema.execute(text).await.expect("the statement is fine")
    }

    /// The name under which the server lists the stores' sessions.
    fn application(&self) -> String {
        self.schema.name.replace(' ', "_")
    }

    /// Ends the stores' sessions.
    pub(crate) async fn end_sessions(&self) {
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
        let mut connection = self.schema.connect().await.expect("the server answers");
        let ended = sqlx::query(end).bind(self.application()).execute(&mut connection).await;
        assert!(ended.expect("a superuser may").rows_affected() > 0, "there were some");
    }

    /// Waits until the stores' sessions have ended.
    pub(crate) async fn until_sessions_are_gone(&self) {
        let present = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1";
        self.until("the sessions are gone", present, &self.application(), |count| count == 0).await;
    }

    /// Waits until a statement about this schema waits for another transaction.
    pub(crate) async fn until_one_waits_for_a_lock(&self) {
        // The query goes by locked tables, since the server keeps no more than 1 KiB of a
        // statement's text.
        let waiting = "SELECT count(*) FROM pg_locks AS w JOIN pg_locks AS h USING (pid)
            JOIN pg_class AS c ON c.oid = h.relation JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE NOT w.granted AND n.nspname = $1";
        self.until("one waits for a lock", waiting, &self.schema.name, |count| count > 0).await;
    }

    /// Counts again and again until the count is as it should be.
    async fn until(&self, what: &str, count: &'static str, of: &str, is_enough: impl Fn(i64) -> bool) {
        let mut watcher = self.schema.connect().await.expect("the server answers");
        let enough = async {
            loop {
                let row = sqlx::query(count).bind(of).fetch_one(&mut watcher).await;
                if is_enough(row.expect("the server answers").get(0)) {
                    return;
                }
            }
        };
        let waited = timeout(PATIENCE, enough).await;
        waited.unwrap_or_else(|_| panic!("{what}: not after {} s", PATIENCE.as_secs()));
    }

    /// Asserts that the store is sound, and removes the schema.
    pub(crate) async fn finish(self, store: &PostgresStorage) {
        assert_sound(store).await;
        store.close().await.expect("it closes");
        self.remove().await;
    }

    pub(crate) async fn remove(self) {
        self.schema.remove().await.expect("it is removed");
    }
}

/// A final failure.
pub(crate) fn fail(token: LeaseToken) -> Event {
    let failure = Failure::new("Injected", "part of the test");
    Event::Fail { token, failure, cause: Cause::Terminal, delay: None, retention: None, then: Vec::new() }
}

pub(crate) async fn claim_one(store: &PostgresStorage) -> ClaimedJob {
    claim(store, 1).await.jobs.pop().expect("a job is due")
}
