//! Assertions about what was enqueued, and their messages.

use crate::support::SECOND;
use futures_util::FutureExt;
use queue::{JobKind, JobOptions, Kind, testing::TestQueue};
use std::{any::Any, panic::AssertUnwindSafe, time::Duration};

async fn two_jobs() -> TestQueue<String> {
    let queue = TestQueue::<String>::new();
    let late = JobOptions::new().priority(-5).delay(60 * SECOND);
    let news = queue.of_kind(Kind::from_static("news"));
    news.enqueue_with("a", "tips".to_owned(), late).await.expect("memory takes it");
    queue.enqueue("b", "welcome".to_owned()).await.expect("memory takes it");
    queue
}

/// The message of a failed assertion.
async fn told(assertion: impl Future<Output = impl Any>) -> String {
    let panic = AssertUnwindSafe(assertion).catch_unwind().await.err().expect("the assertion does not hold");
    panic.downcast_ref::<String>().expect("a text").clone()
}

#[tokio::test]
async fn each_expectation_alone_tells_the_jobs_apart() {
    let queue = two_jobs().await;
    let jobs = || queue.enqueued();
    for only_a in [
        jobs().id("a"),
        jobs().kind("news"),
        jobs().priority(-5),
        jobs().due_in(60 * SECOND),
        jobs().payload("tips".to_owned()),
        jobs().payload_where(|text| text.len() == 4),
    ] {
        assert_eq!(only_a.assert_one().await.meta.id.as_str(), "a");
    }
    for only_b in
        [jobs().kind("default"), jobs().priority(0), jobs().due_now(), jobs().due_in(Duration::ZERO)]
    {
        assert_eq!(only_b.assert_one().await.payload, "welcome");
    }
    let oldest_first: Vec<_> = jobs().assert_count(2).await.into_iter().map(|job| job.payload).collect();
    assert_eq!(oldest_first, ["tips", "welcome"]);
    for none in
        [jobs().kind("news").due_now(), jobs().id("c"), jobs().due_in(59 * SECOND), jobs().attempts_made(1)]
    {
        none.assert_none().await;
    }
}

#[tokio::test]
async fn an_assertion_that_fails_says_what_was_expected_what_there_is_and_where_it_stands() {
    let queue = two_jobs().await;
    let line = line!() + 1;
    let told = told(queue.enqueued().kind("news").due_now().assert_one()).await;
    let expected = "queue \"test\" has 0 jobs as expected and not 1\n\
        expected: kind \"news\", due now\n\
        there is:\n  \
        \"a\": kind \"news\", priority -5, due in 60s, payload \"tips\"\n  \
        \"b\": kind \"default\", priority 0, due now, payload \"welcome\"\n\
        asserted at crates/queue/tests/it/testing/assertions.rs:";
    assert!(told.starts_with(expected), "{told}");
    assert!(told.contains(&format!("assertions.rs:{line}:")), "{told}");
}

#[tokio::test]
async fn too_many_jobs_fail_as_too_few_do_and_an_empty_queue_is_said_to_be_empty() {
    let queue = two_jobs().await;
    assert!(
        told(queue.enqueued().assert_one()).await.contains("has 2 jobs as expected and not 1\nexpected: any")
    );
    assert!(told(queue.enqueued().assert_none()).await.contains("has 2 jobs as expected and not 0"));
    assert!(
        told(queue.assert_enqueued(|text| text == "else"))
            .await
            .contains("0 jobs as expected and not at least 1")
    );
    let empty = TestQueue::<String>::new();
    assert!(told(empty.enqueued().assert_count(2)).await.contains("there is no job"));
}

#[tokio::test]
async fn a_payload_of_another_type_matches_no_payload_and_is_told_with_the_place_of_the_test() {
    const NUMBER: JobKind<u32> = JobKind::new("number");
    let queue = two_jobs().await;
    let numbers = queue.store().queue::<u32, ()>("test");
    numbers.of(NUMBER).enqueue("c", 7).await.unwrap();
    numbers.enqueued().payload(7).assert_one().await;
    numbers.enqueued().payload(8).assert_none().await;
    assert_eq!(queue.enqueued_of(NUMBER).assert_one().await.payload, 7);
    assert_eq!(queue.enqueued().payload_where(|_| true).assert_count(2).await.len(), 2);
    assert!(told(numbers.enqueued().assert_none()).await.contains("has 3 jobs as expected and not 0"));

    let line = line!() + 1;
    let told = told(numbers.enqueued().id("a").assert_one()).await;
    assert!(told.starts_with("the payload of \"a\", of kind \"news\", is of another type"), "{told}");
    assert!(told.contains(&format!("assertions.rs:{line}:")), "{told}");
}
