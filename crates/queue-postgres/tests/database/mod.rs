//! A private database, which counts its deadlocks. It sorts as people do where the server can: ids
//! must be locked in one order under every order of text that a database uses.
#![allow(dead_code, reason = "each test file uses a part")]

use crate::{common::server, storm::in_database};
use queue_postgres::{PostgresOptions, PostgresStorage};
use server::new_schema;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::sync::Arc;

/// The options of a database that sorts `a` before `B`.
const ICU: &str = "TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en'";
/// The first version with these options.
const ICU_SINCE: i32 = 150_000;

/// How much of the log is shown of a deadlock: who waits for what, and the statement.
const TOLD_LINES: usize = 40;

/// A database that no other test uses.
pub(crate) struct Database {
    name: String,
    pub(crate) url: String,
    admin: PgConnection,
}

impl Database {
    pub(crate) async fn new() -> Option<Self> {
        let server = server::url()?;
        let name = new_schema().expect("there is a server").name;
        let mut admin = PgConnection::connect(&server).await.expect("the server answers");
        let version: (i32,) = sqlx::query_as("SELECT current_setting('server_version_num')::integer")
            .fetch_one(&mut admin)
            .await
            .expect("the server answers");
        let locale = if version.0 >= ICU_SINCE { ICU } else { "" };
        for statement in
            [format!("DROP DATABASE IF EXISTS \"{name}\""), format!("CREATE DATABASE \"{name}\" {locale}")]
        {
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut admin).await.expect("a superuser may");
        }
        let url = in_database(&server, &name.replace(' ', "%20"));
        Some(Self { name, url, admin })
    }

    pub(crate) async fn open(&self) -> Arc<PostgresStorage> {
        Arc::new(PostgresStorage::open(self.options()).await.expect("it opens"))
    }

    pub(crate) fn options(&self) -> PostgresOptions {
        PostgresOptions::new(&self.url).expect("a URL")
    }

    /// The number of deadlocks so far. Sessions report with a delay, or when they end.
    pub(crate) async fn deadlocks(&mut self) -> i64 {
        self.count("SELECT deadlocks FROM pg_stat_database WHERE datname = $1").await
    }

    /// A transaction that holds what a statement locked.
    pub(crate) async fn hold(&self, statement: &str) -> PgConnection {
        let mut connection = PgConnection::connect(&self.url).await.expect("the server answers");
        let text = format!("BEGIN; {statement}");
        sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut connection).await.expect("nobody else holds it");
        connection
    }

    /// Waits until this many sessions wait for others.
    pub(crate) async fn until_waiting(&mut self, sessions: i64) {
        let waiting = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = $1 AND cardinality(pg_blocking_pids(pid)) > 0";
        while self.count(waiting).await != sessions {}
    }

    /// Waits until a session waits for one that waits.
    pub(crate) async fn until_chained(&mut self) {
        let chained = "SELECT count(*) FROM pg_stat_activity AS a WHERE a.datname = $1 AND EXISTS (
            SELECT FROM unnest(pg_blocking_pids(a.pid)) AS b (pid) WHERE cardinality(pg_blocking_pids(b.pid)) > 0)";
        while self.count(chained).await == 0 {}
    }

    pub(crate) async fn count(&mut self, statement: &'static str) -> i64 {
        let row = sqlx::query_as(statement).bind(&self.name).fetch_one(&mut self.admin).await;
        let (count,): (i64,) = row.expect("the server answers");
        count
    }

    /// Asserts that there was no deadlock, and that one would have been counted.
    pub(crate) async fn assert_none(mut self) {
        let found = self.deadlocks().await;
        assert!(found == 0, "{found} deadlocks; the server's log:\n{}", self.told_of_deadlocks().await);
        self.provoke().await;
        while self.deadlocks().await == 0 {}
        assert_eq!(self.deadlocks().await, 1, "the one that was made on purpose");
        self.drop().await;
    }

    /// What the log of a server of `cargo xtask services` says of the deadlocks that no test made
    /// on purpose.
    async fn told_of_deadlocks(&mut self) -> String {
        let read = sqlx::query_scalar("SELECT pg_read_file('../log', 0, 100000000, true)")
            .fetch_one(&mut self.admin)
            .await;
        let log: Option<String> = read.expect("a superuser may read it");
        let log = log.unwrap_or_default();
        let told = log.split("deadlock detected").skip(1).filter(|told| !told.contains("LOCK a\n"));
        told.map(|told| told.lines().take(TOLD_LINES).collect::<Vec<_>>().join("\n")).collect()
    }

    /// Removes the database; no session is connected any more.
    pub(crate) async fn drop(mut self) {
        let drop = format!("DROP DATABASE \"{}\"", self.name);
        sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut self.admin).await.expect("nobody is connected");
    }

    pub(crate) async fn provoke(&self) {
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
