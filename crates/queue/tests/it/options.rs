use crate::support::{SECOND, memory, take, texts};
use queue::{
    Budget, Certainty, ErrorKind, InvalidOption, JobOptions, Keep, OnFailed, Queue, Retention, Span, State,
    WaitOptions, WorkerId,
};
use std::{error::Error as _, time::Duration};

const HUNDRED_YEARS: Duration = Span::MAX.as_duration();

#[tokio::test(start_paused = true)]
async fn options_that_cannot_be_are_refused_before_anything_is_written() {
    let queue = texts();
    let options = JobOptions::new;
    let too_long = HUNDRED_YEARS + Duration::from_nanos(1);
    for (options, says) in [
        (options().priority(32_768), "priority"),
        (options().priority(-32_769), "priority"),
        (options().priority(i64::MAX), "priority"),
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
    assert_eq!((status.meta.max_attempts.as_raw(), status.meta.max_stalls), (u32::MAX, Budget::Unlimited));
    assert_eq!(status.meta.retention.completed, Retention::Keep(Span::MAX));
    assert_eq!(status.meta.retention.failed, Retention::Remove);
}

#[test]
fn a_time_to_live_that_came_as_a_number_is_checked() {
    assert_eq!(Keep::for_millis(1), Ok(Keep::For(Duration::from_millis(1))));
    for millis in [0, -1, i64::MIN] {
        assert!(matches!(Keep::for_millis(millis), Err(InvalidOption::NotPositive { .. })), "{millis}");
    }
    assert!(matches!(Keep::for_millis(i64::MAX), Err(InvalidOption::TooLong { .. })));
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
