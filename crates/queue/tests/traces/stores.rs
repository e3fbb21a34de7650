//! What the layer `Traced` records of the calls of a store.

use crate::support::{Traced as Seen, assert_child, attribute, texts};
use opentelemetry::Value;
use opentelemetry_sdk::trace::SpanData;
use queue::{JobOptions, Queue, Storage, Traced};
use queue_testkit::fault::{Fault, FaultPlan, FaultStore, StorageVerb};
use std::{sync::Arc, time::Duration};
use tracing::{Instrument as _, info_span};

fn over(store: Arc<dyn Storage>) -> Queue<String, String> {
    Queue::new(Arc::new(Traced::new(store)), "texts").expect("a valid name")
}

fn told<const N: usize>(span: &SpanData, names: [&str; N]) -> [Option<Value>; N] {
    names.map(|name| attribute(span, name))
}

#[tokio::test(start_paused = true)]
async fn a_call_is_a_span_within_that_of_its_caller_with_what_was_sent_and_answered() {
    let seen = Seen::new();
    let queue = over(texts().storage().clone());
    let three = ["a", "b", "a"].map(|id| (id, String::new()));
    queue.enqueue_many(three, JobOptions::new()).instrument(info_span!("order")).await.unwrap();
    queue.status("nobody").await.unwrap();
    let _job = queue.dequeue(Duration::from_secs(1)).await.unwrap().expect("it is due");
    let (enqueue, get) = (seen.span("enqueue"), seen.span("get"));
    assert_child(&enqueue, &seen.send());
    let sent = [Some("memory".into()), Some("texts".into()), Some(3.into()), Some(3.into())];
    assert_eq!(told(&enqueue, ["store", "queue", "items", "answered"]), sent);
    assert_eq!(told(&get, ["items", "answered"]), [1, 0].map(|n: i64| Some(n.into())));
    assert_eq!(told(&seen.spans("claim")[0], ["items", "answered"]), [1, 1].map(|n: i64| Some(n.into())));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_failed_tells_why_and_whether_it_may_have_happened() {
    let seen = Seen::new();
    let store = FaultStore::new(texts().storage().clone(), FaultPlan::new(7));
    store.next(StorageVerb::Enqueue, 1, &Fault::LoseReply);
    let queue = over(Arc::new(store));
    queue.enqueue("a", String::new()).await.unwrap_err();
    let [kind, certainty, error, answered] =
        told(&seen.span("enqueue"), ["error_kind", "certainty", "error", "answered"]);
    assert_eq!((kind, certainty, answered), (Some("Unavailable".into()), Some("Unknown".into()), None));
    assert!(error.is_some());
}
