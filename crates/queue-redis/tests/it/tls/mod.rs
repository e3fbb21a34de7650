//! Encrypted connections, with a certificate on either side: everything works as without
//! encryption, and a wrong certificate is reported as such.

mod certificates;

use crate::harness::{CLUSTER_TLS, REDIS_TLS, RedisHarness, SENTINEL_TLS, Server};
use queue_testkit::{Selection, collect};

fn passes_the_core_of_the_suite(server: Server) {
    let Some(url) = server.url() else { return };
    let reports = collect(RedisHarness { url }, &Selection::core()).expect("it opens");
    let failed: Vec<_> = reports.iter().filter(|report| report.has_failed()).collect();
    assert!(reports.len() > 70 && failed.is_empty(), "{} cases, of which failed {failed:#?}", reports.len());
}

#[test]
fn the_core_of_the_suite_passes_on_a_server() {
    passes_the_core_of_the_suite(REDIS_TLS);
}

#[test]
fn the_core_of_the_suite_passes_on_a_cluster() {
    passes_the_core_of_the_suite(CLUSTER_TLS);
}

#[test]
fn the_core_of_the_suite_passes_behind_sentinels() {
    passes_the_core_of_the_suite(SENTINEL_TLS);
}
