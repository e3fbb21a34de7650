//! Every store over encrypted connections, opened by its URL alone: the worker from end to end,
//! hints, and connections that are cut.

use crate::{
    administrator,
    page::blocks,
    server,
    tour::{Tour, tour},
};
use queue::{ErrorKind, open};
use queue_testkit::proxy::Proxy;
use redis::{Client, ClientTlsConfig, Cmd, FromRedisValue, RedisResult, TlsCertificates, Value};
use std::fs;

/// The same URL through a proxy.
pub(crate) fn through(url: &str, proxy: &Proxy) -> String {
    url.replacen(&host(url), &proxy.address().to_string(), 1)
}

pub(crate) fn host(url: &str) -> String {
    hosts(url).remove(0)
}

/// Asserts that cut connections are replaced, encrypted too.
async fn goes_on_after_cuts(url: &str) {
    let proxy = Proxy::start(host(url).parse().expect("an address")).expect("a free port");
    let tour = Tour::begin(&through(url, &proxy), "cut").await;
    for turn in 0..3 {
        tour.work(turn).await;
        proxy.cut().await.expect("it cuts");
    }
    tour.work(3).await;
    tour.look_around().await;
    tour.end().await;
    proxy.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_does_everything_and_goes_on_after_cuts() {
    let Some(url) = server::url("postgres-tls", "QUEUE_TEST_POSTGRES_TLS_URL") else { return };
    tour(&url, "tour").await;
    goes_on_after_cuts(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_does_everything_and_goes_on_after_cuts() {
    let Some(url) = server::url("redis-tls", "QUEUE_TEST_REDIS_TLS_URL") else { return };
    tour(&url, "tour").await;
    goes_on_after_cuts(&url).await;
}

/// Masters are found by the addresses that they announce, past any proxy, so the test asks them to
/// cut. Several queues reach all of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_does_everything_and_goes_on_after_cuts() {
    let Some(url) = server::url("redis-cluster-tls", "QUEUE_TEST_REDIS_CLUSTER_TLS_URL") else { return };
    for queue in ["a", "b", "c", "d"] {
        goes_on_where_servers_cut(&url, queue, &hosts(&url)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_master_of_sentinels_does_everything_and_goes_on_after_cuts() {
    let Some(url) = server::url("redis-sentinel-tls", "QUEUE_TEST_REDIS_SENTINEL_TLS_URL") else { return };
    let master: Vec<String> =
        ask(&url, &hosts(&url)[0], "SENTINEL GET-MASTER-ADDR-BY-NAME queue").await.expect("they know one");
    goes_on_where_servers_cut(&url, "tour", &[master.join(":")]).await;

    // A user that exists on the Sentinels alone, with the rights that the page gives it.
    let [line] = &blocks("redis.md", "Rights", "acl")[..] else { panic!("there is one line") };
    for sentinel in hosts(&url) {
        ask::<Value>(&url, &sentinel, line).await.expect("it is set");
    }
    let with_login = |password| format!("{url}&sentinel_username=app&sentinel_password={password}");
    let error = open(&with_login("wrong")).await.expect_err("they ask for another one");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    tour(&with_login("other"), "tour").await;
    for sentinel in hosts(&url) {
        ask::<Value>(&url, &sentinel, "ACL DELUSER app").await.expect("it is there");
    }
}

async fn goes_on_where_servers_cut(url: &str, queue: &str, servers: &[String]) {
    let tour = Tour::begin(url, queue).await;
    for turn in 0..3 {
        tour.work(turn).await;
        for server in servers {
            for kind in ["normal", "pubsub"] {
                let kill = format!("CLIENT KILL TYPE {kind} SKIPME yes");
                ask::<Value>(url, server, &kill).await.expect("it cuts");
            }
        }
    }
    tour.work(3).await;
    tour.look_around().await;
    tour.end().await;
}

fn hosts(url: &str) -> Vec<String> {
    let (_, place) = url.rsplit_once('@').expect("a login");
    place.split(['/', '?']).next().expect("hosts").split(',').map(str::to_owned).collect()
}

/// Sends a command to a node as an administrator.
async fn ask<T: FromRedisValue>(url: &str, node: &str, command: &str) -> RedisResult<T> {
    let (_, place) = url.split_once("://").expect("a scheme");
    let (login, _) = place.rsplit_once('@').expect("a login");
    let client = Client::build_with_tls(format!("rediss://{login}@{node}"), certificates(url))?;
    let mut words = Cmd::new();
    for word in command.split(' ') {
        words.arg(word);
    }
    words.query_async(&mut administrator::connect(&client).await?).await
}

fn certificates(url: &str) -> TlsCertificates {
    let file = |option: &str| {
        let (_, rest) = url.split_once(&format!("{option}=")).expect(option);
        fs::read(rest.split('&').next().expect("a path")).expect(option)
    };
    let client_tls = ClientTlsConfig { client_cert: file("ssl_certfile"), client_key: file("ssl_keyfile") };
    TlsCertificates { client_tls: Some(client_tls), root_cert: Some(file("ssl_ca_certs")) }
}
