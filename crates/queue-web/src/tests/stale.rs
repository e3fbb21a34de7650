//! A page that is open while the store goes away says how old it is, and goes on when it is back.

use super::{dashboard, enqueue, everybody, memory, new_job};
use crate::Dashboard;
use http::Request;
use http_body_util::{BodyExt, Full};
use queue_http::AnswerBody;
use queue_testkit::fault::{Fault, FaultPlan, FaultStore, Gate, StorageVerb};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use tower::ServiceExt;

/// The events of the stream that keeps a page fresh.
struct Changes(AnswerBody);

impl Changes {
    async fn of(dashboard: &Dashboard) -> Self {
        let request = Request::builder().uri("/changes").header("host", "queue.example.org");
        let request = request.extension(everybody()).body(Full::from("")).expect("a request");
        Self(dashboard.clone().oneshot(request).await.expect("an answer").into_body())
    }

    /// The next event: its name, and what it says.
    async fn next(&mut self) -> (String, String) {
        loop {
            let frame = self.0.frame().await.expect("it goes on").expect("it is not broken");
            let bytes = frame.into_data().expect("data");
            let text = String::from_utf8(bytes.to_vec()).expect("text");
            let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
            if let Some(event) = line("event: ") {
                return (event, line("data: ").expect("each has data"));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_page_says_for_how_long_its_store_has_not_answered() {
    for fault in [Fault::Refuse, Fault::HoldUntil(Gate::shut())] {
        let inner = memory();
        enqueue(&inner, "mail", vec![new_job("a", "k", "1")]).await;
        let store = Arc::new(FaultStore::new(inner, FaultPlan::new(1)));
        let mut changes = Changes::of(&dashboard(store.clone())).await;
        assert_eq!(changes.next().await.0, "live", "{fault:?}");
        store.next(StorageVerb::Queues, 10_000, &fault);
        let gone = Instant::now();
        let mut said = Vec::new();
        while gone.elapsed() < Duration::from_secs(55) {
            let (event, words) = changes.next().await;
            assert_eq!(event, "stale", "{fault:?} after {:?}", gone.elapsed());
            said.push((gone.elapsed().as_secs(), words));
        }
        assert!(said[0].0 <= 4, "{fault:?}: it is said at once, not after {:?}", said[0]);
        let (last, words) = said.last().expect("it was said");
        assert!(
            *last >= 55 && words.starts_with("The store has not answered for ") && words.ends_with(" s."),
            "{fault:?}: after {last} s it says {words}"
        );
        store.heal();
        assert_eq!(changes.next().await.0, "changed", "{fault:?}: the page is read again");
    }
}
