//! The stores that the faces are tested on: one list of URLs.

use queue::{ManualClock, MemoryStorage, SqliteOptions, SqliteStorage, Storage, worker::TokioClock};
use queue_faces::{Result, Stage};
use std::{
    env,
    sync::{Arc, Mutex},
    time::Duration,
};
use tempfile::TempDir;

/// Servers to test on too, where there are any: the variable holds a store URL.
const SERVERS: [&str; 2] = ["QUEUE_TEST_POSTGRES_URL", "QUEUE_TEST_REDIS_URL"];

/// Memory, files in the directory, and the servers that the environment names.
fn urls(directory: &TempDir) -> Vec<String> {
    let path = directory.path().display();
    let embedded = ["memory:".to_owned(), format!("sqlite:{path}/jobs.db"), format!("file:{path}/jobs")];
    embedded.into_iter().chain(SERVERS.into_iter().filter_map(|variable| env::var(variable).ok())).collect()
}

/// The stage on a store; none if the crate `queue` was built without it.
async fn open(url: &str, audience: impl Fn(&str) + Send + Sync + 'static) -> Option<Stage> {
    // The rest of a URL may hold a password.
    let scheme = url.split(':').next().unwrap_or_default();
    match Stage::open(url, "test", audience).await {
        Ok(stage) => {
            eprintln!("on {scheme}");
            Some(stage)
        }
        Err(error) if error.to_string().contains("this build has no store") => {
            eprintln!("not on {scheme}, which this build does not have");
            None
        }
        Err(error) => panic!("{scheme}: {error}"),
    }
}

/// Runs a test on each store, on a stage of its own, which must be left as it was found.
pub(crate) async fn on_each_store(test: impl AsyncFn(&Stage)) {
    let directory = TempDir::new().expect("a temporary directory");
    for url in urls(&directory) {
        if let Some(stage) = open(&url, |_| ()).await {
            test(&stage).await;
            stage.clear().await.expect("the store is cleared");
        }
    }
}

/// Runs a demonstration on each store, and compares what it prints.
pub(crate) async fn tells(demo: impl AsyncFn(&Stage) -> Result, expected: &[&str]) {
    let directory = TempDir::new().expect("a temporary directory");
    for url in urls(&directory) {
        let told = Arc::new(Mutex::new(Vec::new()));
        let audience = told.clone();
        let listen = move |line: &str| audience.lock().expect("no listener panics").push(line.to_owned());
        if let Some(stage) = open(&url, listen).await {
            demo(&stage).await.expect("the demonstration ends well");
            stage.clear().await.expect("the store is cleared");
            assert_eq!(*told.lock().expect("no listener panics"), expected);
        }
    }
}

/// Runs a test on the stores that take a clock, which then moves only when the test moves it.
pub(crate) async fn on_manual_clocks(test: impl AsyncFn(&Stage, &ManualClock)) {
    let directory = TempDir::new().expect("a temporary directory");
    let clock = Arc::new(ManualClock::default());
    let options = SqliteOptions::new(directory.path().join("jobs.db")).clock(clock.clone());
    let stores: [Arc<dyn Storage>; 2] = [
        Arc::new(MemoryStorage::with_clock(clock.clone())),
        Arc::new(SqliteStorage::open(options).await.expect("the store opens")),
    ];
    for store in stores {
        eprintln!("on {}", store.capabilities().name);
        let stage = Stage::on(store, "test", |_| ());
        test(&stage, &clock).await;
        stage.clear().await.expect("the store is cleared");
    }
}

/// A stage in memory whose store time is the runtime's, which a test can pause.
pub(crate) fn in_paused_time() -> Stage {
    Stage::on(Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default()))), "test", |_| ())
}

/// Waits for a condition that must come to hold.
pub(crate) async fn until(is_so: impl AsyncFn() -> bool) {
    let waiting = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waiting).await.expect("the condition came to hold");
}
