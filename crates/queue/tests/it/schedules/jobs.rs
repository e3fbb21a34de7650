//! The options of a schedule's jobs: each is kept, or refused before anything is written.

use super::{HOUR, Report, hourly, report, set_up};
use queue::{
    ContentType, ErrorKind, InvalidOption, JobId, JobOptions, Keep, Kind, OnFailed, Payload, Queue,
    queue_core::{Budget, JobTerms, NewJob, Tag, Tags, Timestamp},
    schedules::{Put, ScheduleError, ScheduleSpec, Template, Timing},
};
use std::{
    error::Error as _,
    time::{Duration, SystemTime},
};

const SOON: Duration = Duration::from_secs(5);

fn tagged(tag: &str, tenant: &str) -> JobOptions {
    JobOptions::new().tag(tag).header("tenant", tenant)
}

#[tokio::test]
async fn tags_and_headers_are_those_of_each_job() {
    let (clock, reports) = set_up();
    let schedules = reports.schedules();
    schedules.put(&hourly(report()).options(tagged("nightly", "7"))).await.expect("put");
    clock.advance(HOUR);
    let by_the_tick = reports.dequeue(SOON).await.expect("claims").expect("the tick's job");
    clock.advance(SOON);
    let _ = schedules.run_now("hourly").await.expect("run").expect("there");
    let by_hand = reports.dequeue(SOON).await.expect("claims").expect("the job by hand");
    for job in [by_the_tick, by_hand] {
        assert_eq!(job.headers().get("tenant"), Some("7"));
        let tags: Vec<&str> = job.meta().tags.iter().map(queue::queue_core::Tag::as_str).collect();
        assert_eq!(tags, ["nightly"]);
    }
}

#[tokio::test]
async fn a_put_that_differs_in_tags_or_headers_alone_is_a_change() {
    let (_, reports) = set_up();
    let put = async |options| reports.schedules().put(&hourly(report()).options(options)).await.expect("put");
    assert_eq!(put(tagged("a", "1")).await, Put::Created);
    assert_eq!(put(tagged("a", "1")).await, Put::Unchanged);
    assert_eq!(put(tagged("b", "1")).await, Put::Changed);
    assert_eq!(put(tagged("b", "2")).await, Put::Changed);
    assert_eq!(put(JobOptions::new()).await, Put::Changed);
}

#[tokio::test]
async fn a_schedule_that_has_its_job_already_keeps_all_of_it_and_needs_no_options_of_a_handle() {
    let (clock, reports) = set_up();
    let given = Queue::builder(reports.storage().clone(), "reports").options(JobOptions::new().priority(7));
    let by_the_handle: Queue<Report, String> = given.build().expect("valid");
    let payload = Payload::new(
        r#"{"day": "$queue.tick", "of": "costs"}"#,
        ContentType::from_static("application/json"),
    );
    let job = NewJob {
        tags: Tags::new([Tag::new("nightly").expect("a tag")]).expect("one tag"),
        terms: JobTerms { max_attempts: Budget::from_raw(2), ..JobTerms::default() }.into(),
        ..NewJob::new(JobId::from_static("any"), Kind::from_static("sum"), payload)
    };
    let timing = Timing::every(HOUR).expect("an hour");
    let template = Template::of(&job).expect("a job of a tick");
    let spec = ScheduleSpec::new("hourly", timing, template, Timestamp::default());
    assert_eq!(by_the_handle.schedules().put_spec(spec.clone()).await.expect("put"), Put::Created);
    assert_eq!(reports.schedules().put_spec(spec.clone()).await.expect("put"), Put::Unchanged);
    clock.advance(HOUR);
    let sums = reports.of_kind(Kind::from_static("sum"));
    let ticked = sums.dequeue(SOON).await.expect("claims").expect("the tick's job");
    assert_eq!(ticked.meta().terms, job.terms);
    assert_eq!((&ticked.meta().kind, &ticked.meta().tags, ticked.meta().priority), (&job.kind, &job.tags, 0));

    let large = Payload::new(vec![b'a'; 2 << 20], job.payload.content_type.clone());
    let template = Template::of(&NewJob { payload: large, ..job }).expect("a job of a tick");
    let mut too_large = spec;
    too_large.job = template;
    let refused = reports.schedules().put_spec(too_large).await;
    assert_eq!(refused.expect_err("it is too large").kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn a_debounced_job_is_refused_wherever_its_options_come_from() {
    let (_, reports) = set_up();
    let debounced = || JobOptions::new().debounce(SOON);
    let builder = Queue::builder(reports.storage().clone(), "reports").options(debounced());
    let by_the_handle = builder.build().expect("valid");
    for (reports, options) in [
        (&reports, debounced()),
        (&reports, debounced().max_wait(2 * SOON)),
        (&reports, JobOptions::new().max_wait(SOON)),
        (&by_the_handle, JobOptions::new()),
    ] {
        let schedule = hourly(report()).options(options);
        let refused = reports.schedules().put(&schedule).await.expect_err("it would be ignored");
        let declared = reports.schedules().declare([schedule]).await.expect_err("it would be ignored");
        for error in [refused, declared] {
            let source = error.source().and_then(|source| source.downcast_ref::<InvalidOption>());
            assert!(matches!(source, Some(InvalidOption::Debounce(_))), "{error:?}");
        }
    }
    let delayed = hourly(report()).options(JobOptions::new().delay(SOON));
    by_the_handle.schedules().put(&delayed).await.expect("its own delay replaces that of the handle");
    assert_eq!(reports.schedules().list().await.expect("listed").schedules.len(), 1);
}

#[tokio::test]
async fn an_option_without_a_meaning_for_a_tick_is_refused_by_name_and_nothing_is_written() {
    let (_, reports) = set_up();
    let replacing = JobOptions::new().on_failed(OnFailed::Replace);
    let builder = Queue::builder(reports.storage().clone(), "reports").options(replacing.clone());
    let by_the_handle = builder.build().expect("valid");
    for (reports, options, name) in [
        (&reports, replacing, "on_failed"),
        (&by_the_handle, JobOptions::new(), "on_failed"),
        (&reports, JobOptions::new().run_at(SystemTime::UNIX_EPOCH), "run_at"),
    ] {
        let refused = reports.schedules().put(&hourly(report()).options(options)).await;
        let refused = refused.expect_err("it would be ignored");
        let source = refused.source().and_then(|source| source.downcast_ref::<ScheduleError>());
        assert!(
            matches!(source, Some(ScheduleError::Option { option, .. }) if *option == name),
            "{refused:?}"
        );
    }
    assert!(reports.schedules().list().await.expect("listed").schedules.is_empty());
    let blocking = hourly(report()).options(JobOptions::new().on_failed(OnFailed::Block));
    by_the_handle.schedules().put(&blocking).await.expect("its own option replaces that of the handle");
}

/// Options in which no part has its default.
fn unusual() -> JobOptions {
    tagged("nightly", "7")
        .delay(SOON)
        .expires_in(10 * SOON)
        .time_limit(2 * SOON)
        .priority(-3)
        .max_attempts(7)
        .unlimited_stalls()
        .keep_completed(Keep::Forever)
        .keep_failed(Keep::Nothing)
        .on_failure(Kind::from_static("mend"))
}

#[tokio::test]
async fn the_job_of_a_tick_is_that_of_an_enqueue_with_the_same_options() {
    let (_, reports) = set_up();
    reports.schedules().put(&hourly(report()).options(unusual())).await.expect("put");
    let status = reports.schedules().get("hourly").await.expect("read").expect("there");
    let enqueued = reports.new_job("tick", &report(), &unusual()).expect("a job");
    assert_eq!(*status.spec().job.as_job(), enqueued);
}
