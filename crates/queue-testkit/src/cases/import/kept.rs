//! What an import keeps of a record: everything but its number.

use super::{import, import_one, moved, waiting, whole};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Direction, Failure, Imported, Kind, ListQuery, OnWaiting, Prune, Retention, RetentionPolicy, Span, State,
    Walk,
    lifecycle::{Cause, Event},
};

cases! { "import":
    a_record_of_each_state_is_stored_as_it_was [I13 I20] (Import);
    everything_that_a_job_can_have_is_kept [I13 I20] (Import);
    a_moved_job_is_found_by_its_tags_and_its_state [I20] (Import);
    a_record_past_its_purge_time_is_not_stored [I20] (Import);
    a_moved_record_is_purged_when_it_would_have_been [I20] (Import);
    a_moved_record_takes_the_place_of_a_purged_one [I9 I20] (Import);
    a_job_that_expires_does_so_at_its_time [I11] (Import);
    moved_records_are_there_after_a_reopen [I21] (Import Reopen);
}

async fn a_record_of_each_state_is_stored_as_it_was(bench: &Bench) {
    let from = bench.on_queue("from");
    from.put_one_of_each().await;
    from.put_job(job("scheduled").with_delay(KEPT)).await;
    bench.advance(MILLI);
    let texts = ["completed", "failed", "failing", "cancelled", "queued", "scheduled"];
    let mut jobs = Vec::new();
    for text in texts {
        jobs.push(whole(&from, text).await);
    }
    let answers = import(bench, jobs.clone()).await;
    for ((text, job), answer) in texts.into_iter().zip(jobs).zip(answers) {
        let found = whole(bench, text).await;
        assert_eq!(answer, Imported::Stored { seq: found.meta.seq }, "{text}");
        assert_eq!(moved(bench, found), moved(bench, job), "{text}");
    }
    assert_eq!(bench.counts().await.scheduled, 2, "the failing one waits too");
}

async fn everything_that_a_job_can_have_is_kept(bench: &Bench) {
    let from = bench.on_queue("from");
    let rich = job("rich")
        .with_headers(headers([("trace", "é\u{1F600}")]))
        .with_tags(tags(["a", "b c"]))
        .with_priority(-7)
        .with_expires_in(KEPT)
        .with_time_limit(Span::from_secs(3))
        .with_on_failure(Kind::from_static("mourn"))
        .with_retention(RetentionPolicy { completed: Retention::Forever, failed: Retention::Remove })
        .awaited();
    from.put_job(rich).await;
    from.claim_one().await;
    bench.advance(LEASE);
    from.rescue().await;
    let held = from.claim_one().await;
    let with_details = Failure::new("Io", "token=abc").with_details(vec![0, 255].into());
    let (token, cause) = (held.token, Cause::Retryable);
    let failed =
        Event::Fail { token, failure: with_details, cause, delay: None, retention: None, then: Vec::new() };
    from.settled(&held, failed).await;
    bench.advance(RETRY);
    let held = from.claim_one().await;
    let progress = Some(vec![1, 0, 2].into());
    from.settled(&held, Event::Extend { token: held.token, by: LEASE, progress }).await;
    let held_record = from.record("rich").await;
    assert!(held_record.meta.progress.is_some());
    let result = bytes_payload(vec![7; 300]);
    from.settled(&held, complete_with(held.token, result)).await;
    let before = whole(&from, "rich").await;
    assert!(before.body.error_details.is_some() && before.body.result.is_some());
    assert!(import_one(bench, before.clone()).await.is_new());
    let after = whole(bench, "rich").await;
    assert_eq!(moved(bench, after), moved(bench, before));
}

async fn a_moved_job_is_found_by_its_tags_and_its_state(bench: &Bench) {
    let from = bench.on_queue("from");
    from.put_one_of_each().await;
    from.put_job(job("tagged").with_tags(tags(["a"]))).await;
    for text in ["failed", "failing", "cancelled", "tagged"] {
        assert!(import_one(bench, whole(&from, text).await).await.is_new());
    }
    for (state, text) in
        [(State::Failed, "failed"), (State::Failing, "failing"), (State::Cancelled, "cancelled")]
    {
        let walk = Walk::State(state, Direction::NewestFirst);
        assert_eq!(bench.list_ids(ListQuery::new(bench.queue().clone(), walk, 9)).await, [text]);
    }
    let tag = tags(["a"]).into_iter().next().expect("there is one").clone();
    let walk = Walk::Tagged(tag, Direction::OldestFirst);
    assert_eq!(bench.list_ids(ListQuery::new(bench.queue().clone(), walk, 9)).await, ["tagged"]);
    let again = job("tagged").with_on_waiting(OnWaiting::Replace { max_wait: None });
    assert!(bench.enqueue(again).await.is_new());
}

async fn a_record_past_its_purge_time_is_not_stored(bench: &Bench) {
    let from = bench.on_queue("from");
    from.put_one_of_each().await;
    let before = whole(&from, "completed").await;
    bench.advance(KEPT);
    assert_eq!(import_one(bench, before).await, Imported::Purged);
    assert_eq!(bench.find("completed").await, None);
    assert_eq!(bench.prune(Prune::Expired, 9).await, 0);
}

async fn a_moved_record_is_purged_when_it_would_have_been(bench: &Bench) {
    let from = bench.on_queue("from");
    from.put_one_of_each().await;
    bench.advance(RETRY);
    import_one(bench, whole(&from, "completed").await).await;
    bench.advance(Span::from_millis(KEPT.as_millis() - RETRY.as_millis() - 1));
    assert_eq!(bench.state("completed").await, Some(State::Completed));
    bench.advance(MILLI);
    assert_eq!(bench.state("completed").await, None);
    assert_eq!(bench.prune(Prune::Expired, 9).await, 1);
}

async fn a_moved_record_takes_the_place_of_a_purged_one(bench: &Bench) {
    bench.put_one_of_each().await;
    bench.advance(KEPT);
    let job = waiting(bench, &["completed"]).await.remove(0);
    assert!(import_one(bench, job).await.is_new());
    assert_eq!(bench.state("completed").await, Some(State::Queued));
    assert_eq!(bench.result("completed").await, None);
}

async fn a_job_that_expires_does_so_at_its_time(bench: &Bench) {
    let from = bench.on_queue("from");
    from.put_job(job("a").with_expires_in(LEASE)).await;
    bench.advance(RETRY);
    import_one(bench, whole(&from, "a").await).await;
    bench.advance(Span::from_millis(LEASE.as_millis() - RETRY.as_millis() - 1));
    assert!(!bench.meta("a").await.is_expired(bench.now()));
    bench.advance(MILLI);
    assert!(bench.meta("a").await.is_expired(bench.now()));
    let meta = bench.changed("a", Event::Expire { now: bench.now(), token: None }).await;
    assert_eq!(meta.state, State::Cancelled);
}

async fn moved_records_are_there_after_a_reopen(bench: &Bench) {
    let from = bench.on_queue("from");
    from.put_one_of_each().await;
    let mut jobs = Vec::new();
    for text in ["completed", "failed", "failing", "cancelled", "queued"] {
        jobs.push(whole(&from, text).await);
    }
    import(bench, jobs.clone()).await;
    bench.reopen().await;
    for job in jobs {
        let found = whole(bench, job.meta.id.as_str()).await;
        assert_eq!(moved(bench, found), moved(bench, job));
    }
}
