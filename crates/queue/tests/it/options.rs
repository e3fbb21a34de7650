//! Options of jobs, handles and waits: their bounds, defaults and effects.

use crate::support::{SECOND, memory, take, texts};
use queue::queue_core::{Retention, Span};
use queue::{
    Budget, Certainty, ErrorKind, InvalidOption, JobOptions, Keep, OnFailed, Queue, State, WaitOptions,
    WorkerId,
};
use std::{
    error::Error as _,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

const HUNDRED_YEARS: Duration = Span::MAX.as_duration();

#[tokio::test(start_paused = true)]
async fn options_that_cannot_be_are_refused_before_anything_is_written() {
    let queue = texts();
    let options = JobOptions::new;
    let too_long = HUNDRED_YEARS + Duration::from_nanos(1);
    for (options, says) in [
        (options().max_attempts(0), "unlimited_attempts"),
        (options().max_stalls(0), "unlimited_stalls"),
        (options().keep(Duration::ZERO), "time to live"),
        (options().keep(too_long), "time to live"),
        (options().keep(Duration::MAX), "time to live"),
        (options().keep_completed(Duration::ZERO), "time to live"),
        (options().keep_failed(Duration::ZERO), "time to live"),
        (options().delay(too_long), "delay"),
        (options().expires_in(Duration::ZERO), "expiry"),
        (options().expires_in(too_long), "expiry"),
        (options().delay(SECOND).expires_in(SECOND), "can never run"),
        (options().time_limit(Duration::ZERO), "time limit"),
        (options().time_limit(too_long), "time limit"),
    ] {
        let error = queue.enqueue_with("a", String::new(), options.clone()).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.certainty()),
            (ErrorKind::Invalid, Certainty::NotApplied),
            "{options:?}"
        );
        assert!(error.message().contains(says), "{error}");
        assert!(error.source().unwrap().is::<InvalidOption>(), "{error:?}");
        assert!(queue.enqueue_many([("a", String::new())], options).await.is_err());
    }
    assert_eq!(queue.counts().await.unwrap().total(), 0);
}

#[tokio::test(start_paused = true)]
async fn options_at_their_bounds_are_stored() {
    let queue = texts();
    let options = JobOptions::new()
        .priority(i16::MIN)
        .delay(HUNDRED_YEARS)
        .max_attempts(u32::MAX)
        .unlimited_stalls()
        .keep_completed(HUNDRED_YEARS)
        .keep_failed(Keep::Nothing);
    queue.enqueue_with("a", String::new(), options).await.unwrap();
    let status = queue.status("a").await.unwrap().unwrap();
    assert_eq!(status.meta.priority, i16::MIN);
    assert_eq!((status.is_scheduled(), status.due_in()), (true, Some(HUNDRED_YEARS)));
    assert_eq!(
        (status.meta.terms.max_attempts.as_raw(), status.meta.terms.max_stalls),
        (u32::MAX, Budget::Unlimited)
    );
    assert_eq!(status.meta.terms.retention.completed, Retention::Keep(Span::MAX));
    assert_eq!(status.meta.terms.retention.failed, Retention::Remove);
}

#[tokio::test(start_paused = true)]
async fn lower_priorities_run_first_and_a_delay_is_kept() {
    let queue = texts();
    for (id, options) in [
        ("later", JobOptions::new().delay(60 * SECOND).priority(-9)),
        ("last", JobOptions::new().priority(1)),
        ("first", JobOptions::new().priority(-1)),
    ] {
        queue.enqueue_with(id, String::new(), options).await.unwrap();
    }
    for id in ["first", "last"] {
        let job = take(&queue).await;
        assert_eq!(job.id().as_str(), id);
        let _ = job.ack(&String::new()).await.unwrap();
    }
    assert!(queue.dequeue(Duration::ZERO).await.unwrap().is_none());
    let begun = tokio::time::Instant::now();
    assert_eq!(queue.dequeue(90 * SECOND).await.unwrap().unwrap().id().as_str(), "later");
    assert_eq!(begun.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn a_failed_record_blocks_its_id_unless_it_is_to_be_replaced() {
    let queue = texts();
    let once = JobOptions::new().max_attempts(1);
    let first = queue.enqueue_with("a", String::new(), once.clone()).await.unwrap();
    let _ = take(&queue).await.nack(queue::Failure::new("Boom", "no")).await.unwrap();
    let blocked = queue.enqueue_with("a", String::new(), once.clone()).await.unwrap();
    assert!(matches!(blocked, queue::Enqueued::Duplicate { state: State::Failed, .. }));
    let replaced = queue.enqueue_with("a", String::new(), once.on_failed(OnFailed::Replace)).await.unwrap();
    assert!(replaced.is_new() && replaced.seq() > first.seq());
}

#[tokio::test(start_paused = true)]
async fn a_handle_has_default_options_of_its_own() {
    let build = |options| Queue::<String, String>::builder(memory(), "texts").options(options).build();
    let queue = build(JobOptions::new().priority(7)).unwrap();
    queue.enqueue("a", String::new()).await.unwrap();
    let meta = queue.status("a").await.unwrap().unwrap().meta;
    assert_eq!((meta.kind.as_str(), meta.priority), ("default", 7));
    assert_eq!(build(JobOptions::new().max_attempts(0)).unwrap_err().kind(), ErrorKind::Invalid);
}

/// One option, and the field that it changes.
type OneOption = (JobOptions, fn(&mut queue::NewJob));

#[tokio::test(start_paused = true)]
async fn options_of_a_job_stand_over_those_of_the_handle_and_leave_the_rest_to_them() {
    let handle = JobOptions::new()
        .delay(SECOND)
        .expires_in(9 * SECOND)
        .time_limit(5 * SECOND)
        .priority(7)
        .max_attempts(4)
        .unlimited_stalls()
        .keep(Keep::Forever)
        .on_failed(OnFailed::Replace)
        .on_failure("alert");
    let queue = Queue::<String, String>::builder(memory(), "texts").options(handle.clone()).build().unwrap();
    let made = |options: &JobOptions| queue.new_job("a", &String::new(), options).unwrap();
    let plain = made(&JobOptions::new());
    assert_eq!(plain, made(&handle), "what says nothing changes nothing");
    assert_eq!((plain.priority, plain.terms.max_attempts.as_raw()), (7, 4));

    let changes: [OneOption; 10] = [
        (JobOptions::new().delay(Duration::ZERO), |job| job.delay = Span::ZERO),
        (JobOptions::new().expires_in(None), |job| job.expires_in = None),
        (JobOptions::new().time_limit(None), |job| job.terms.time_limit = None),
        (JobOptions::new().priority(0), |job| job.priority = 0),
        (JobOptions::new().unlimited_attempts(), |job| job.terms.max_attempts = Budget::Unlimited),
        (JobOptions::new().max_stalls(3), |job| job.terms.max_stalls = Budget::STALLS),
        (JobOptions::new().keep_completed(Keep::Nothing), |job| {
            job.terms.retention.completed = Retention::Remove;
        }),
        (JobOptions::new().keep_failed(Keep::Nothing), |job| job.terms.retention.failed = Retention::Remove),
        (JobOptions::new().on_failed(OnFailed::Block), |job| job.on_failed = OnFailed::Block),
        (JobOptions::new().on_failure(None), |job| job.terms.on_failure = None),
    ];
    for (options, change) in changes {
        let mut expected = plain.clone();
        change(&mut expected);
        assert_eq!(made(&options), expected, "{options:?}");
    }
    queue.enqueue_with("b", String::new(), JobOptions::new().priority(1)).await.unwrap();
    queue.enqueue_many([("c", String::new())], JobOptions::new().priority(1)).await.unwrap();
    for id in ["b", "c"] {
        let meta = queue.status(id).await.unwrap().unwrap().meta;
        assert_eq!((meta.terms.max_attempts.as_raw(), meta.priority), (4, 1), "{id}");
    }
}

fn on_clock(clock: &std::sync::Arc<queue::ManualClock>) -> Queue<String, String> {
    crate::support::on(std::sync::Arc::new(queue::MemoryStorage::with_clock(clock.clone())))
}

/// The clock of the store is years away from that of this machine.
#[tokio::test(start_paused = true)]
async fn a_time_of_day_is_one_of_the_stores_clock() {
    let clock = std::sync::Arc::new(queue::ManualClock::default());
    let queue = on_clock(&clock);
    let now =
        UNIX_EPOCH + Duration::from_millis(u64::try_from(queue::Clock::now(&*clock).as_millis()).unwrap());
    let at = |time: SystemTime| JobOptions::new().run_at(time);
    let later = now + 90 * SECOND;
    queue.enqueue_with("a", String::new(), at(later)).await.unwrap();
    queue.enqueue_many([("b", String::new())], at(later).priority(1)).await.unwrap();
    queue.enqueue_with("past", String::new(), at(now - SECOND)).await.unwrap();
    for (id, due_in) in [("a", 90 * SECOND), ("b", 90 * SECOND), ("past", Duration::ZERO)] {
        assert_eq!(queue.status(id).await.unwrap().unwrap().due_in(), Some(due_in), "{id}");
    }
    assert_eq!(queue.time_until(later).await.unwrap(), 90 * SECOND);
    clock.advance(89 * SECOND);
    assert_eq!(take(&queue).await.id().as_str(), "past");
    assert!(queue.dequeue(Duration::ZERO).await.unwrap().is_none());
    clock.advance(SECOND);
    assert_eq!(take(&queue).await.id().as_str(), "a");
    let called = queue.enqueue_and_wait_with("c", String::new(), at(now + 200 * SECOND), SECOND);
    assert!(called.await.is_err());
    assert_eq!(queue.status("c").await.unwrap().unwrap().due_in(), Some(110 * SECOND));
}

#[tokio::test]
async fn a_time_of_day_that_cannot_be_is_refused() {
    let queue = on_clock(&std::sync::Arc::default());
    let at = |time| JobOptions::new().run_at(time);
    let far = UNIX_EPOCH + 3 * HUNDRED_YEARS;
    assert_eq!(queue.enqueue_with("a", String::new(), at(far)).await.unwrap_err().kind(), ErrorKind::Invalid);
    let expiring = at(far - 2 * HUNDRED_YEARS).expires_in(SECOND);
    let never = queue.enqueue_with("a", String::new(), expiring).await.unwrap_err();
    assert!(never.message().contains("can never run"), "{never}");
    let unasked = queue.new_job("a", &String::new(), &at(UNIX_EPOCH)).unwrap_err();
    assert!(unasked.message().contains("time_until"), "{unasked}");
    let handle = Queue::<String>::builder(memory_now(), "texts").options(at(UNIX_EPOCH)).build();
    assert_eq!(handle.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(queue.counts().await.unwrap().total(), 0);
}

/// The check applies to the merged options, not to each part.
#[test]
fn an_expiry_and_a_delay_that_meet_in_a_merge_are_checked_together() {
    let handle = JobOptions::new().expires_in(2 * SECOND);
    let queue = Queue::<String>::builder(memory_now(), "texts").options(handle).build().unwrap();
    let late = queue.new_job("a", &String::new(), &JobOptions::new().delay(2 * SECOND)).unwrap_err();
    assert!(late.message().contains("can never run"), "{late}");
}

#[test]
fn handles_that_cannot_be_are_refused() {
    let builder = |name: &str| Queue::<(), ()>::builder(memory_now(), name);
    for name in ["", "a\tb", &"q".repeat(256)] {
        assert_eq!(builder(name).build().unwrap_err().kind(), ErrorKind::Invalid, "{name:?}");
    }
    assert!(builder("q").lease(Duration::ZERO).build().is_err());
    assert!(builder("q").lease(Duration::MAX).build().is_err());
}

fn memory_now() -> std::sync::Arc<dyn queue::Storage> {
    std::sync::Arc::new(queue::MemoryStorage::new())
}

#[tokio::test(start_paused = true)]
async fn each_handle_holds_leases_under_a_name_of_its_own() {
    let store = memory();
    let mut holders: Vec<WorkerId> = Vec::new();
    for id in ["a", "b"] {
        let queue = crate::support::on(store.clone());
        queue.enqueue(id, String::new()).await.unwrap();
        holders.push(take(&queue).await.meta().lease.as_ref().unwrap().worker.clone());
    }
    assert_ne!(holders[0], holders[1]);
}

#[tokio::test(start_paused = true)]
async fn waits_that_cannot_be_are_refused() {
    let queue = texts();
    for options in [
        WaitOptions::from(Duration::MAX),
        WaitOptions::new().look_first_after(Duration::ZERO),
        WaitOptions::new().look_at_least_every(Duration::ZERO),
    ] {
        assert_eq!(queue.wait("a", options).await.unwrap_err().kind(), ErrorKind::Invalid, "{options:?}");
    }
    assert!(queue.dequeue(Duration::MAX).await.is_err());
}
