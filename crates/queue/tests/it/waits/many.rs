//! Several waiters at once.

use super::stage::{Stage, soon};
use crate::support::SECOND;
use futures_util::future::join_all;
use queue::{Outcome, State};
use std::{collections::BTreeMap, time::Duration};
use tokio::time::timeout;

super::scenarios! {
    every_waiter_of_one_id_is_answered
    every_waiter_of_many_ids_gets_the_result_of_its_own
    waiters_that_give_up_disturb_no_other
    a_deadline_ends_its_own_wait_alone
    a_cancel_wakes_every_waiter
}

async fn every_waiter_of_one_id_is_answered(stage: &Stage) {
    stage.put().await;
    let waiters: Vec<_> = (0..50).map(|_| stage.wait("a")).collect();
    stage.listening(50).await;
    stage.complete("out").await;
    for outcome in join_all(waiters).await {
        assert_eq!(outcome.unwrap(), Outcome::Completed("out".to_owned()));
    }
}

async fn every_waiter_of_many_ids_gets_the_result_of_its_own(stage: &Stage) {
    let ids: Vec<String> = (0..10).map(|n| format!("job-{n}")).collect();
    stage.put_many(ids.iter().map(String::as_str)).await;
    let waiters: BTreeMap<_, Vec<_>> =
        ids.iter().map(|id| (id, (0..5).map(|_| stage.wait(id)).collect())).collect();
    stage.listening(50).await;
    let queue = stage.working::<String>();
    for _ in &ids {
        let job = queue.dequeue(10 * SECOND).await.unwrap().unwrap();
        let _ = job.ack(&format!("of {}", job.id())).await.unwrap();
    }
    for (id, waiters) in waiters {
        for outcome in join_all(waiters).await {
            assert_eq!(outcome.unwrap(), Outcome::Completed(format!("of {id}")));
        }
    }
}

/// Some waiters give up before they have read, some afterwards.
async fn waiters_that_give_up_disturb_no_other(stage: &Stage) {
    stage.put().await;
    let queue = stage.waiting::<String>();
    drop(timeout(Duration::ZERO, queue.wait("a", 30 * SECOND)).await);
    let mut waiters: Vec<_> = (0..20).map(|_| stage.wait("a")).collect();
    stage.listening(20).await;
    waiters.drain(..10).for_each(|waiter| waiter.abort());
    stage.listening(10).await;
    stage.complete("out").await;
    for outcome in join_all(waiters).await {
        assert_eq!(outcome.unwrap(), Outcome::Completed("out".to_owned()));
    }
}

async fn a_deadline_ends_its_own_wait_alone(stage: &Stage) {
    stage.put().await;
    let patient = stage.wait_and_see("a").await;
    let hasty = soon(stage.waiting::<String>().wait("a", Duration::from_millis(5))).await.unwrap();
    assert_eq!(hasty, Outcome::TimedOut { state: Some(State::Queued), error: None });
    stage.complete("out").await;
    assert_eq!(patient.await.unwrap(), Outcome::Completed("out".to_owned()));
}

async fn a_cancel_wakes_every_waiter(stage: &Stage) {
    stage.put().await;
    let waiters: Vec<_> = (0..10).map(|_| stage.wait("a")).collect();
    stage.listening(10).await;
    // A waiter that has not read yet finds no job, which is right too.
    let _ = stage.working::<String>().cancel("a").await.unwrap();
    for outcome in join_all(waiters).await {
        assert_eq!(outcome.unwrap(), Outcome::Cancelled { reason: None });
    }
}
