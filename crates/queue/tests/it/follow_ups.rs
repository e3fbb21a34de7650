//! Follow-ups of jobs that fail for good, and kinds of the library's own.

use crate::support::{SECOND, TextQueue, memory, take, texts};
use queue::{
    Certainty, ErrorKind, FailedJob, Failure, InvalidOption, JobKind, JobOptions, Kind, Queue, Settled,
    queue_core::NewJob,
};
use std::error::Error as _;

const ALERT: JobKind<FailedJob> = JobKind::new("alert");

fn failing() -> JobOptions {
    JobOptions::new().max_attempts(1).on_failure(ALERT)
}

async fn fail(queue: &TextQueue) -> queue::JobMeta {
    let job = take(queue).await;
    let meta = job.meta().clone();
    let settled = job.nack(Failure::new("Boom", "it broke")).await.expect("it settles");
    assert_eq!(settled, Settled::Done);
    meta
}

/// The follow-up of a job, given the job as it was claimed.
async fn alert(queue: &TextQueue, failed: &queue::JobMeta) -> Option<FailedJob> {
    let follow_up = FailedJob::follow_up_id(failed);
    queue.of(ALERT).payload(follow_up).await.expect("it reads")
}

#[tokio::test(start_paused = true)]
async fn a_job_that_fails_for_good_is_followed_by_one_that_knows_of_it() {
    let queue = texts();
    queue.enqueue_with("a", "payload".to_owned(), failing().max_attempts(2)).await.unwrap();
    assert_eq!(queue.status("a").await.unwrap().unwrap().on_failure().unwrap().as_str(), "alert");
    let first = fail(&queue).await;
    assert_eq!(alert(&queue, &first).await, None, "it is tried again");
    let second = fail(&queue).await;
    let told = alert(&queue, &second).await.expect("it follows");
    assert_eq!((told.id.as_str(), told.kind.as_str(), told.failures), ("a", "default", 2));
    assert_eq!((told.error_name.as_str(), told.error_message.as_str()), ("Boom", "it broke"));
    assert_eq!(queue.counts().await.unwrap().total(), 2);
}

#[tokio::test(start_paused = true)]
async fn each_failure_of_a_job_that_is_redriven_has_a_job_of_its_own() {
    let queue = texts();
    queue.enqueue_with("a", String::new(), failing().priority(-1)).await.unwrap();
    let first = fail(&queue).await;
    let _ = queue.redrive("a").await.unwrap();
    let second = fail(&queue).await;
    assert_ne!(FailedJob::follow_up_id(&first), FailedJob::follow_up_id(&second));
    assert!(alert(&queue, &first).await.is_some() && alert(&queue, &second).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn the_kind_of_a_follow_up_may_be_text_or_none() {
    let handle = Queue::<String, String>::builder(memory(), "texts").options(failing()).build().unwrap();
    let made = |options| handle.new_job("a", &String::new(), &options).unwrap().terms.on_failure.clone();
    assert_eq!(made(JobOptions::new()), Some(Kind::from(ALERT)), "as the handle says");
    assert_eq!(made(JobOptions::new().on_failure("other")).unwrap().as_str(), "other");
    assert_eq!(made(JobOptions::new().on_failure("other".to_owned())).unwrap().as_str(), "other");
    assert_eq!(made(JobOptions::new().on_failure(None)), None);
}

fn assert_refused(error: &queue::Error) {
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied), "{error}");
    assert!(error.source().expect("it has a cause").is::<InvalidOption>(), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_reserved_or_none_cannot_follow() {
    let queue = texts();
    for (kind, says) in [("queue.schedule", "reserved"), ("", "empty"), ("a\tb", "control")] {
        let options = JobOptions::new().on_failure(kind);
        let error = queue.enqueue_with("a", String::new(), options).await.unwrap_err();
        assert_refused(&error);
        assert!(error.message().contains(says), "{error}");
    }
    assert_eq!(queue.counts().await.unwrap().total(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_reserved_kind_is_refused_whichever_way_it_is_enqueued() {
    let queue = texts();
    let own = queue.of_kind(Kind::new("queue.schedule").unwrap());
    let (text, options) = (String::new, JobOptions::new());
    assert_refused(&own.enqueue("a", text()).await.unwrap_err());
    assert_refused(&own.enqueue_with("a", text(), options.clone()).await.unwrap_err());
    assert_refused(&own.enqueue_many([("a", text())], options.clone()).await.unwrap_err());
    assert_refused(&own.new_job("a", &text(), &options).unwrap_err());
    let waited = own.enqueue_and_wait("a", text(), SECOND).await.unwrap_err();
    assert!(
        matches!(&waited, queue::WaitError::Store(error) if error.kind() == ErrorKind::Invalid),
        "{waited}"
    );
    assert_eq!(queue.counts().await.unwrap().total(), 0);
    queue.of_kind(Kind::new("queued").unwrap()).enqueue("a", text()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_id_of_the_library_is_refused_whichever_way_it_is_enqueued() {
    let queue = texts();
    let (text, options) = (String::new, JobOptions::new().debounce(SECOND));
    for id in ["queue.schedule:nightly", "queue.batch:import", "queue.halt:import@3", "batch:import@3/end"] {
        assert_refused(&queue.enqueue(id, text()).await.unwrap_err());
        assert_refused(&queue.enqueue_with(id, text(), options.clone()).await.unwrap_err());
        assert_refused(
            &queue.enqueue_many([("a", text()), (id, text())], options.clone()).await.unwrap_err(),
        );
        assert_refused(&queue.new_job(id, &text(), &options).unwrap_err());
        assert!(queue.enqueue_and_wait(id, text(), SECOND).await.is_err());
    }
    assert_eq!(queue.counts().await.unwrap().total(), 0);
    for id in ["queued", "batch:import", "batch:import@3"] {
        queue.enqueue(id, text()).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_cannot_make_a_job_of_a_reserved_kind() {
    let reserved = || Kind::new("queue.schedule").unwrap();
    let changes: [fn(&mut NewJob, Kind); 2] =
        [|job, kind| job.kind = kind, |job, kind| job.terms.on_failure = Some(kind)];
    for change in changes {
        let builder = Queue::<String>::builder(memory(), "texts");
        let queue = builder.before_enqueue(move |_, job| {
            change(job, reserved());
            Ok(())
        });
        let queue = queue.build().unwrap();
        assert_refused(&queue.enqueue("a", String::new()).await.unwrap_err());
    }
}
