//! A process that is stopped while it listens, as by `SIGSTOP` or in a paused container.
//!
//! The test runs itself as that process.

use crate::common::{Place, queue, server};
use queue_core::{Interest, Storage};
use queue_postgres::PostgresOptions;
use sqlx::{AssertSqlSafe, PgConnection, Row};
use std::{
    env,
    future::pending,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tokio::time::timeout;

const THIS: &str = "stopped::a_process_that_is_stopped_is_given_up_by_the_server";
const SCHEMA: &str = "QUEUE_TEST_STOPPED_SCHEMA";
const APPLICATION: &str = "queue-test-stopped";
/// At this interval the server gives the connection up after a second.
const PROBE_INTERVAL: Duration = Duration::from_millis(250);
const PATIENCE: Duration = Duration::from_mins(2);

/// The process; dropping this kills it.
struct Stopped(Child);

impl Stopped {
    fn start(schema: &str) -> Self {
        let mut command = Command::new(env::current_exe().expect("this test is a file"));
        command.args(["--exact", THIS, "--nocapture"]).env(SCHEMA, schema).stdout(Stdio::null());
        Self(command.spawn().expect("it starts"))
    }

    fn stop(&self) {
        let sent = Command::new("kill").arg("-STOP").arg(self.0.id().to_string()).status();
        assert!(sent.expect("kill runs").success());
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.kill().expect("it is there, if stopped");
        self.0.wait().expect("it ends");
    }
}

/// The work of the process.
async fn listen(schema: &str) {
    let url =
        format!("{}?application_name={APPLICATION}", server::url().expect("whoever started this has it"));
    let options = PostgresOptions::new(&url).and_then(|options| options.schema(schema)).expect("it is valid");
    let store = queue_postgres::PostgresStorage::open(options.probe_interval(PROBE_INTERVAL)).await;
    let store = store.expect("it opens");
    let _hints = store.subscribe(&queue(), Interest::Wake).await.expect("it listens");
    pending::<()>().await;
}

/// The number of the process's sessions that match.
async fn sessions(watcher: &mut PgConnection, which: &str) -> i64 {
    let count =
        format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{APPLICATION}' AND {which}");
    let row = sqlx::query(AssertSqlSafe(count)).fetch_one(watcher).await;
    row.expect("the server answers").get(0)
}

#[tokio::test]
async fn a_process_that_is_stopped_is_given_up_by_the_server() {
    if let Ok(schema) = env::var(SCHEMA) {
        return listen(&schema).await;
    }
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    let mut watcher = place.schema.connect().await.unwrap();
    let stopped = Stopped::start(&place.schema.name);
    let given_up = async {
        while sessions(&mut watcher, "query LIKE 'LISTEN%'").await == 0 {}
        stopped.stop();
        // The notifications exceed the buffers on the way.
        let tell = "SELECT pg_notify('queue_' || oid, repeat('x', 7000) || n)
            FROM pg_namespace, generate_series(1, 200) AS n WHERE nspname = $1";
        while sessions(&mut watcher, "wait_event = 'ClientWrite'").await == 0 {
            sqlx::query(tell).bind(&place.schema.name).execute(&mut watcher).await.expect("there is room");
        }
        while sessions(&mut watcher, "query LIKE 'LISTEN%'").await > 0 {}
    };
    timeout(PATIENCE, given_up).await.expect("the server gives up a client that takes nothing");
    drop(stopped);
    place.finish(&store).await;
}
