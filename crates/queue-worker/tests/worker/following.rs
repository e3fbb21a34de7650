//! Followers of answers other than a completion.

use crate::support::{Rig, job, millis, router, span};
use queue_core::{Budget, FailedJob, Headers, Kind, Limits, State, Storage, StorageExt, Tag, Tags};
use queue_worker::{Context, JobError};

#[tokio::test(start_paused = true)]
async fn a_job_follows_a_snooze_a_release_and_a_final_failure_and_no_retry() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1).with_max_attempts(Budget::from_raw(2))]).await;
    let handler = router(|n, context: Context| async move {
        if n != 1 {
            return Ok(());
        }
        let epoch = context.epoch();
        let next = job(&format!("after {epoch}"), 2).with_delay(span(5));
        Err(match epoch {
            1 => JobError::snooze(millis(10)).then(next),
            2 => JobError::release().then(next),
            _ => JobError::from("out of luck").then(next),
        })
    });
    let report = rig.drain(rig.worker(handler)).await;
    assert_eq!((report.completed, report.released, report.failing, report.failed), (3, 2, 1, 1));
    for after in ["after 1", "after 2", "after 4"] {
        assert_eq!(rig.meta(after).await.state, State::Completed, "{after}");
    }
    assert_eq!(rig.find("after 3").await, None, "a failure that is retried");
}

#[tokio::test(start_paused = true)]
async fn what_was_reported_last_goes_with_a_snooze() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        let so_far = context.meta().progress.as_ref().map_or(0, |bytes| bytes[0] - b'0');
        context.report_progress(&(so_far + 1))?;
        match so_far {
            0 => Err(JobError::snooze(millis(10))),
            1 => Err(JobError::release()),
            _ => Ok(so_far),
        }
    });
    rig.drain(rig.worker(handler)).await;
    let result = rig.record("a").await.body.expect("asked for").result.expect("completed");
    assert_eq!(&result.bytes[..], b"2");
}

const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// The headers that a tracing library gives to a job, and one of the program's own.
fn traced() -> Headers {
    Headers::new([("traceparent", TRACE), ("tracestate", "v=1"), ("tenant", "7")]).expect("valid")
}

async fn headers_of(rig: &Rig, name: &str) -> Vec<(String, String)> {
    let body = rig.record(name).await.body.expect("asked for");
    body.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[tokio::test(start_paused = true)]
async fn a_handler_sees_the_headers_and_tags_of_its_job() {
    let rig = Rig::new();
    let tags = Tags::new([Tag::new("import").expect("valid")]).expect("one");
    rig.enqueue([job("a", 1).with_headers(traced()).with_tags(tags), job("b", 2)]).await;
    let handler = router(|_, context: Context| async move {
        Ok((context.headers().get("tenant").map(str::to_owned), context.tags().len()))
    });
    rig.drain(rig.worker(handler)).await;
    for (name, seen) in [("a", r#"["7",1]"#), ("b", "[null,0]")] {
        let result = rig.record(name).await.body.expect("asked for").result.expect("completed");
        assert_eq!(&result.bytes[..], seen.as_bytes());
    }
}

#[tokio::test(start_paused = true)]
async fn jobs_that_follow_go_on_with_the_trace_unless_they_bring_their_own() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1).with_headers(traced())]).await;
    let handler = router(|n, context: Context| async move {
        if n == 1 {
            context.then(job("plain", 2));
            let own = Headers::new([("traceparent", "00-own"), ("tenant", "8")]).expect("valid");
            context.then(job("own", 2).with_headers(own));
        }
        Ok(())
    });
    rig.drain(rig.worker(handler)).await;
    let traced = [("traceparent", TRACE), ("tracestate", "v=1")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(headers_of(&rig, "plain").await, traced, "and nothing else of it");
    let own = [("tenant", "8"), ("traceparent", "00-own")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(headers_of(&rig, "own").await, own);
}

#[tokio::test(start_paused = true)]
async fn the_job_that_follows_a_final_failure_goes_on_with_the_trace() {
    let rig = Rig::new();
    let failing = job("a", 1).with_max_attempts(Budget::from_raw(1)).with_headers(traced());
    rig.enqueue([failing.with_on_failure(Kind::from_static("alert"))]).await;
    let handler = router(|_, _| async move { Err::<(), _>(JobError::from("out of luck")) });
    let handler = handler.handle("alert", |_: FailedJob, context: Context| async move {
        Ok(context.headers().get("traceparent").map(str::to_owned))
    });
    let report = rig.drain(rig.worker(handler.expect("another kind"))).await;
    assert_eq!((report.failed, report.completed), (1, 1));
    let page = rig.store.list(queue_core::ListQuery::all(rig.queue.clone(), 9)).await.expect("lists");
    let alert = page.jobs.iter().find(|job| job.kind.as_str() == "alert").expect("it followed");
    let record = rig.store.get_one(&rig.queue, &alert.id, queue_core::Detail::Full).await.expect("reads");
    let result = record.expect("there").body.expect("asked for").result.expect("completed");
    assert_eq!(&result.bytes[..], format!("\"{TRACE}\"").as_bytes());
}

#[tokio::test(start_paused = true)]
async fn the_job_that_follows_the_last_lapse_goes_on_with_the_trace_though_nobody_held_its_headers() {
    let rig = Rig::new();
    let lost = |name| job(name, 1).with_max_stalls(Budget::from_raw(1));
    let with_alert = |name| lost(name).with_on_failure(Kind::from_static("alert"));
    rig.enqueue([with_alert("a").with_headers(traced()), with_alert("b"), lost("c").with_headers(traced())])
        .await;
    let claimed = rig.claim_elsewhere(3, span(1000)).await;
    let handler = router(|_, _| async move { Ok(()) });
    let handler = handler.handle("alert", |_: FailedJob, _: Context| async move { Ok(()) });
    let report = rig.drain(rig.worker(handler.expect("another kind"))).await;
    assert_eq!(report.completed, 2, "one that follows each of two");
    let follow_up = |place: usize| FailedJob::follow_up_id(&claimed.jobs[place].record.meta);
    let traced = [("traceparent", TRACE), ("tracestate", "v=1")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(headers_of(&rig, follow_up(0).as_str()).await, traced);
    assert_eq!(headers_of(&rig, follow_up(1).as_str()).await, []);
}

#[tokio::test(start_paused = true)]
async fn last_lapses_are_ended_with_what_follows_however_few_jobs_a_call_takes() {
    let rig = Rig::new();
    let lost = |name| job(name, 1).with_max_stalls(Budget::from_raw(1));
    rig.enqueue(["a", "b", "c", "d"].map(|name| lost(name).with_on_failure(Kind::from_static("alert"))))
        .await;
    rig.claim_elsewhere(4, span(1000)).await;
    rig.store.script().limits = Some(Limits { batch_max: 4, ..Limits::default() });
    let handler = router(|_, _| async move { Ok(()) });
    let handler = handler.handle("alert", |_: FailedJob, _: Context| async move { Ok(()) });
    let report = rig.drain(rig.worker(handler.expect("another kind"))).await;
    assert_eq!((report.rescued, report.completed), (4, 4));
    assert!(report.error.is_none());
}
