//! A store that stands still, or that reads and takes no jobs, as its pages show it.

use super::{dashboard, enqueue, get, memory, new_job};
use crate::{AccessPolicy, Dashboard, WatchedStores, routes::table};
use http::{Method, StatusCode};
use queue_core::{Error, ErrorKind, QueueName, Result, Storage, StorageLayer};
use queue_http::{READ_MAX, Readiness};
use std::{
    future::{Future, pending},
    sync::Arc,
};
use tokio::time::Instant;

/// A store that answers nothing.
#[derive(Debug)]
struct Frozen(Arc<dyn Storage>);

/// A store that reads, and refuses new jobs, as on a full disk.
#[derive(Debug)]
struct Full(Arc<dyn Storage>);

impl StorageLayer for Frozen {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.0
    }

    async fn around<T: Send>(
        &self,
        _: &'static str,
        _: Option<&QueueName>,
        _: impl Future<Output = Result<T>> + Send,
    ) -> Result<T> {
        pending().await
    }
}

impl StorageLayer for Full {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.0
    }

    async fn around<T: Send>(
        &self,
        verb: &'static str,
        _: Option<&QueueName>,
        call: impl Future<Output = Result<T>> + Send,
    ) -> Result<T> {
        match verb {
            "enqueue" => Err(Error::new(ErrorKind::Unavailable, verb, "the disk is full")),
            _ => call.await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_of_a_store_that_stands_still_is_answered_after_ten_seconds() {
    let dashboard = dashboard(Arc::new(Frozen(memory())));
    for route in table().iter().filter(|route| route.method == Method::GET) {
        // They need no answer of the store to begin.
        if matches!(route.path, "/login" | "/changes") {
            continue;
        }
        let begun = Instant::now();
        let got = get(&dashboard, &format!("{}?queue=mail&id=a", route.path)).await;
        assert_eq!(got.status, StatusCode::SERVICE_UNAVAILABLE, "{}", route.path);
        assert!(begun.elapsed() <= READ_MAX, "{}: {:?}", route.path, begun.elapsed());
        assert!(got.text.contains("The store does not answer"), "{}", got.text);
    }
}

#[tokio::test]
async fn the_first_page_tells_of_a_store_that_reads_and_takes_no_jobs() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    let full: Arc<dyn Storage> = Arc::new(Full(store.clone()));
    for (asked, is_told) in [(full, true), (store.clone(), false)] {
        let watched = WatchedStores::from(store.clone()).readiness(Readiness::new(asked));
        let dashboard = Dashboard::new(watched).access(AccessPolicy::of_requests(super::door()));
        let page = get(&dashboard, "/").await;
        assert_eq!(page.status, StatusCode::OK);
        assert_eq!(page.text.contains("The store takes no jobs now"), is_told, "{}", page.text);
    }
}
