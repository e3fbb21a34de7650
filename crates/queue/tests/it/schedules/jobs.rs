//! The options of a schedule's jobs: each is kept, or refused before anything is written.

use super::{HOUR, hourly, report, set_up};
use queue::{InvalidOption, JobOptions, Queue, schedules::Put};
use std::{error::Error as _, time::Duration};

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
