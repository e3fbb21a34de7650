//! A slow item holds up no other.

use crate::{
    processor::{fine, processor},
    support::{Fault, Inbox, Log, ended, millis, secs, spawn, within},
};
use queue_worker::runtime::{Handler, PacedLoop, handler_fn};
use std::sync::Arc;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// A handler that takes a while for the first item, and a millisecond for each other.
fn slow_first(first: u64) -> impl Handler<u32, Output = String, Error = &'static str> {
    handler_fn(move |n| async move {
        sleep(millis(if n == 0 { first } else { 1 })).await;
        fine(n).await
    })
}

#[tokio::test(start_paused = true)]
async fn a_slow_item_takes_one_slot_and_the_others_go_on() {
    let inbox = Inbox::with(0..1000);
    let processor = processor(&inbox, slow_first(1000)).concurrency(8).build().unwrap();
    let ticks = PacedLoop::builder(processor).immediate_first_tick().build().unwrap();
    let (stop, began) = (CancellationToken::new(), Instant::now());
    tokio::join!(within(ticks.run(stop.clone())), async {
        inbox.log.wait_for_lines(999).await;
        // 999 items, seven at a time, take a millisecond each.
        assert_eq!(began.elapsed(), millis(143));
        inbox.log.wait_for("done 0 fine").await;
        stop.cancel();
    });
    assert_eq!(began.elapsed(), millis(1000));
}

#[tokio::test(start_paused = true)]
async fn a_mark_that_hangs_takes_one_slot_and_the_others_go_on() {
    let inbox = Inbox::with(0..100);
    inbox.fail_marks(|item| if item == 0 { Fault::Hang } else { Fault::None });
    let handler = handler_fn(|n| async move {
        sleep(millis(if n == 0 { 1 } else { 2 })).await;
        fine(n).await
    });
    let processor = processor(&inbox, handler).concurrency(4).build().unwrap();
    let ticks = PacedLoop::builder(processor).immediate_first_tick().build().unwrap();
    let (stop, began) = (CancellationToken::new(), Instant::now());
    tokio::join!(within(ticks.run(stop.clone())), async {
        inbox.log.wait_for_lines(99).await;
        assert!(began.elapsed() <= millis(200), "{:?}", began.elapsed());
        stop.cancel();
    });
}

#[tokio::test(start_paused = true)]
async fn a_second_loop_takes_the_slots_that_are_free() {
    let inbox = Inbox::with([0]);
    let processor = Arc::new(processor(&inbox, slow_first(30_000)).concurrency(2).build().unwrap());
    let (first, stop) = (processor.clone(), CancellationToken::new());
    let first = spawn(async move { first.tick(&CancellationToken::new()).await });
    sleep(millis(5)).await;
    assert_eq!(within(processor.tick(&stop)).await.unwrap().asked, 1);
    assert_eq!(ended(first).await.unwrap().succeeded, 1);
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_free_as_soon_as_its_item_is_marked() {
    let inbox = Inbox::with(0..4);
    let processor = Arc::new(processor(&inbox, slow_first(30_000)).concurrency(4).build().unwrap());
    let (first, stop) = (processor.clone(), CancellationToken::new());
    let first = spawn(async move { first.tick(&CancellationToken::new()).await });
    inbox.log.wait_for("done 3 fine").await;
    sleep(millis(1)).await;
    assert_eq!(within(processor.tick(&stop)).await.unwrap().asked, 3);
    assert_eq!(ended(first).await.unwrap().succeeded, 4);
    assert_eq!(within(processor.tick(&stop)).await.unwrap().asked, 4);
}

/// The pace follows from what the claims brought, while others still run.
#[tokio::test(start_paused = true)]
async fn items_that_come_while_one_hangs_are_found_at_the_pace_of_the_loop() {
    let inbox = Inbox::with([0, 1]);
    let processor = processor(&inbox, slow_first(30_000)).concurrency(2).build().unwrap();
    let ticks = PacedLoop::builder(processor).interval(secs(1)).max_idle_interval(secs(1));
    let ticks = ticks.immediate_first_tick().build().unwrap();
    let stop = CancellationToken::new();
    tokio::join!(within(ticks.run(stop.clone())), async {
        sleep(millis(1500)).await;
        inbox.add(2);
        inbox.log.wait_for("done 2 fine").await;
        stop.cancel();
    });
    assert_eq!(inbox.log.times(), [1, 2002, 30_000]);
    assert_eq!(inbox.claim_limits(), [2, 1, 1, 1, 1], "the one after a full one at once");
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_every_round_and_marks_what_runs() {
    let inbox = Inbox::with(0..10);
    let processor = processor(&inbox, slow_first(20_000)).concurrency(2).build().unwrap();
    let ticks = PacedLoop::builder(processor).immediate_first_tick().build().unwrap();
    let (stop, began) = (CancellationToken::new(), Instant::now());
    tokio::join!(within(ticks.run(stop.clone())), async {
        inbox.log.wait_for("done 9 fine").await;
        stop.cancel();
    });
    assert_eq!((began.elapsed(), inbox.log.lines().len()), (secs(20), 10));
}

#[tokio::test(start_paused = true)]
async fn dropping_a_loop_drops_the_handlers_of_every_round() {
    struct OnDrop(Log);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            self.0.push("dropped");
        }
    }
    let (inbox, log) = (Inbox::with([0, 1, 2, 0]), Log::new());
    let seen = log.clone();
    let handler = handler_fn(move |n| {
        let ends = OnDrop(seen.clone());
        async move {
            let _ends = ends;
            if n == 0 { std::future::pending().await } else { fine(n).await }
        }
    });
    let processor = processor(&inbox, handler).concurrency(2).build().unwrap();
    let ticks = PacedLoop::builder(processor).immediate_first_tick().build().unwrap();
    assert!(tokio::time::timeout(secs(9), ticks.run(CancellationToken::new())).await.is_err());
    drop(ticks);
    log.wait_for_count("dropped", 4).await;
    assert_eq!(inbox.log.lines(), ["done 1 fine", "done 2 fine"]);
}

#[tokio::test(start_paused = true)]
async fn a_round_that_takes_too_long_is_dropped_alone_and_reported() {
    let (inbox, errors) = (Inbox::with(0..3), Log::new());
    let (seen, stop) = (errors.clone(), CancellationToken::new());
    let processor = processor(&inbox, slow_first(30_000)).concurrency(2).build().unwrap();
    let ticks = PacedLoop::builder(processor).immediate_first_tick().tick_timeout(secs(5));
    let ticks = ticks.on_error(move |it| seen.push(it.to_string())).build().unwrap();
    tokio::join!(within(ticks.run(stop.clone())), async {
        errors.wait_for("the tick took longer than 5s").await;
        inbox.add(7);
        inbox.log.wait_for("done 7 fine").await;
        stop.cancel();
    });
    assert_eq!(inbox.log.lines(), ["done 1 fine", "done 2 fine", "done 7 fine"]);
    assert_eq!(errors.lines().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn with_a_batch_larger_than_the_concurrency_claims_wait_for_a_fair_number() {
    let inbox = Inbox::with(0..400);
    let processor = processor(&inbox, slow_first(1)).concurrency(4).batch_size(40).build().unwrap();
    let ticks = PacedLoop::builder(processor).immediate_first_tick().build().unwrap();
    let stop = CancellationToken::new();
    tokio::join!(within(ticks.run(stop.clone())), async {
        inbox.log.wait_for_lines(400).await;
        stop.cancel();
    });
    assert_eq!(inbox.log.times().last(), Some(&100), "no handler waited for an item");
    let claims = inbox.claim_limits().len();
    assert!(claims <= 50, "{claims} claims");
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_fails_while_a_slow_item_runs_changes_nothing_for_it() {
    let inbox = Inbox::with([0, 1]);
    inbox.fail_claims([Fault::None, Fault::Refuse, Fault::Panic]);
    let processor = processor(&inbox, slow_first(10_000)).concurrency(2).build().unwrap();
    let ticks = PacedLoop::builder(processor).interval(secs(1)).immediate_first_tick().build().unwrap();
    let stop = CancellationToken::new();
    tokio::join!(within(ticks.run(stop.clone())), async {
        inbox.log.wait_for("done 0 fine").await;
        stop.cancel();
    });
    assert_eq!(inbox.log.times(), [1, 10_000]);
}
