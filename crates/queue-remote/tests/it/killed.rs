//! A server that is a process of its own, and is killed.

use crate::jobs::{open, put, queue};
use queue_core::{Certainty, Storage};
use queue_testkit::{
    history::{Load, LoadParams, Recorder},
    proxy::lasting_address,
};
use std::{path::PathBuf, process::Stdio, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::sleep,
};

/// How often the server of a load is killed.
const KILLS: usize = 8;

/// The example `serve_store`, which cargo builds beside the tests.
fn program() -> PathBuf {
    let test = std::env::current_exe().expect("it runs");
    let built = test.parent().and_then(|deps| deps.parent()).expect("target/debug/deps");
    built.join("examples").join("serve_store")
}

/// Starts it, and returns once it listens.
async fn serve(store: &str, place: &str) -> (Child, String) {
    let mut command = Command::new(program());
    command.args([store, place]).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command
        .spawn()
        .expect("`cargo test` builds the example, and `cargo build --example serve_store` does");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let line = lines.next_line().await.expect("it is read").expect("it listens");
    let place = line.strip_prefix("serving on ").expect("it says where").to_owned();
    (child, place)
}

fn address() -> String {
    lasting_address().expect("a free port").to_string()
}

async fn kill(mut child: Child) {
    child.kill().await.expect("it is a child of this process");
}

#[tokio::test]
async fn what_a_killed_server_acknowledged_is_there_when_it_is_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("jobs.db").display().to_string();
    let (server, place) = serve(&file, &address()).await;
    let remote = open(&format!("http://{place}/")).await.expect("it opens");
    put(&remote, "a").await.expect("it is taken");
    kill(server).await;
    while put(&remote, "b").await.expect_err("nobody answers").certainty() == Certainty::Unknown {}
    let (_server, _) = serve(&file, &place).await;
    assert!(!put(&remote, "a").await.expect("the same handle goes on").is_new());
    assert_eq!(remote.counts(&queue()).await.expect("it answers").total(), 1);
}

#[tokio::test]
async fn a_server_on_a_socket_serves_and_leaves_the_socket_to_the_next() {
    let directory = tempfile::tempdir().expect("a directory");
    let socket = format!("unix:{}", directory.path().join("queue.sock").display());
    for _ in 0..2 {
        let (server, place) = serve("memory:", &socket).await;
        let remote = open(&format!("http+unix:{place}")).await.expect("it opens");
        assert!(put(&remote, "a").await.expect("it is taken").is_new());
        kill(server).await;
    }
}

/// Every acknowledged write is in the file, at every moment of a kill.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_is_killed_again_and_again_loses_nothing_that_it_acknowledged() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("jobs.db").display().to_string();
    let (mut server, place) = serve(&file, &address()).await;
    let mut stores: Vec<Arc<dyn Storage>> = Vec::new();
    for _ in 0..2 {
        stores.push(Arc::new(open(&format!("http://{place}/")).await.expect("it opens")));
    }
    let load = Load::start(stores, Arc::new(Recorder::new()), LoadParams::default());
    for _ in 0..KILLS {
        sleep(Duration::from_millis(250)).await;
        kill(server).await;
        (server, _) = serve(&file, &place).await;
    }
    let report = load.finish().await;
    report.assert_clean();
    assert!(report.unanswered() > 0 && report.completions() > 0);
    kill(server).await;
}
