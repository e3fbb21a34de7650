//! Which handler runs, with what, and what it leaves.

use crate::support::{Rig, id, job, router};
use bytes::Bytes;
use queue_core::{
    Budget, ContentType, FailedJob, Kind, NewJob, Payload, Reason, RetryPolicy, State, lifecycle::Unhandled,
};
use queue_serde::{Codec, CodecContext, CodecError, DecodeFn, Json, Raw, erased_serde};
use queue_worker::{Context, JobError, Router};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

fn of_kind(name: &str, kind: &str, payload: &'static str) -> NewJob {
    let payload = Payload::new(payload, ContentType::from_static("application/json"));
    NewJob::new(id(name), Kind::new(kind).expect("valid"), payload)
}

#[tokio::test(start_paused = true)]
async fn a_job_goes_to_the_handler_of_its_kind_with_its_payload_decoded() {
    let rig = Rig::new();
    let router = Router::new(())
        .handle("double", |n: u32, _| async move { Ok(n * 2) })
        .and_then(|router| {
            router.handle("greet", |(name, n): (String, u32), _| async move { Ok(format!("{name} {n}")) })
        })
        .expect("two kinds");
    rig.enqueue([of_kind("a", "double", "21"), of_kind("b", "greet", r#"["ada",3]"#)]).await;
    rig.drain(rig.worker(router)).await;
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "42");
    assert_eq!(rig.record("b").await.result().expect("completed").bytes, r#""ada 3""#);
}

#[tokio::test(start_paused = true)]
async fn every_handler_sees_the_state_of_the_application() {
    let rig = Rig::new();
    let router = Router::new(AtomicU32::new(0))
        .handle("work", |n: u32, context: Context<AtomicU32>| async move {
            Ok(context.state().fetch_add(n, Ordering::Relaxed) + n)
        })
        .expect("one kind");
    rig.enqueue([job("a", 1), job("b", 2), job("c", 4)]).await;
    let events = rig.events.clone();
    let worker = queue_worker::Worker::builder(rig.store.clone(), rig.queue.clone(), router)
        .concurrency(1)
        .on_event(move |event| events.push(event));
    rig.drain(worker).await;
    assert_eq!(rig.record("c").await.result().expect("completed").bytes, "7");
}

#[tokio::test(start_paused = true)]
async fn the_context_tells_the_attempt_and_the_job() {
    let rig = Rig::new();
    let router = router(|_, context: Context| async move {
        if context.attempt() == 1 {
            return Err(JobError::named("Once", "the first attempt fails"));
        }
        let meta = context.meta();
        Ok((meta.id.to_string(), meta.epoch, context.attempt(), context.payload().bytes.len()))
    });
    rig.enqueue([job("a", 123)]).await;
    rig.drain(rig.worker(router)).await;
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, r#"["a",2,2,3]"#);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_kind_fails_the_job_when_the_policy_says_so_and_tells_why() {
    let rig = Rig::new();
    rig.enqueue([of_kind("a", "nobody", "1")]).await;
    rig.drain(rig.worker(router(|_, _| async { Ok(()) })).on_unknown_kind(Unhandled::Fail)).await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.reason), (State::Failed, Some(Reason::UnknownKind)));
    let error = meta.last_error.expect("stored");
    assert_eq!(error.name(), "UnknownKind");
    assert_eq!(error.message(), "this worker has no handler for jobs of the kind \"nobody\"");
}

#[tokio::test(start_paused = true)]
async fn a_missing_handler_for_jobs_without_a_kind_is_told_so() {
    let rig = Rig::new();
    rig.enqueue([of_kind("a", "default", "1")]).await;
    rig.drain(rig.worker(router(|_, _| async { Ok(()) })).on_unknown_kind(Unhandled::Fail)).await;
    let error = rig.meta("a").await.last_error.expect("stored");
    assert_eq!(error.message(), "this worker has no handler for jobs without a kind (\"default\")");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_kind_is_an_attempt_like_any_other() {
    let rig = Rig::new();
    rig.enqueue([of_kind("a", "nobody", "1").with_max_attempts(Budget::from_raw(3))]).await;
    let worker = rig.worker(router(|_, _| async { Ok(()) }));
    rig.drain(worker.retry(RetryPolicy::Fixed(Duration::from_millis(100)))).await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.reason, meta.failures), (State::Failed, Some(Reason::Exhausted), 3));
    assert_eq!(rig.events.times_of("started a"), [0, 100, 200]);
}

#[tokio::test(start_paused = true)]
async fn an_undecodable_payload_fails_the_job_without_calling_its_handler() {
    let rig = Rig::new();
    rig.enqueue([of_kind("a", "work", r#""no number""#)]).await;
    rig.drain(rig.worker(router(|_, _| async { Ok(()) }))).await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.reason), (State::Failed, Some(Reason::Undecodable)));
    assert_eq!(meta.last_error.expect("stored").name(), "Undecodable");
}

#[tokio::test(start_paused = true)]
async fn an_undecodable_payload_is_an_attempt_when_the_policy_says_retry() {
    let rig = Rig::new();
    rig.enqueue([of_kind("a", "work", "{").with_max_attempts(Budget::from_raw(3))]).await;
    let worker = rig.worker(router(|_, _| async { Ok(()) })).on_undecodable(Unhandled::Retry);
    rig.drain(worker).await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.reason, meta.failures), (State::Failed, Some(Reason::Exhausted), 3));
}

#[tokio::test(start_paused = true)]
async fn the_fallback_takes_every_kind_without_a_handler() {
    let rig = Rig::new();
    let router = router(|_, _| async { Ok("work") }).fallback(|raw: Raw, context: Context| async move {
        Ok(format!("{} {}", context.meta().kind, raw.0.bytes.len()))
    });
    rig.enqueue([job("a", 1), of_kind("b", "other", "{{")]).await;
    rig.drain(rig.worker(router)).await;
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, r#""work""#);
    assert_eq!(rig.record("b").await.result().expect("completed").bytes, r#""other 2""#);
}

#[tokio::test(start_paused = true)]
async fn raw_bytes_pass_through_in_both_directions() {
    let rig = Rig::new();
    let text = Payload::new(&b"\xff\x00"[..], ContentType::from_static("application/x-own"));
    let echo = Router::new(()).handle("echo", |raw: Raw, _| async move { Ok(raw) });
    rig.enqueue([NewJob::new(id("a"), Kind::from_static("echo"), text.clone())]).await;
    rig.drain(rig.worker(echo.expect("one kind"))).await;
    assert_eq!(rig.record("a").await.result(), Some(&text));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_a_result_too() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.drain(rig.worker(router(|_, _| async { Ok(()) }))).await;
    assert_eq!(rig.record("a").await.result().expect("completed").bytes, "null");
}

#[test]
fn a_kind_has_one_handler_and_a_valid_name() {
    let work = |_: u32, _: Context| async { Ok::<_, JobError>(()) };
    assert!(router(|_, _| async { Ok(()) }).handle("work", work).is_err());
    assert!(Router::new(()).handle("", work).is_err());
}

/// A codec that announces another format, and yet writes JSON.
#[derive(Clone, Copy, Debug)]
struct Other;

impl Codec for Other {
    fn content_type(&self) -> ContentType {
        ContentType::from_static("x/other")
    }

    fn plain(&self, value: &dyn erased_serde::Serialize) -> Result<Bytes, CodecError> {
        Json.plain(value)
    }

    fn write(
        &self,
        value: &dyn erased_serde::Serialize,
        context: &CodecContext<'_>,
    ) -> Result<Bytes, CodecError> {
        Json.write(value, context)
    }

    fn read(
        &self,
        bytes: &Bytes,
        context: &CodecContext<'_>,
        visit: &mut DecodeFn<'_>,
    ) -> Result<(), CodecError> {
        Json.read(bytes, context, visit)
    }
}

#[tokio::test(start_paused = true)]
async fn what_follows_a_failure_is_read_whatever_the_codec_and_leaves_what_that_writes() {
    let rig = Rig::new();
    let payload = Payload::new("1", ContentType::from_static("x/other"));
    let failing = NewJob::new(id("a"), Kind::from_static("work"), payload);
    rig.enqueue([failing.with_on_failure(Kind::from_static("alert"))]).await;
    let router = Router::with_codec((), Other)
        .handle("work", |_: u32, _| async { Err::<(), _>(JobError::named("Boom", "no").as_terminal()) })
        .and_then(|router| {
            router.handle("alert", |failed: FailedJob, _| async move { Ok(failed.error_name) })
        });
    rig.drain(rig.worker(router.expect("two kinds"))).await;
    let record = rig.record(FailedJob::follow_up_id(&rig.meta("a").await).as_str()).await;
    let result = record.result().expect("completed").clone();
    assert_eq!((&result.bytes[..], result.content_type.as_str()), (&b"\"Boom\""[..], "x/other"));
}

#[tokio::test(start_paused = true)]
async fn plain_json_is_read_as_nothing_but_what_follows_a_failure() {
    let rig = Rig::new();
    rig.enqueue([of_kind("a", "work", "1")]).await;
    let router = Router::with_codec((), Other).handle("work", |n: u32, _| async move { Ok(n) });
    rig.drain(rig.worker(router.expect("one kind"))).await;
    assert_eq!(rig.meta("a").await.reason, Some(Reason::Undecodable));
}
