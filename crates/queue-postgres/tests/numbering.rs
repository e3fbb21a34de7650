//! Lives are numbered in the order of the call (I12).

mod common;

use common::{Place, claim_one, enqueue, job, settle};
use queue_core::{
    Changed, Enqueued, Failure, OnFailed,
    lifecycle::{Cause, Event},
};

/// The first says no more than that the id is taken; the second replaces what holds it.
#[tokio::test]
async fn an_id_said_again_with_replace_is_numbered_before_those_behind_it() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![job("failed")]).await;
    let held = claim_one(&store).await;
    let (failure, cause) = (Failure::new("Test", "for good"), Cause::Terminal);
    let fail = Event::Fail { token: held.token, failure, cause, delay: None, retention: None };
    assert!(matches!(settle(&store, &held.record.meta, fail).await, Changed::Done(_)));
    let call = vec![job("failed"), job("failed").with_on_failed(OnFailed::Replace), job("behind")];
    let answers = enqueue(&store, call).await;
    assert_eq!(answers.iter().map(Enqueued::is_new).collect::<Vec<_>>(), [false, true, true]);
    assert!(answers[1].seq() < answers[2].seq(), "{answers:?}");
    place.finish(&store).await;
}
