use crate::support::{SECOND, memory};
use queue::{
    JobOptions, Outcome, Policy, Queue, Reason, RetryPolicy, WaitError,
    worker::{Context, JobError, Router},
};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn a_worker_of_a_queue_answers_its_calls_and_uses_its_policy() {
    let policy = Policy::default().retry(RetryPolicy::Fixed(Duration::from_secs(7)));
    let queue: Queue<String, String> = Queue::builder(memory(), "texts").policy(policy).build().unwrap();
    let router = Router::new(())
        .handle(
            "default",
            |text: String, _: Context<()>| async move { Ok::<_, JobError>(text.to_uppercase()) },
        )
        .unwrap()
        .handle("fails", |_: String, _: Context<()>| async move {
            Err::<String, _>(JobError::named("Io", "broken"))
        })
        .unwrap();
    let worker = queue.worker(router).build().unwrap();
    let stop = worker.stop_token();
    let running = crate::support::spawn(worker.run());

    assert_eq!(queue.enqueue_and_wait("a", "ada".to_owned(), 10 * SECOND).await.unwrap(), "ADA");
    let begun = Instant::now();
    let fails = JobOptions::new().kind("fails").max_attempts(2);
    let error = queue.enqueue_and_wait_with("b", String::new(), fails, 60 * SECOND).await.unwrap_err();
    assert!(matches!(error, WaitError::Failed { reason: Reason::Exhausted, .. }), "{error}");
    assert_eq!(begun.elapsed().as_secs(), 7);
    let unknown = JobOptions::new().kind("unknown");
    let _ = queue.enqueue_with("c", String::new(), unknown).await.unwrap();
    let outcome = queue.wait("c", 10 * SECOND).await.unwrap();
    assert!(matches!(outcome, Outcome::Failed { reason: Reason::UnknownKind, .. }), "{outcome:?}");
    stop.cancel();
    running.await.unwrap();
}
