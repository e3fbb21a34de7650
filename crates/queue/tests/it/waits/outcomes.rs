//! The outcomes of a wait other than a result.

use super::stage::{Stage, soon};
use crate::support::{SECOND, spawn};
use queue::{Failure, JobOptions, OnProcessing, Outcome, Queue, Reason, State, WaitError};
use std::time::Duration;

super::scenarios! {
    a_cancel_wakes_whoever_waits
    a_cancel_of_a_running_job_wakes_whoever_waits_once_its_holder_lets_go
    a_call_is_told_by_a_typed_error
    a_failure_arrives_with_its_details
    a_job_whose_holders_all_died_is_failed_as_stalled
    a_newer_life_supersedes_the_one_waited_for
    a_job_that_is_deleted_is_expired
    an_id_without_a_job_is_unknown
    a_deadline_says_how_the_job_stood
    a_failed_job_that_runs_again_is_waited_for_again
}

async fn a_cancel_wakes_whoever_waits(stage: &Stage) {
    stage.put().await;
    let wait = stage.wait_and_see("a").await;
    let _ = stage.working::<String>().cancel("a").await.unwrap();
    assert_eq!(wait.await.unwrap(), Outcome::Cancelled { reason: None });
}

async fn a_cancel_of_a_running_job_wakes_whoever_waits_once_its_holder_lets_go(stage: &Stage) {
    stage.put().await;
    let running = stage.working::<String>().dequeue(10 * SECOND).await.unwrap().unwrap();
    let wait = stage.wait_and_see("a").await;
    let _ = stage.working::<String>().cancel_with("a", OnProcessing::Request).await.unwrap();
    let _ = running.release().await.unwrap();
    assert_eq!(wait.await.unwrap(), Outcome::Cancelled { reason: None });
}

async fn a_call_is_told_by_a_typed_error(stage: &Stage) {
    let queue = stage.waiting::<String>();
    let call = spawn(async move { soon(queue.enqueue_and_wait("a", "in".to_owned(), 30 * SECOND)).await });
    let job = stage.working::<String>().dequeue(10 * SECOND).await.unwrap().unwrap();
    let _ = job.release().await.unwrap();
    let _ = stage.working::<String>().cancel("a").await.unwrap();
    assert!(matches!(call.await.unwrap(), Err(WaitError::Cancelled { reason: None })));
}

async fn a_failure_arrives_with_its_details(stage: &Stage) {
    let options = JobOptions::new().max_attempts(1);
    assert!(stage.working::<String>().enqueue_with("a", "in".to_owned(), options).await.unwrap().is_new());
    let wait = stage.wait_and_see("a").await;
    let failure = Failure::new("Io", "broken").with_details(vec![b'x'; 1000].into());
    let job = stage.working::<String>().dequeue(10 * SECOND).await.unwrap().unwrap();
    let _ = job.nack(failure.clone()).await.unwrap();
    assert_eq!(wait.await.unwrap(), Outcome::Failed { reason: Reason::Exhausted, error: Some(failure) });
}

/// No holder settles the job: the next worker that looks for jobs ends the lease. A claim gives up
/// within its lease, so that one must not be as short as a slow machine is slow.
async fn a_job_whose_holders_all_died_is_failed_as_stalled(stage: &Stage) {
    let storage = stage.working::<String>().storage().clone();
    let brief = Queue::<String, String>::builder(storage, "waits").lease(Duration::from_millis(500));
    let brief = brief.build().unwrap();
    let options = JobOptions::new().max_stalls(1);
    assert!(brief.enqueue_with("a", "in".to_owned(), options).await.unwrap().is_new());
    let wait = stage.wait_and_see("a").await;
    drop(brief.dequeue(10 * SECOND).await.unwrap().expect("a job is due"));
    let rescued = spawn(async move { brief.dequeue(Duration::from_secs(60)).await });
    let outcome = wait.await.unwrap();
    rescued.abort();
    assert!(matches!(outcome, Outcome::Failed { reason: Reason::Stalled, .. }), "{outcome:?}");
}

async fn a_newer_life_supersedes_the_one_waited_for(stage: &Stage) {
    stage.put().await;
    let wait = stage.wait_and_see("a").await;
    let queue = stage.working::<String>();
    // If the waiter reads between the two calls, the outcome is the cancel.
    let _ = queue.delete("a").await.unwrap();
    stage.put().await;
    let outcome = wait.await.unwrap();
    assert!(matches!(outcome, Outcome::Superseded | Outcome::Expired), "{outcome:?}");
    assert_eq!(queue.status("a").await.unwrap().unwrap().state(), State::Queued);
}

async fn a_job_that_is_deleted_is_expired(stage: &Stage) {
    stage.put().await;
    let wait = stage.wait_and_see("a").await;
    let _ = stage.working::<String>().delete("a").await.unwrap();
    assert_eq!(wait.await.unwrap(), Outcome::Expired);
}

async fn an_id_without_a_job_is_unknown(stage: &Stage) {
    let outcome = soon(stage.waiting::<String>().wait("a", 30 * SECOND)).await.unwrap();
    assert_eq!(outcome, Outcome::Unknown);
}

async fn a_deadline_says_how_the_job_stood(stage: &Stage) {
    stage.put().await;
    let queue = stage.waiting::<String>();
    let short = Duration::from_secs(1); // long enough to see the job on a busy machine
    let queued = Outcome::TimedOut { state: Some(State::Queued), error: None };
    assert_eq!(soon(queue.wait("a", short)).await.unwrap(), queued);
    let _running = stage.working::<String>().dequeue(10 * SECOND).await.unwrap().unwrap();
    let error = soon(queue.enqueue_and_wait("a", "in".to_owned(), short)).await.unwrap_err();
    assert!(matches!(error, WaitError::TimedOut { state: Some(State::Processing), error: None }), "{error}");
}

async fn a_failed_job_that_runs_again_is_waited_for_again(stage: &Stage) {
    let queue = stage.working::<String>();
    let once = JobOptions::new().max_attempts(1);
    assert!(queue.enqueue_with("a", "in".to_owned(), once).await.unwrap().is_new());
    let job = queue.dequeue(10 * SECOND).await.unwrap().unwrap();
    let _ = job.nack(Failure::new("Io", "broken")).await.unwrap();
    assert!(matches!(stage.wait("a").await.unwrap(), Outcome::Failed { .. }));
    let _ = queue.redrive("a").await.unwrap();
    let wait = stage.wait("a");
    stage.complete("out").await;
    assert_eq!(wait.await.unwrap(), Outcome::Completed("out".to_owned()));
}
