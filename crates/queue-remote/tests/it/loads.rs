//! Loads in real time while connections are cut and answers are lost, judged by the checker of the
//! test kit: no acknowledged job is lost, and no caller without a lease changes anything.
//!
//! Each fault lasts two seconds; `QUEUE_TEST_FAULT_ROUNDS=300` repeats it 300 times, with a fresh
//! history each time.

use crate::common::server::TestServer;
use bytes::Bytes;
use queue_core::Storage;
use queue_memory::MemoryStorage;
use queue_remote::{RemoteOptions, RemoteStorage};
use queue_testkit::{
    history::{Load, LoadParams, Recorder},
    proxy::{Proxy, Traffic},
};
use std::{env, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// How long a fault goes on.
const LASTS: Duration = Duration::from_secs(2);
/// How long a request of the right kind is waited for.
const PATIENCE: Duration = Duration::from_millis(200);

fn rounds() -> u64 {
    env::var("QUEUE_TEST_FAULT_ROUNDS").map_or(1, |text| text.parse().expect("a whole number of rounds"))
}

/// Runs a load on two handles through a proxy while it strikes.
async fn under(seed: u64, every: Duration, mut strike: impl AsyncFnMut(&Proxy)) {
    let server = TestServer::start(Arc::new(MemoryStorage::new())).await;
    let proxy = Proxy::start(server.address).expect("a port is free");
    let mut stores: Vec<Arc<dyn Storage>> = Vec::new();
    for _ in 0..2 {
        let options = RemoteOptions::new(&format!("http://{}/", proxy.address())).expect("valid");
        stores.push(Arc::new(RemoteStorage::open(options).await.expect("it opens")));
    }
    let load = Load::start(stores, Arc::new(Recorder::new()), LoadParams { seed, ..LoadParams::default() });
    let end = Instant::now() + LASTS;
    while Instant::now() < end {
        strike(&proxy).await;
        sleep(every).await;
    }
    proxy.set(Traffic::Pass).await.expect("it runs");
    let report = load.finish().await;
    report.assert_clean();
    assert!(report.unanswered() > 0, "no call felt it");
    assert!(report.completions() > 0, "nothing was done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn connections_that_are_cut_all_the_time_break_no_invariant() {
    for seed in 0..rounds() {
        under(seed, Duration::from_millis(20), async |proxy| proxy.cut().await.expect("it runs")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn replies_that_are_lost_all_the_time_break_no_invariant() {
    const REQUESTS: [&str; 4] = ["/enqueue", "/claim", "/apply", ""];
    for seed in 0..rounds() {
        let mut turns = REQUESTS.iter().cycle();
        under(seed, Duration::from_millis(10), async |proxy| {
            let before = proxy.counts().withheld;
            let request = turns.next().expect("it has no end").as_bytes();
            proxy.set(Traffic::CutBeforeReply(Bytes::from_static(request))).await.expect("it runs");
            // A load that waits for something else sends none.
            drop(timeout(PATIENCE, proxy.wait_for(|counts| counts.withheld > before)).await);
            proxy.set(Traffic::Pass).await.expect("it runs");
        })
        .await;
    }
}
