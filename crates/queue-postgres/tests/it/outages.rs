//! A server that is stopped without warning and started again in the middle of loads: with default
//! settings, everything acknowledged is there again (I1, I21). Another test is about a server that
//! became a standby.
//!
//! `QUEUE_TEST_FAULT_ROUNDS=100` runs more loads. They do not test what a power cut does to a disk.

use crate::common::{claim_one, complete, enqueue, job, queue, settle};
use crate::load::{again_and_again, params, under};
use crate::private::PrivateServer;
use crate::storm::rounds;
use queue_core::{Certainty, Durability, ErrorKind, QueuesQuery, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};
use std::time::Duration;

fn options(server: &PrivateServer) -> PostgresOptions {
    PostgresOptions::new(&server.url()).expect("a URL")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_is_stopped_at_once_again_and_again_loses_nothing() {
    for seed in 0..rounds() {
        let Some(mut server) = PrivateServer::start().await else { return };
        let options = options(&server).connections_max(4);
        let fault = again_and_again(Duration::from_millis(300), async || {
            server.stop_at_once();
            server.run().await;
            1
        });
        let report = under(&options, params(seed), fault).await;
        assert!(report.unanswered() > 0, "nobody was asking");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_answer_survives_is_told_at_open() {
    let Some(server) = PrivateServer::start().await else { return };
    let durability = async |settings: &str| {
        let options = PostgresOptions::new(&format!("{}?{settings}", server.url())).expect("a URL");
        let store = PostgresStorage::open(options).await.expect("it opens");
        store.close().await.expect("it closes");
        store.capabilities().durability
    };
    assert_eq!(durability("").await, Durability::Power);
    assert_eq!(durability("options[synchronous_commit]=off").await, Durability::Process);
    assert_eq!(durability("options[synchronous_commit]=local").await, Durability::Power);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_is_told_as_such_and_serves_once_it_is_promoted() {
    let Some(mut server) = PrivateServer::start().await else { return };
    let store = PostgresStorage::open(options(&server)).await.expect("it opens");
    enqueue(&store, vec![job("a"), job("b")]).await;
    let held = claim_one(&store).await;
    server.stop_in_order();
    server.make_standby();
    server.run().await;

    let error = PostgresStorage::open(options(&server)).await.expect_err("it is refused");
    let told = (error.kind(), error.operation(), error.certainty());
    assert_eq!(told, (ErrorKind::Unavailable, "open", Certainty::NotApplied), "{error}");
    assert!(error.message().contains("standby"), "{error}");
    // An older handle meets the standby by its old connections first, which are broken, and then by
    // new ones.
    let error = loop {
        let error = store.enqueue(&queue(), vec![vec![job("c")]]).await.expect_err("it cannot be stored");
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        if error.message().contains("read-only") {
            break error;
        }
    };
    assert_eq!(error.certainty(), Certainty::NotApplied, "{error}");
    assert_eq!(store.counts(&queue()).await.expect("it can be read").total(), 2);
    let queues = store.queues(QueuesQuery::all(9)).await.expect("they can be listed").queues;
    assert_eq!(queues.iter().map(|status| status.counts.total()).collect::<Vec<_>>(), [2]);

    server.execute("SELECT pg_promote()").await;
    settle(&store, &held.record.meta, complete(held.token)).await;
    assert_eq!(claim_one(&store).await.record.meta.id.as_str(), "b");
    store.close().await.expect("it closes");
}
