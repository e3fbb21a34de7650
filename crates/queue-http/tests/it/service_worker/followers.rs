//! Jobs that a handler has follow its own.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use super::served::{Served, Working, numbers, until};
use queue::{State, service::ServiceWorker, worker::Router};
use queue_core::{
    Budget, ContentType, Detail, Headers, JobId, JobMeta, Kind, NewJob, OnFailed, OnWaiting, Payload,
    Retention, RetentionPolicy, Span, StorageExt, Tag, Tags,
};

/// A job of which no field has its default.
fn unusual(id: &str) -> NewJob {
    let payload = Payload::new(vec![0, 159, 255], ContentType::from_static("image/png"));
    let retention =
        RetentionPolicy { completed: Retention::Keep(Span::from_secs(7)), failed: Retention::Forever };
    NewJob::new(JobId::new(id).unwrap(), Kind::new("picture").unwrap(), payload)
        .with_headers(Headers::new([("origin".to_owned(), "here".to_owned())]).unwrap())
        .with_tags(Tags::new([Tag::new("big").unwrap()]).unwrap())
        .with_priority(-3)
        .with_delay(Span::from_secs(60))
        .with_expires_in(Span::from_secs(600))
        .with_time_limit(Span::from_secs(5))
        .with_max_attempts(Budget::Unlimited)
        .with_max_stalls(Budget::from_raw(9))
        .with_retention(retention)
        .with_on_failed(OnFailed::Replace)
        .with_on_failure(Kind::new("alarm").unwrap())
        .awaited()
}

/// One that may replace a waiting job, and so cannot expire.
fn replacing(id: &str) -> NewJob {
    let mut job = unusual(id).with_on_waiting(OnWaiting::Replace { max_wait: Some(Span::from_secs(90)) });
    job.expires_in = None;
    job
}

#[tokio::test]
async fn a_job_that_follows_over_a_service_keeps_every_field() {
    let served = Served::start().await;
    served.jobs().enqueue("first", 1).await.unwrap();
    let router = Router::new(()).fallback(|number: u32, job| async move {
        job.then(unusual("follower"));
        job.then(replacing("replacing"));
        Ok(number)
    });
    let working = Working::start(ServiceWorker::builder(served.options(), numbers(), router)).await;
    let first = JobId::new("first").unwrap();
    until("it is done", async || served.jobs().status(&first).await.unwrap().unwrap().state().is_terminal())
        .await;
    let first = served.jobs().status(&first).await.unwrap().unwrap().meta;
    assert_eq!((first.state, first.last_error), (State::Completed, None));
    for new in [unusual("follower"), replacing("replacing")] {
        let found = served.storage.get_one(&numbers(), &new.id, Detail::Full).await.unwrap().unwrap();
        let body = found.body.unwrap();
        let begun = JobMeta::begin(numbers(), &new, found.meta.seq, found.meta.created_at);
        assert_eq!(found.meta, JobMeta { revision: found.meta.revision, ..begun });
        assert_eq!((body.payload, body.headers), (new.payload, new.headers));
    }
    assert_eq!(working.stopped().await.completed, 1);
}
