//! What `diagnose` finds on a sick server. Each test has a server of its own, since what it does to
//! the server would be seen by every other test.

use crate::{
    common::{Place, queue},
    private::PrivateServer,
    storm::{application, end_listener, proxy_of, through},
};
use queue_core::{Finding, Interest, Severity, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};
use queue_testkit::proxy::Traffic;
use sqlx::{Connection, PgConnection};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How long a test waits for what the server shows with a delay.
const PATIENCE: Duration = Duration::from_mins(1);

async fn finding(store: &PostgresStorage, code: &str) -> Finding {
    let findings = store.diagnose().await.expect("it looks");
    findings.into_iter().find(|finding| finding.code == code).expect("there is such a check")
}

/// The finding once it is as bad as this: the server counts rows, and reads its settings, a little
/// later.
async fn finding_of(store: &PostgresStorage, code: &str, severity: Severity) -> Finding {
    let until = async {
        loop {
            // While connections are replaced, some calls find none.
            let findings = store.diagnose().await.unwrap_or_default();
            let found = findings.into_iter().find(|finding| finding.code == code);
            if let Some(found) = found.filter(|found| found.severity == severity) {
                return found;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, until).await.expect("it is found")
}

#[track_caller]
fn assert_seen(finding: &Finding, words: &str) {
    assert!(finding.seen.contains(words), "{finding:?}");
}

async fn open(server: &PrivateServer) -> PostgresStorage {
    let options = PostgresOptions::new(&server.url()).expect("a URL");
    PostgresStorage::open(options).await.expect("it opens")
}

async fn set(server: &PrivateServer, setting: &str) {
    server.execute(&format!("ALTER SYSTEM SET {setting}")).await;
    server.execute("SELECT pg_reload_conf()").await;
}

/// A session that sees the state of now until it ends.
async fn hold_snapshot(server: &PrivateServer) -> PgConnection {
    let mut holder = server.connect().await.expect("the server answers");
    let hold = "SET application_name = 'a long report'; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class";
    sqlx::raw_sql(hold).execute(&mut holder).await.expect("it reads");
    holder
}

#[tokio::test]
async fn a_server_that_is_well_has_no_finding_of_its_own() {
    let Some(server) = PrivateServer::start().await else { return };
    let store = open(&server).await;
    for finding in store.diagnose().await.expect("it looks") {
        assert_eq!(finding.severity, Severity::Fine, "{finding:?}");
    }
    store.close().await.expect("it closes");
}

#[tokio::test]
async fn a_held_snapshot_is_a_warning_that_names_its_holder_and_the_rows_it_keeps_are_one_too() {
    let Some(server) = PrivateServer::start().await else { return };
    server.execute("ALTER SYSTEM SET synchronous_commit = off").await;
    server.execute("SELECT pg_reload_conf()").await;
    let store = open(&server).await;
    let holder = hold_snapshot(&server).await;
    let spend = "DO $$ BEGIN FOR i IN 1..50001 LOOP PERFORM txid_current(); COMMIT; END LOOP; END $$";
    server.execute(spend).await;
    let found = finding_of(&store, "postgres-old-snapshot", Severity::Warning).await;
    assert_seen(&found, "a long report");
    assert_seen(&found, "idle in transaction");

    let leave = "BEGIN; INSERT INTO queue.ready (seq, run_at, revision, epoch, failures, stalls, queue, size, priority, state, flags) \
                 SELECT n, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0 FROM generate_series(1, 50001) AS n; ROLLBACK";
    server.execute(leave).await;
    assert_seen(&finding_of(&store, "postgres-dead-rows", Severity::Warning).await, "50001 dead rows");

    holder.close().await.expect("it ends");
    assert_eq!(finding_of(&store, "postgres-old-snapshot", Severity::Fine).await.severity, Severity::Fine);
    store.close().await.expect("it closes");
}

#[tokio::test]
async fn autovacuum_that_is_off_is_a_warning_for_the_server_and_for_a_table() {
    let Some(server) = PrivateServer::start().await else { return };
    let store = open(&server).await;
    server.execute("ALTER TABLE queue.lease SET (autovacuum_enabled = false)").await;
    let found = finding_of(&store, "postgres-autovacuum", Severity::Warning).await;
    assert_seen(&found, "off for lease");
    server.execute("ALTER TABLE queue.lease RESET (autovacuum_enabled)").await;
    finding_of(&store, "postgres-autovacuum", Severity::Fine).await;
    set(&server, "autovacuum = off").await;
    finding_of(&store, "postgres-autovacuum", Severity::Warning).await;
    store.close().await.expect("it closes");
}

#[tokio::test]
async fn commits_that_are_not_flushed_are_a_warning_and_a_server_that_never_flushes_is_broken() {
    let Some(server) = PrivateServer::start().await else { return };
    let store = open(&server).await;
    set(&server, "synchronous_commit = off").await;
    finding_of(&store, "durability", Severity::Warning).await;
    set(&server, "fsync = off").await;
    assert_seen(&finding_of(&store, "durability", Severity::Broken).await, "fsync is off");
    store.close().await.expect("it closes");
}

/// The store has one connection or a few, as its calls met, so the numbers leave room: of 37
/// connections 30 are many, and 35 too many.
#[tokio::test]
async fn connections_that_run_out_are_a_warning_and_then_broken() {
    let Some(mut server) = PrivateServer::start().await else { return };
    server.execute("ALTER SYSTEM SET max_connections = 40").await;
    server.stop_in_order();
    server.run().await;
    let options = PostgresOptions::new(&server.url()).expect("a URL").connections_max(3);
    let store = PostgresStorage::open(options).await.expect("it opens");
    let looks = || async { store.diagnose().await.expect("it looks") };
    drop(tokio::join!(looks(), looks(), looks()));
    finding_of(&store, "postgres-connections", Severity::Fine).await;
    let mut taken = Vec::new();
    for _ in 0..29 {
        taken.push(server.connect().await.expect("there is one left"));
    }
    let found = finding_of(&store, "postgres-connections", Severity::Warning).await;
    assert_seen(&found, "of 37 connections");
    // With the store's they are 35 at least, and no more than the server has.
    for _ in 0..5 {
        taken.push(server.connect().await.expect("there is one left"));
    }
    let found = finding_of(&store, "postgres-connections", Severity::Broken).await;
    assert_seen(&found, "of 37 connections");
    store.close().await.expect("it closes");
}

#[tokio::test]
async fn a_setting_that_somebody_replaces_is_a_warning_about_poolers() {
    let Some(place) = Place::new().await else { return };
    let options = sqlx::postgres::PgPoolOptions::new().max_connections(2).after_connect(|connection, _| {
        Box::pin(async move { sqlx::raw_sql("SET enable_sort = on").execute(connection).await.map(drop) })
    });
    let pool = options.connect(&place.schema.url).await.expect("the server answers");
    let options = PostgresOptions::with_pool(pool.clone()).schema(&place.schema.name).expect("a name");
    let store = PostgresStorage::open(options).await.expect("it opens");
    assert_eq!(finding(&store, "postgres-pooler").await.severity, Severity::Warning);
    place.finish(&store).await;
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_listens_no_more_is_a_warning_until_there_is_another() {
    let Some(place) = Place::new().await else { return };
    let proxy = proxy_of(&place.schema.url);
    let url =
        format!("{}?application_name={}", through(&proxy, &place.schema.url), application(&place.schema));
    let options = PostgresOptions::new(&url).unwrap().schema(&place.schema.name).unwrap();
    let store = PostgresStorage::open(options).await.expect("it opens");
    assert_seen(&finding(&store, "postgres-listen").await, "none of them of this program");
    let _hints = store.subscribe(&queue(), Interest::Wake).await.expect("it subscribes");
    finding_of(&store, "postgres-listen", Severity::Fine).await;
    // Open connections keep working; new ones are refused.
    proxy.set(Traffic::Refuse).await.expect("the proxy runs");
    assert!(end_listener(&place.schema).await);
    assert_seen(&finding_of(&store, "postgres-listen", Severity::Warning).await, "is gone");
    proxy.set(Traffic::Pass).await.expect("the proxy runs");
    finding_of(&store, "postgres-listen", Severity::Fine).await;
    place.finish(&store).await;
}
