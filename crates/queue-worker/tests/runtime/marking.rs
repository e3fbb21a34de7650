//! From the outcome to its mark.

use crate::{
    processor::{fine, processor},
    support::{Batches, Fault, Inbox, Log, millis, secs, within},
};
use queue_core::RetryPolicy;
use queue_worker::runtime::{TickReport, handler_fn};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

const TRY_EACH_SECOND: RetryPolicy = RetryPolicy::Fixed(Duration::from_secs(1));

/// Runs one tick over the inbox, with its events.
async fn tick(inbox: &std::sync::Arc<Inbox>) -> (TickReport, Log) {
    let log = Log::new();
    let seen = log.clone();
    let handler = handler_fn(|n| async move { if n < 100 { fine(n).await } else { Err("large") } });
    let processor = processor(inbox, handler)
        .mark_budget(millis(4_500))
        .mark_retry(TRY_EACH_SECOND)
        .on_event(move |event| seen.push(format!("{event:?}")))
        .build()
        .expect("valid settings");
    let report =
        within(processor.tick(&CancellationToken::new())).await.expect("only a claim error leaves the tick");
    (report, log)
}

#[tokio::test(start_paused = true)]
async fn a_mark_that_fails_is_tried_again() {
    let inbox = Inbox::with([1]);
    let mut failures = 3;
    inbox.fail_marks(move |_| {
        failures -= 1;
        if failures < 0 { Fault::None } else { Fault::Refuse }
    });
    let (report, _) = tick(&inbox).await;
    assert_eq!(report.unmarked, 0);
    assert_eq!(inbox.log.trace(), [(3_000, "done 1 fine".into())]);
}

#[tokio::test(start_paused = true)]
async fn a_mark_that_never_succeeds_is_reported_once_its_budget_is_spent() {
    let inbox = Inbox::with([1]);
    inbox.fail_marks(|_| Fault::Refuse);
    let began = Instant::now();
    let (report, events) = tick(&inbox).await;
    assert_eq!((report.succeeded, report.unmarked, began.elapsed()), (1, 1, millis(4_500)));
    assert_eq!(events.count(r#"MarkFailed { item: 1, error: "refused" }"#), 5);
    let last = events.lines().pop().unwrap();
    assert!(last.starts_with("Unmarked { item: 1") && last.contains("refused"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn the_mark_of_a_failed_item_is_retried_and_reported_likewise() {
    let inbox = Inbox::with([100]);
    inbox.fail_marks(|_| Fault::Refuse);
    let (report, _) = tick(&inbox).await;
    assert_eq!((report.failed, report.unmarked), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_mark_that_hangs_is_given_up_within_its_budget() {
    let inbox = Inbox::with([1]);
    inbox.fail_marks(|_| Fault::Hang);
    let began = Instant::now();
    let (report, _) = tick(&inbox).await;
    assert_eq!((report.unmarked, began.elapsed()), (1, millis(4_500)));
}

#[tokio::test(start_paused = true)]
async fn a_mark_that_panics_is_a_mark_that_fails() {
    let inbox = Inbox::with([1]);
    let mut panics = true;
    inbox.fail_marks(move |_| if std::mem::take(&mut panics) { Fault::Panic } else { Fault::None });
    let (report, events) = tick(&inbox).await;
    assert_eq!((report.unmarked, events.count(r#"MarkFailed { item: 1, error: "scripted" }"#)), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn one_bad_mark_holds_up_no_other_of_its_batch() {
    let inbox = Inbox::with([1, 2, 3, 100, 101]);
    inbox.fail_marks(|item| if item == 1 || item == 100 { Fault::Refuse } else { Fault::None });
    let (report, _) = tick(&inbox).await;
    assert_eq!(report.unmarked, 2);
    let marked = ["done 2 fine", "done 3 fine", "failed 101 Retryable: large"];
    assert_eq!(marked.map(|line| inbox.log.times_of(line)), [vec![0], vec![0], vec![0]]);
}

#[tokio::test(start_paused = true)]
async fn a_bad_mark_holds_up_no_later_one() {
    let inbox = Inbox::with([1, 2]);
    inbox.fail_marks(|item| if item == 1 { Fault::Refuse } else { Fault::None });
    let handler = handler_fn(|n| async move {
        sleep(secs(u64::from(n))).await;
        fine(n).await
    });
    let report =
        within(processor(&inbox, handler).build().unwrap().tick(&CancellationToken::new())).await.unwrap();
    assert_eq!((report.unmarked, inbox.log.trace()), (1, vec![(2_000, "done 2 fine".into())]));
}

#[tokio::test(start_paused = true)]
async fn outcomes_that_wait_together_are_marked_in_one_call() {
    let inbox = Inbox::with([1, 2, 100, 101]);
    inbox.batches(Batches::Native);
    let (report, _) = tick(&inbox).await;
    assert_eq!((report.succeeded, report.failed, report.unmarked), (2, 2, 0));
    assert_eq!(inbox.log.lines(), ["done batch [1, 2]", "failed batch [100, 101]"]);
}

#[tokio::test(start_paused = true)]
async fn a_refused_batch_is_marked_one_by_one() {
    let inbox = Inbox::with([1, 2, 100, 101]);
    inbox.batches(Batches::Refused);
    let (report, _) = tick(&inbox).await;
    assert_eq!((report.unmarked, inbox.log.lines().len()), (0, 4));
}

#[tokio::test(start_paused = true)]
async fn by_default_a_batch_is_a_loop() {
    let inbox = Inbox::with([1, 2]);
    tick(&inbox).await;
    assert_eq!(inbox.log.lines(), ["done 1 fine", "done 2 fine"]);
}

#[tokio::test(start_paused = true)]
async fn handling_and_marking_have_budgets_of_their_own() {
    let inbox = Inbox::with([1]);
    inbox.fail_marks(|_| Fault::Slow(secs(8)));
    let handler = handler_fn(|n| async move {
        sleep(secs(8)).await;
        fine(n).await
    });
    let processor = processor(&inbox, handler).handle_budget(secs(9)).mark_budget(secs(9)).build().unwrap();
    let report = within(processor.tick(&CancellationToken::new())).await.unwrap();
    assert_eq!((report.succeeded, report.unmarked), (1, 0));
    assert_eq!(inbox.log.times(), [16_000]);
}

#[tokio::test(start_paused = true)]
async fn a_slow_mark_holds_up_neither_the_next_handler_nor_the_next_mark() {
    let inbox = Inbox::with([1, 2]);
    inbox.fail_marks(|_| Fault::Slow(secs(3)));
    let log = Log::new();
    let started = log.clone();
    let handler = handler_fn(move |n| {
        started.push("start");
        async move {
            sleep(secs(1)).await;
            fine(n).await
        }
    });
    let processor = processor(&inbox, handler).concurrency(1).batch_size(2).build().unwrap();
    within(processor.tick(&CancellationToken::new())).await.unwrap();
    assert_eq!(log.times(), [0, 1_000]);
    assert_eq!(inbox.log.times(), [4_000, 5_000]);
}
