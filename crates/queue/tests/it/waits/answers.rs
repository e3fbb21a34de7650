//! Results, and how they reach waiters.

use super::stage::{Stage, soon};
use crate::support::{SECOND, spawn};
use queue::{Failure, JobOptions, Keep, Nack, Outcome, WaitOptions};
use std::time::Duration;

super::scenarios! {
    a_call_is_answered_with_its_result
    a_result_that_is_there_is_answered_without_a_second_look
    a_wait_attaches_to_a_job_that_runs
    a_call_attaches_to_a_job_that_runs
    unit_is_a_result
    null_is_a_result
    a_result_of_a_hundred_thousand_characters_arrives_whole
    a_result_that_is_not_kept_is_there_for_whoever_waits
    a_job_that_fails_and_then_succeeds_is_waited_through
}

/// Options with so long between two reads that a waiter which needs a second one fails its test.
fn one_look() -> WaitOptions {
    let hour = Duration::from_secs(3600);
    WaitOptions::from(2 * hour).look_first_after(hour).look_at_least_every(hour)
}

async fn a_call_is_answered_with_its_result(stage: &Stage) {
    let queue = stage.waiting::<String>();
    let call = spawn(async move { soon(queue.enqueue_and_wait("a", "in".to_owned(), 30 * SECOND)).await });
    stage.complete("out").await;
    assert_eq!(call.await.unwrap().unwrap(), "out");
}

async fn a_result_that_is_there_is_answered_without_a_second_look(stage: &Stage) {
    stage.put().await;
    stage.complete("out").await;
    let queue = stage.waiting::<String>();
    assert_eq!(soon(queue.enqueue_and_wait("a", "in".to_owned(), one_look())).await.unwrap(), "out");
    let outcome = soon(queue.wait("a", one_look())).await.unwrap();
    assert_eq!(outcome, Outcome::Completed("out".to_owned()));
}

async fn a_wait_attaches_to_a_job_that_runs(stage: &Stage) {
    stage.put().await;
    let running = stage.working::<String>().dequeue(10 * SECOND).await.unwrap().unwrap();
    let wait = stage.wait_and_see("a").await;
    let _ = running.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(wait.await.unwrap(), Outcome::Completed("out".to_owned()));
}

async fn a_call_attaches_to_a_job_that_runs(stage: &Stage) {
    stage.put().await;
    let running = stage.working::<String>().dequeue(10 * SECOND).await.unwrap().unwrap();
    let queue = stage.waiting::<String>();
    let call =
        spawn(async move { soon(queue.enqueue_and_wait("a", "theirs".to_owned(), 30 * SECOND)).await });
    stage.listening(1).await;
    assert_eq!(running.payload(), "in");
    let _ = running.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), "out");
}

async fn unit_is_a_result(stage: &Stage) {
    let queue = stage.waiting::<()>();
    let call = spawn(async move { soon(queue.enqueue_and_wait("a", "in".to_owned(), 30 * SECOND)).await });
    let job = stage.working::<()>().dequeue(10 * SECOND).await.unwrap().unwrap();
    let _ = job.ack(&()).await.unwrap();
    call.await.unwrap().unwrap();
    assert_eq!(stage.waiting::<()>().wait("a", one_look()).await.unwrap(), Outcome::Completed(()));
}

async fn null_is_a_result(stage: &Stage) {
    let queue = stage.waiting::<Option<u8>>();
    let call = spawn(async move { soon(queue.enqueue_and_wait("a", "in".to_owned(), 30 * SECOND)).await });
    let job = stage.working::<Option<u8>>().dequeue(10 * SECOND).await.unwrap().unwrap();
    let _ = job.ack(&None).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), None);
    assert_eq!(stage.waiting::<Option<u8>>().wait("a", one_look()).await.unwrap(), Outcome::Completed(None));
}

async fn a_result_of_a_hundred_thousand_characters_arrives_whole(stage: &Stage) {
    let result: String = "é\"\\\u{1F600}\n".chars().cycle().take(100_000).collect();
    stage.put().await;
    let wait = stage.wait_and_see("a").await;
    stage.complete(&result).await;
    let outcome = wait.await.unwrap();
    assert!(outcome == Outcome::Completed(result), "the result was changed");
}

async fn a_result_that_is_not_kept_is_there_for_whoever_waits(stage: &Stage) {
    let options = JobOptions::new().keep(Keep::Nothing);
    assert!(stage.working::<String>().enqueue_with("a", "in".to_owned(), options).await.unwrap().is_new());
    let wait = stage.wait_and_see("a").await;
    stage.complete("out").await;
    assert_eq!(wait.await.unwrap(), Outcome::Completed("out".to_owned()));
}

async fn a_job_that_fails_and_then_succeeds_is_waited_through(stage: &Stage) {
    stage.put().await;
    let wait = stage.wait_and_see("a").await;
    let first = stage.working::<String>().dequeue(10 * SECOND).await.unwrap().unwrap();
    let nack = Nack::new(Failure::new("Io", "broken")).retry_in(Duration::from_millis(20));
    let _ = first.nack(nack).await.unwrap();
    stage.complete("at last").await;
    assert_eq!(wait.await.unwrap(), Outcome::Completed("at last".to_owned()));
}
