//! A database that stands still while its sockets take connections, as a stopped process does:
//! what people and probes are answered.

use crate::{
    encrypted::{host, through},
    part::apart,
    server,
};
use queue_e2e::{CommandDirectory, Served, until};
use queue_testkit::proxy::{Proxy, Traffic};
use std::{thread, time::Duration};
use tokio::{task::block_in_place, time::Instant};

/// The bound of reads of people, and what a busy machine may add.
const READ_MAX: Duration = Duration::from_secs(10 + 5);
/// What people and probes ask, the status of the answer, and what it says.
const READS: [(&str, u16, &str); 4] = [
    ("GET /readyz", 503, "unavailable"),
    ("GET /v1/queues", 503, "unavailable"),
    ("GET /", 503, "The store does not answer"),
    // What the server itself has counted, so that one sees the failures.
    ("GET /metrics", 200, "http_server_request_duration_seconds"),
];

/// Asks until the answer is not one of before, which pages and `/readyz` may give for a second.
fn read(served: &Served, (head, expected, words): (&str, u16, &str)) {
    until(head, || {
        let begun = Instant::now();
        let (status, text) = served.reply("none", head, "");
        let took = begun.elapsed();
        assert!(took < READ_MAX, "{head} took {took:?}");
        let is_of_before = text.contains("queue_jobs{") || status != expected;
        (!is_of_before && text.contains(words)).then_some(())
    });
}

/// Has a service read from a server whose answers stop.
async fn is_bounded(url: &str) {
    let proxy = Proxy::start(host(url).parse().expect("an address")).expect("a free port");
    let url = through(url, &proxy);
    let place = CommandDirectory::new(env!("CARGO_BIN_EXE_queue-e2e"));
    let served = block_in_place(|| Served::start(&place, &["--no-auth", "--store", &url]));
    let status = |head| served.reply("none", head, "").0;
    for (head, ..) in READS {
        assert_eq!(block_in_place(|| status(head)), 200, "{head}");
    }
    proxy.set(Traffic::Silence).await.expect("it goes silent");
    block_in_place(|| {
        let served = &served;
        thread::scope(|scope| READS.map(|asked| scope.spawn(move || read(served, asked))).map(join));
        assert_eq!(status("GET /healthz"), 200, "the process itself is well");
    });
    proxy.set(Traffic::Pass).await.expect("it passes");
    proxy.cut().await.expect("it cuts");
    let ready = || (status("GET /readyz") == 200).then_some(());
    block_in_place(|| until("the store answers again", ready));
}

fn join(asked: thread::ScopedJoinHandle<'_, ()>) {
    asked.join().expect("it is answered as expected");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_of_a_postgres_that_stands_still_are_answered_within_ten_seconds() {
    let Some(url) = server::url("postgres", "QUEUE_TEST_POSTGRES_URL") else { return };
    is_bounded(&apart(&url, "schema", "frozen")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_of_a_redis_that_stands_still_are_answered_within_ten_seconds() {
    let Some(url) = server::url("redis", "QUEUE_TEST_REDIS_URL") else { return };
    is_bounded(&apart(&url, "namespace", "frozen")).await;
}
