//! A prune beside callers that change the same jobs.

use crate::common::{Place, claim_one, enqueue, job, queue, text};
use queue_core::{Changed, Prune, PruneRequest, Storage};
use std::sync::Arc;
use tokio::task::JoinSet;

#[tokio::test]
async fn a_prune_that_meets_a_job_on_its_way_does_not_take_it_for_the_end() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (Arc::new(place.open().await), place.pool(2).await);
    enqueue(&*store, ["a", "b", "c", "d"].map(job).to_vec()).await;
    let held = claim_one(&store).await;
    let mut transaction = pool.begin().await.unwrap();
    let done =
        store.complete_in(&mut transaction, &held.record.meta, held.token, text("result")).await.unwrap();
    assert!(matches!(done, Changed::Done(_)));
    let request = PruneRequest { queue: queue(), what: Prune::Everything, limit: 3 };
    let mut prunes = JoinSet::new();
    let pruning = store.clone();
    prunes.spawn(async move { pruning.prune(request).await });
    place.until_one_waits_for_a_lock().await;
    transaction.commit().await.unwrap();
    let removed = prunes.join_next().await.unwrap().unwrap().unwrap();
    assert_eq!(removed, 3, "less would say that nothing is left");
    place.finish(&store).await;
}
