//! How the test kit makes stores on servers: one namespace per trial, removed afterwards.
#![allow(dead_code, reason = "each test file uses a part")]

use async_trait::async_trait;
use queue_core::{Clock, Storage};
use queue_redis::{RedisOptions, RedisStorage};
use queue_testkit::{Facility, Failure, Harness, Place};
use redis::{AsyncConnectionConfig, aio::MultiplexedConnection};
use std::{
    env,
    path::PathBuf,
    process::{self, ExitCode},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

const SKIP: &str = "QUEUE_TEST_SKIP";
/// Nothing takes as long on a machine that does anything at all.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that tests are run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    /// The name that `cargo xtask services` and `QUEUE_TEST_SKIP` use.
    pub(crate) name: &'static str,
    /// The variable with its URL.
    pub(crate) variable: &'static str,
}

pub(crate) const REDIS: Server = Server { name: "redis", variable: "QUEUE_TEST_REDIS_URL" };
pub(crate) const VALKEY: Server = Server { name: "valkey", variable: "QUEUE_TEST_VALKEY_URL" };
pub(crate) const CLUSTER: Server = Server { name: "redis-cluster", variable: "QUEUE_TEST_REDIS_CLUSTER_URL" };

/// The server with encrypted connections; the URL names a client certificate.
pub(crate) const REDIS_TLS: Server = Server { name: "redis-tls", variable: "QUEUE_TEST_REDIS_TLS_URL" };
pub(crate) const CLUSTER_TLS: Server =
    Server { name: "redis-cluster-tls", variable: "QUEUE_TEST_REDIS_CLUSTER_TLS_URL" };
pub(crate) const SENTINEL_TLS: Server =
    Server { name: "redis-sentinel-tls", variable: "QUEUE_TEST_REDIS_SENTINEL_TLS_URL" };

pub(crate) const SENTINEL: Server =
    Server { name: "redis-sentinel", variable: "QUEUE_TEST_REDIS_SENTINEL_URL" };

impl Server {
    /// The URL, or `None` if the server is to be skipped.
    ///
    /// # Panics
    ///
    /// If the variable is missing: a missing server is no reason to skip a test.
    pub(crate) fn url(self) -> Option<String> {
        let skipped = env::var(SKIP).unwrap_or_default();
        match env::var(self.variable) {
            Ok(url) if !url.is_empty() => Some(url),
            _ if skipped.split(',').any(|name| name.trim() == self.name) => {
                println!("skipped: {SKIP} names {}", self.name);
                None
            }
            _ => panic!(
                "{} does not say where a server is: run this with `cargo xtask services run {}`, \
                 or skip it with {SKIP}={}",
                self.variable, self.name, self.name
            ),
        }
    }
}

/// Runs the conformance suite, as the `main` of a test.
pub(crate) fn run_suite(server: Server) -> ExitCode {
    match server.url() {
        Some(url) => queue_testkit::run(server.name, RedisHarness { url }),
        None => ExitCode::SUCCESS,
    }
}

/// Opens namespaces on one server.
#[derive(Debug)]
pub(crate) struct RedisHarness {
    pub(crate) url: String,
}

#[async_trait]
impl Harness for RedisHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(Space { url: self.url.clone(), namespace: fresh_namespace(), clock: Some(clock) }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle, Facility::DroppedClaims]
    }

    fn snapshot(&self) -> Option<PathBuf> {
        Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance.snapshot").into())
    }
}

/// A namespace that no other trial of this or another process has.
pub(crate) fn fresh_namespace() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("test-{}-{number}", process::id())
}

/// The namespace of one trial.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) url: String,
    pub(crate) namespace: String,
    pub(crate) clock: Option<Arc<dyn Clock>>,
}

impl Space {
    pub(crate) fn options(&self) -> RedisOptions {
        let options = RedisOptions::new(&self.url).and_then(|options| options.namespace(&self.namespace));
        // The machine may be busy with other tests.
        let options = options.expect("the URL is valid").response_timeout(PATIENCE);
        match &self.clock {
            Some(clock) => options.clock(clock.clone()),
            None => options,
        }
    }
}

#[async_trait]
impl Place for Space {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        Ok(Arc::new(RedisStorage::open(self.options()).await?))
    }

    async fn clean_up(&self) -> Result<(), Failure> {
        clean_up(&self.url, &self.namespace).await
    }
}

/// Removes every key of a namespace, on each master of a Cluster. Behind Sentinels the keys go with
/// the servers.
pub(crate) async fn clean_up(url: &str, namespace: &str) -> Result<(), Failure> {
    if url.contains("+sentinel://") {
        return Ok(());
    }
    let pattern = format!("{namespace}:*");
    for mut node in masters(url).await? {
        let mut cursor = 0_u64;
        loop {
            let mut scan = redis::cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(1000);
            let (next, keys): (u64, Vec<String>) = scan.query_async(&mut node).await?;
            for key in keys {
                redis::cmd("DEL").arg(key).query_async::<()>(&mut node).await?;
            }
            if next == 0 {
                break;
            }
            cursor = next;
        }
    }
    Ok(())
}

/// A connection that waits for a busy server: by itself it gives up after half a second.
pub(crate) async fn connect(client: &redis::Client) -> redis::RedisResult<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(PATIENCE))
        .set_response_timeout(Some(PATIENCE));
    client.get_multiplexed_async_connection_with_config(&config).await
}

/// A connection to each master; the masters of a Cluster are the hosts of its URL.
pub(crate) async fn masters(url: &str) -> Result<Vec<MultiplexedConnection>, Failure> {
    let (scheme, place) = url.split_once("://").ok_or("a URL has a scheme")?;
    let scheme = if scheme.starts_with("rediss") { "rediss" } else { "redis" };
    let place = place.split(['?', '/']).next().unwrap_or_default();
    let (login, hosts) = place.rsplit_once('@').unwrap_or(("", place));
    let at = if login.is_empty() { "" } else { "@" };
    let mut found = Vec::new();
    for host in hosts.split(',') {
        let client = client(&format!("{scheme}://{login}{at}{host}"), url)?;
        found.push(connect(&client).await?);
    }
    Ok(found)
}

#[cfg(not(feature = "tls"))]
fn client(node: &str, _url: &str) -> Result<redis::Client, Failure> {
    Ok(redis::Client::open(node)?)
}

/// A client with the certificates that a URL of the store names.
#[cfg(feature = "tls")]
fn client(node: &str, url: &str) -> Result<redis::Client, Failure> {
    let file = |option: &str| {
        let (_, rest) = url.split_once(&format!("{option}="))?;
        rest.split('&').next().map(std::fs::read)
    };
    let (Some(authority), Some(certificate), Some(key)) =
        (file("ssl_ca_certs"), file("ssl_certfile"), file("ssl_keyfile"))
    else {
        return Ok(redis::Client::open(node)?);
    };
    let client_tls = redis::ClientTlsConfig { client_cert: certificate?, client_key: key? };
    let certificates = redis::TlsCertificates { client_tls: Some(client_tls), root_cert: Some(authority?) };
    Ok(redis::Client::build_with_tls(node, certificates)?)
}
