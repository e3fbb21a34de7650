//! What a store shows of itself in a log that prints values: never how it was let in.

use crate::{served::Served, server};
use queue::{Storage, open};
use std::{fs, sync::Arc, time::Duration};

/// Asserts that neither the store nor what it printed at first has this text.
fn hides(store: &Arc<dyn Storage>, secret: &str) {
    let shown = format!("{store:?} {store:#?}");
    assert!(secret.len() > 4 && !shown.contains(secret), "{shown}");
}

/// The password of a URL.
fn password(url: &str) -> &str {
    let (login, _) = url.rsplit_once('@').expect("a login");
    login.rsplit_once(':').expect("a password").1
}

async fn hides_its_password(name: &str, variable: &str) {
    let Some(url) = server::url(name, variable) else { return };
    let store = open(&url).await.expect("it opens");
    hides(&store, password(&url));
    store.close().await.expect("it closes");
    hides(&store, password(&url));
}

#[tokio::test]
async fn a_store_in_postgres_does_not_show_its_password() {
    hides_its_password("postgres", "QUEUE_TEST_POSTGRES_URL").await;
}

#[tokio::test]
async fn a_store_in_redis_does_not_show_its_password() {
    hides_its_password("redis", "QUEUE_TEST_REDIS_URL").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_remote_store_does_not_show_its_token() {
    let served = Served::start();
    let store = served.open(Duration::from_secs(30)).await;
    let token = fs::read_to_string(served.path().join("store.token")).expect("it was made");
    hides(&store, token.trim().splitn(3, '_').last().expect("a secret"));
}
