//! Batches of settles whose items differ: each item is written by its own terms.

use crate::common::{Place, enqueue, job, queue, request};
use queue_core::{
    Applied, ClaimedJob, ContentType, Detail, Failure, Payload, Retention, Span, Storage, StorageExt,
    lifecycle::{Cause, Event, Policy, decide},
};
use queue_postgres::PostgresStorage;

const HOUR: Retention = Retention::Keep(Span::from_secs(3_600));

fn result(text: &'static str, content_type: &'static str) -> Payload {
    Payload::new(text, ContentType::from_static(content_type))
}

/// Two held jobs, the second of which failed before and is awaited.
async fn two_that_differ(store: &PostgresStorage) -> Vec<ClaimedJob> {
    enqueue(store, vec![job("b").awaited()]).await;
    for held in store.claim(request(1, Span::from_secs(30))).await.expect("the server answers").jobs {
        let event = Event::Fail {
            token: held.token,
            failure: Failure::new("Io", "broken"),
            cause: Cause::Retryable,
            delay: Some(Span::ZERO),
            retention: None,
            then: Vec::new(),
        };
        store.settle(&held.record.meta, event, &Policy::default()).await.expect("the server answers");
    }
    enqueue(store, vec![job("a")]).await;
    let mut held = store.claim(request(2, Span::from_secs(30))).await.expect("the server answers").jobs;
    held.sort_by_key(|job| job.record.meta.id.to_string());
    held
}

/// A record that is kept for ever must not get the purge time of another item.
#[tokio::test]
async fn completions_of_one_batch_keep_what_is_their_own() {
    let results = [result("", "text/plain"), result("other", "application/json")];
    for retentions in [[HOUR, Retention::Forever], [Retention::Forever, HOUR]] {
        for order in [[0, 1], [1, 0]] {
            let Some(place) = Place::new().await else { return };
            let store = place.open().await;
            let held = two_that_differ(&store).await;
            assert_eq!(held.len(), 2);
            let complete = |at: usize| {
                let token = held[at].token;
                let result = results[at].clone();
                let retention = Some(retentions[at]);
                let event = Event::Complete { token, result, retention, then: Vec::new() };
                decide(&held[at].record.meta, event, &Policy::default()).expect("it is held")
            };
            let answers = store.apply(order.map(complete).to_vec()).await.unwrap();
            for (at, answer) in order.into_iter().zip(&answers.value) {
                let id = &held[at].record.meta.id;
                let found = store.get_one(&queue(), id, Detail::Full).await.unwrap().unwrap();
                assert_eq!(found.meta.purge_at.is_some(), retentions[at] == HOUR, "{id} of {retentions:?}");
                assert_eq!(found.result(), Some(&results[at]));
                assert_eq!((found.meta.failures, found.meta.awaited), (at as u32, at == 1));
                assert!(
                    matches!(answer, Applied::Done(told) if *told == found.meta),
                    "{answer:?}, {found:?}"
                );
            }
            place.finish(&store).await;
        }
    }
}
