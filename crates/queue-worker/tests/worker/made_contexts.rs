//! Contexts that a test makes, for handlers that are called as plain functions.

use queue_core::{JobId, Kind, NewJob, Payload};
use queue_serde::{Codec, Json};
use queue_worker::{CancelReason, Context, JobError, Router, testing::context};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

fn job(id: &'static str) -> NewJob {
    NewJob::new(JobId::from_static(id), Kind::unnamed(), Payload::new("1", Json.content_type()))
}

#[test]
fn a_made_context_shows_the_job_as_a_worker_would() {
    let made =
        context().queue("mails").id("a").kind("mail").attempt(3).meta(|meta| meta.priority = -5).build();
    let seen = made.context();
    let names = (seen.meta().queue.as_str(), seen.meta().id.as_str(), seen.meta().kind.as_str());
    assert_eq!(names, ("mails", "a", "mail"));
    assert_eq!((seen.attempt(), seen.epoch(), seen.meta().priority), (3, 3, -5));
    assert_eq!(context().epoch(9).build().context().epoch(), 9);
    assert_eq!(context().state("app").build().context().state(), &"app");
}

#[test]
#[should_panic(expected = "counted from one")]
fn there_is_no_attempt_zero() {
    let _builder = context().attempt(0);
}

#[test]
fn what_a_handler_reports_can_be_read_afterwards() {
    fn handler(context: &Context) -> Result<(), JobError> {
        context.report_progress(&1)?;
        context.report_progress(&(1, 2))?;
        context.then(job("b"));
        context.then(job("c"));
        context.set_time_limit(2 * MINUTE);
        Ok(())
    }
    let made = context().time_limit(MINUTE).build();
    assert_eq!((made.progress::<u8>(), made.followers(), made.time_limit()), (None, vec![], Some(MINUTE)));
    handler(&made.context()).unwrap();
    assert_eq!(made.progress(), Some((1, 2)));
    let followers: Vec<_> = made.followers().into_iter().map(|job| job.id.to_string()).collect();
    assert_eq!(followers, ["b", "c"]);
    assert_eq!(made.time_limit(), Some(2 * MINUTE));
}

#[tokio::test]
async fn a_lease_holds_until_the_test_cancels_and_the_first_reason_stays() {
    let made = context().build();
    let seen = made.context();
    assert_eq!(seen.heartbeat().await.unwrap(), None);
    assert_eq!(seen.extend(MINUTE).await.unwrap(), None);
    made.cancel(CancelReason::TimeLimit);
    made.cancel(CancelReason::Requested);
    seen.cancelled().await;
    assert_eq!(seen.heartbeat().await.unwrap(), Some(CancelReason::TimeLimit));
    let told_before = context().cancelled(CancelReason::Shutdown).build();
    assert_eq!(told_before.context().cancel_reason(), Some(CancelReason::Shutdown));
}

#[tokio::test]
async fn a_router_runs_for_a_made_context_as_for_one_of_a_worker() {
    let shout = |text: String, _: Context| async move { Ok(text.to_uppercase()) };
    let router = Router::new(()).handle("shout", shout).unwrap();
    let made = context().kind("shout").payload(&"hi").build();
    assert_eq!(made.run::<String>(&router).await.unwrap(), "HI");
    let unknown = context().kind("whisper").build();
    assert_eq!(unknown.run::<()>(&router).await.unwrap_err().failure().unwrap().name(), "UnknownKind");
}
