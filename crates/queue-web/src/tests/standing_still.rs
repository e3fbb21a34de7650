//! A store that stands still, or that reads and takes no jobs, as its pages show it.

use super::{dashboard, enqueue, get, memory, new_job};
use crate::{AccessPolicy, Dashboard, WatchedStores, routes::table};
use http::{Method, StatusCode};
use queue_core::Storage;
use queue_http::{READ_MAX, Readiness};
use queue_testkit::fault::{Fault, FaultPlan, FaultStore, Gate, StorageVerb};
use std::sync::Arc;
use tokio::time::Instant;

/// A store in memory whose verbs all meet this fault.
fn faulty(store: Arc<dyn Storage>, verbs: &[StorageVerb], fault: Fault) -> Arc<dyn Storage> {
    Arc::new(FaultStore::new(store, FaultPlan::new(7).one_in(1, verbs, fault)))
}

#[tokio::test(start_paused = true)]
async fn a_page_of_a_store_that_stands_still_is_answered_after_ten_seconds() {
    let dashboard = dashboard(faulty(memory(), StorageVerb::ALL, Fault::HoldUntil(Gate::shut())));
    for route in table().iter().filter(|route| route.method == Method::GET) {
        // They need no answer of the store to begin.
        if matches!(route.path, "/login" | "/changes" | "/new-job" | "/new-schedule") {
            continue;
        }
        let begun = Instant::now();
        let got = get(&dashboard, &format!("{}?queue=mail&id=a&name=import", route.path)).await;
        assert_eq!(got.status, StatusCode::SERVICE_UNAVAILABLE, "{}", route.path);
        assert!(begun.elapsed() <= READ_MAX, "{}: {:?}", route.path, begun.elapsed());
        assert!(got.text.contains("The store does not answer"), "{}", got.text);
    }
}

#[tokio::test]
async fn the_first_page_tells_of_a_store_that_reads_and_takes_no_jobs() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    // As on a full disk.
    let full = faulty(store.clone(), &[StorageVerb::Enqueue], Fault::Refuse);
    for (asked, is_told) in [(full, true), (store.clone(), false)] {
        let watched = WatchedStores::from(store.clone()).readiness(Readiness::new(asked));
        let dashboard = Dashboard::new(watched).access(AccessPolicy::of_requests(super::door()));
        let page = get(&dashboard, "/").await;
        assert_eq!(page.status, StatusCode::OK);
        assert_eq!(page.text.contains("The store takes no jobs now"), is_told, "{}", page.text);
    }
}
