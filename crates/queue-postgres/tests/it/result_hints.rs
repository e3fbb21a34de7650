//! The hint of an end brings the result to those who wait for it on the handle that stored it. It
//! brings the end alone to other handles: any role of a database may listen to what the server
//! passes on, and send it too, so no result goes that way, and none that comes that way is
//! believed.

use crate::common::{Place, claim, enqueue, job, queue, text};
use crate::partitions::PATIENCE;
use futures_util::StreamExt;
use queue_core::{
    EventStream, Hint, Interest, JobChange, JobId, Payload, Storage,
    lifecycle::{Event, Policy, decide},
};
use tokio::time::timeout;

/// The next hints about jobs. A new connection may have missed some.
async fn next(hints: &mut EventStream, count: usize) -> Vec<Hint> {
    let mut all = Vec::new();
    while all.len() < count {
        let hint = timeout(PATIENCE, hints.next()).await.expect("each end has a hint").expect("it is open");
        all.extend(Some(hint).filter(|hint| matches!(hint, Hint::Job(_) | Hint::Completed(_))));
    }
    all
}

#[tokio::test]
async fn the_hint_of_an_end_brings_the_result_to_the_handle_that_stored_it_and_to_no_other() {
    let Some(place) = Place::new().await else { return };
    let (store, other) = (place.open().await, place.open().await);
    enqueue(&store, ["a", "b"].map(|id| job(id).awaited()).into()).await;
    let ids = ["a", "b"].map(JobId::from_static);
    let mut own = store.subscribe(&queue(), Interest::Jobs(ids.to_vec())).await.expect("it listens");
    let mut waiting = other.subscribe(&queue(), Interest::Jobs(ids.to_vec())).await.expect("it listens");

    let held = claim(&store, 2).await.jobs;
    let result = |id: &JobId| {
        let bytes = if *id == ids[0] { vec![0] } else { vec![7; 100_000] };
        Payload::new(bytes, text("").content_type)
    };
    let settles = held.iter().map(|held| {
        let meta = &held.record.meta;
        let event = Event::Complete {
            token: held.token,
            result: result(&meta.id),
            retention: None,
            then: Vec::new(),
        };
        decide(meta, event, &Policy::default()).expect("it is held")
    });
    store.apply(settles.collect()).await.expect("it settles");

    let brought = next(&mut own, 2).await.into_iter().map(|hint| match hint {
        Hint::Completed(job) => (job.id.clone(), job.revision, job.result),
        other => panic!("{other:?} brings no result"),
    });
    let stored = held.iter().map(|held| {
        let meta = &held.record.meta;
        (meta.id.clone(), meta.revision + 1, result(&meta.id))
    });
    assert_eq!(brought.collect::<Vec<_>>(), stored.collect::<Vec<_>>());
    let told = next(&mut waiting, 2).await;
    let is_end =
        |hint: &Hint| matches!(hint, Hint::Job(JobChange { state: Some(state), .. }) if state.is_terminal());
    assert!(told.iter().all(is_end), "{told:?}");
    place.finish(&store).await;
}
