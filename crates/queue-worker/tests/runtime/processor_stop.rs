//! What a stop of a processor leaves.

use crate::{
    processor::{fine, processor},
    support::{Fault, Inbox, Log, secs, within},
};
use queue_worker::runtime::handler_fn;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

async fn slow(n: u32) -> Result<String, &'static str> {
    sleep(secs(10)).await;
    fine(n).await
}

async fn stop_after_a_second(stop: &CancellationToken) {
    sleep(secs(1)).await;
    stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn what_has_not_started_is_released_at_once_and_in_order() {
    let inbox = Inbox::with(0..6);
    let processor = processor(&inbox, handler_fn(slow)).concurrency(2).batch_size(6).build().unwrap();
    let stop = CancellationToken::new();
    let (report, ()) = tokio::join!(within(processor.tick(&stop)), stop_after_a_second(&stop));
    let report = report.unwrap();
    assert_eq!((report.claimed, report.succeeded, report.released), (6, 2, 4));
    assert_eq!(inbox.log.trace()[0], (1_000, "release [2, 3, 4, 5]".into()));
    assert_eq!(inbox.rows(), [2, 3, 4, 5]);
}

#[tokio::test(start_paused = true)]
async fn what_has_started_goes_on_and_is_marked() {
    let inbox = Inbox::with([1]);
    let processor = processor(&inbox, handler_fn(slow)).build().unwrap();
    let stop = CancellationToken::new();
    let (report, ()) = tokio::join!(within(processor.tick(&stop)), stop_after_a_second(&stop));
    assert_eq!((report.unwrap().succeeded, inbox.log.trace()), (1, vec![(10_000, "done 1 fine".into())]));
}

#[tokio::test(start_paused = true)]
async fn after_a_stop_nothing_is_claimed() {
    let inbox = Inbox::with([1]);
    let stop = CancellationToken::new();
    stop.cancel();
    let report = processor(&inbox, handler_fn(fine)).build().unwrap().tick(&stop).await.unwrap();
    assert_eq!((report.asked, inbox.claim_limits().len(), inbox.rows()), (0, 0, vec![1]));
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_was_under_way_at_the_stop_is_waited_for_and_released() {
    let inbox = Inbox::with([1, 2]);
    inbox.fail_claims([Fault::Slow(secs(5))]);
    let processor = processor(&inbox, handler_fn(fine)).build().unwrap();
    let stop = CancellationToken::new();
    let (report, ()) = tokio::join!(within(processor.tick(&stop)), stop_after_a_second(&stop));
    assert_eq!(report.unwrap().released, 2);
    assert_eq!(inbox.log.trace(), [(5_000, "release [1, 2]".into())]);
}

#[tokio::test(start_paused = true)]
async fn a_release_that_fails_or_panics_is_tried_again() {
    let inbox = Inbox::with([1, 2]);
    inbox.fail_claims([Fault::Slow(secs(5))]);
    inbox.fail_releases([Fault::Refuse, Fault::Panic]);
    let processor = processor(&inbox, handler_fn(fine)).build().unwrap();
    let stop = CancellationToken::new();
    let (report, ()) = tokio::join!(within(processor.tick(&stop)), stop_after_a_second(&stop));
    let report = report.unwrap();
    assert_eq!((report.released, report.unreleased, inbox.rows()), (2, 0, vec![1, 2]));
}

#[tokio::test(start_paused = true)]
async fn a_release_that_hangs_is_given_up_within_its_budget_and_reported() {
    let inbox = Inbox::with([1, 2]);
    let log = Log::new();
    inbox.fail_claims([Fault::Slow(secs(5))]);
    inbox.fail_releases([Fault::Hang]);
    let (seen, began) = (log.clone(), Instant::now());
    let processor = processor(&inbox, handler_fn(fine))
        .mark_budget(secs(3))
        .on_event(move |event| seen.push(format!("{event:?}")))
        .build()
        .unwrap();
    let stop = CancellationToken::new();
    let (report, ()) = tokio::join!(within(processor.tick(&stop)), stop_after_a_second(&stop));
    assert_eq!((report.unwrap().unreleased, began.elapsed()), (2, secs(8)));
    assert!(log.lines()[0].starts_with("Unreleased { item: 1"), "{:?}", log.lines());
}
