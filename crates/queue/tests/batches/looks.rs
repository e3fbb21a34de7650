//! What the details of a batch show beside its counts.

use crate::{
    on_stores,
    stage::{DAY, HOUR, SECOND, Stage, Work, add},
};
use queue::{
    WorkerId,
    batches::{BatchDetails, BatchLife},
    queue_core::WorkerInfo,
};
use std::time::Duration;

on_stores!(
    a_batch_stands_still_while_no_worker_works_on_its_queue,
    members_that_wait_for_another_try_are_shown_with_the_newest_error,
    the_batch_of_a_member_is_in_its_id_and_its_tag,
);

async fn details(stage: &Stage) -> BatchDetails {
    stage.queue.batches().details("a").await.unwrap().expect("it is there")
}

async fn announce(stage: &Stage, ttl: Duration) {
    let worker = WorkerInfo::new(WorkerId::from_static("w"));
    let worker = WorkerInfo { queues: vec![stage.queue.name().clone()], ..worker };
    stage.queue.storage().announce(worker, ttl).await.unwrap();
}

async fn a_batch_stands_still_while_no_worker_works_on_its_queue(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    let idle = details(&stage).await;
    if !stage.queue.storage().capabilities().presence {
        assert_eq!((idle.has_worker, idle.view().standstill()), (None, None));
        return;
    }
    assert_eq!(idle.has_worker, Some(false));
    assert!(idle.view().standstill().is_some());
    announce(&stage, 60 * SECOND).await;
    let attended = details(&stage).await;
    assert_eq!((attended.has_worker, attended.view().standstill()), (Some(true), None));
    announce(&stage, Duration::ZERO).await;
    assert_eq!(details(&stage).await.has_worker, Some(false));
    batch.seal().await.unwrap();
    stage.finish("a").await;
    assert_eq!(details(&stage).await.has_worker, None, "a batch that is over needs none");
}

async fn members_that_wait_for_another_try_are_shown_with_the_newest_error(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    stage.run().await;
    assert!(details(&stage).await.view().retrying.is_none());
    batch.add("early", Work::FailOnce).await.unwrap();
    stage.run().await;
    stage.advance(SECOND / 100);
    batch.add("late", Work::FailOnce).await.unwrap();
    stage.run().await;
    let found = details(&stage).await;
    let view = found.view();
    let retrying = view.retrying.expect("two members wait for another try");
    assert_eq!((retrying.count().as_str(), retrying.has_more), ("2", false));
    let (job, error) = found.last_retried().expect("it has an error");
    assert_eq!((&job.id, error.name()), (&batch.job("late").unwrap(), "Once"));
    assert!(found.failed.is_empty(), "neither has failed for good");
    stage.advance(HOUR);
    stage.run().await;
    stage.advance(DAY);
    assert!(details(&stage).await.retrying.is_empty());
}

async fn the_batch_of_a_member_is_in_its_id_and_its_tag(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    let member = stage.meta(&batch.job("m0").unwrap()).await.expect("it waits");
    assert_eq!(BatchLife::of_member(&member), Some(batch.status().await.unwrap().life()));
    let coordinator = stage.coordinator("a").await;
    assert_eq!(BatchLife::of_member(&coordinator), None);
    for id in ["a@1/x", "a@/x", "@1/x", "a@1", "a/1@x"] {
        stage.queue.enqueue(id, Work::Complete).await.unwrap();
        let plain = stage.meta(&queue::JobId::new(id).unwrap()).await.expect("it waits");
        assert_eq!(BatchLife::of_member(&plain), None, "{id}");
    }
}
