//! Claiming and handling.

use crate::support::{Fault, Inbox, Log, ended, millis, secs, settle, spawn, within};
use queue_worker::runtime::{Handler, Processor, ProcessorBuilder, ProcessorEvent, Source, handler_fn};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

pub(crate) type Table = Arc<Inbox>;
pub(crate) type Builder<H> = ProcessorBuilder<u32, Table, H, Table>;

pub(crate) fn processor<H>(inbox: &Table, handler: H) -> Builder<H>
where
    H: Handler<u32, Output = String, Error = &'static str>,
{
    Processor::builder(inbox.clone(), handler, inbox.clone())
}

/// A handler that succeeds at once.
pub(crate) async fn fine(_: u32) -> Result<String, &'static str> {
    Ok("fine".to_owned())
}

fn no_stop() -> CancellationToken {
    CancellationToken::new()
}

#[tokio::test(start_paused = true)]
async fn a_tick_marks_everything_that_it_claimed() {
    let inbox = Inbox::with([1, 2]);
    let report = within(processor(&inbox, handler_fn(fine)).build().unwrap().tick(&no_stop())).await.unwrap();
    assert_eq!((report.asked, report.claimed, report.succeeded, report.unmarked), (16, 2, 2, 0));
    assert_eq!(inbox.log.lines(), ["done 1 fine", "done 2 fine"]);
}

#[tokio::test(start_paused = true)]
async fn a_claim_asks_for_no_more_than_the_free_slots() {
    let inbox = Inbox::with(0..5);
    let handler = handler_fn(|n: u32| async move {
        sleep(secs(u64::from(n) + 1)).await;
        fine(n).await
    });
    let processor = Arc::new(processor(&inbox, handler).concurrency(2).batch_size(8).build().unwrap());
    let first = processor.clone();
    let first = spawn(async move { first.tick(&no_stop()).await });
    settle().await;
    within(processor.tick(&no_stop())).await.unwrap();
    assert_eq!(ended(first).await.unwrap().succeeded, 5);
    within(processor.tick(&no_stop())).await.unwrap();
    assert_eq!(inbox.claim_limits(), [8, 3, 8]);
}

#[tokio::test(start_paused = true)]
async fn without_a_free_slot_nothing_is_claimed() {
    let inbox = Inbox::with(0..9);
    let processor =
        Arc::new(processor(&inbox, handler_fn(|_| std::future::pending())).concurrency(4).build().unwrap());
    let holding = processor.clone();
    let holding = spawn(async move { holding.tick(&no_stop()).await });
    settle().await;
    let report = within(processor.tick(&no_stop())).await.unwrap();
    assert_eq!((report.asked, report.is_full(), inbox.claim_limits()), (0, false, vec![4]));
    holding.abort();
}

#[tokio::test(start_paused = true)]
async fn a_failed_claim_frees_its_slots() {
    let inbox = Inbox::with([1]);
    inbox.fail_claims([Fault::Refuse]);
    let processor = processor(&inbox, handler_fn(fine)).build().unwrap();
    assert_eq!(within(processor.tick(&no_stop())).await.unwrap_err(), "refused");
    within(processor.tick(&no_stop())).await.unwrap();
    assert_eq!(inbox.claim_limits(), [16, 16]);
}

#[tokio::test(start_paused = true)]
async fn items_are_handled_concurrently_up_to_the_limit() {
    let inbox = Inbox::with(0..12);
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (running, peak, began) = (now.clone(), most.clone(), Instant::now());
    let handler = handler_fn(move |n| {
        let (running, peak) = (running.clone(), peak.clone());
        async move {
            peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(secs(1)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            fine(n).await
        }
    });
    let processor = processor(&inbox, handler).concurrency(4).batch_size(12).build().unwrap();
    assert_eq!(within(processor.tick(&no_stop())).await.unwrap().succeeded, 12);
    assert_eq!((most.load(Ordering::SeqCst), began.elapsed()), (4, secs(3)));
}

#[tokio::test(start_paused = true)]
async fn ticks_that_overlap_share_the_handlers() {
    let inbox = Inbox::with(0..6);
    let log = Log::new();
    let started = log.clone();
    let handler = handler_fn(move |n| {
        started.push("start");
        async move {
            sleep(secs(1)).await;
            fine(n).await
        }
    });
    let processor = processor(&inbox, handler).concurrency(2).batch_size(4).build().unwrap();
    let stop = no_stop();
    // The first item holds every slot until its end, so the second must come later to find one.
    let (_, _) = tokio::join!(within(processor.tick(&stop)), async {
        inbox.log.wait_for("done 0 fine").await;
        within(processor.tick(&stop)).await
    });
    within(processor.tick(&stop)).await.unwrap();
    assert_eq!(log.times(), [0, 0, 1000, 1000, 2000, 2000]);
}

#[tokio::test(start_paused = true)]
async fn one_handler_at_a_time_keeps_the_order_of_the_claim() {
    let inbox = Inbox::with([5, 3, 9, 1]);
    let handler = handler_fn(|n| async move {
        sleep(millis(100 - u64::from(n))).await;
        fine(n).await
    });
    let processor = processor(&inbox, handler).concurrency(1).batch_size(4).build().unwrap();
    within(processor.tick(&no_stop())).await.unwrap();
    assert_eq!(inbox.log.lines(), ["done 5 fine", "done 3 fine", "done 9 fine", "done 1 fine"]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_fails_that_item_alone() {
    let inbox = Inbox::with([1, 2, 3]);
    let handler = handler_fn(|n| async move { if n == 2 { panic!("oh no") } else { fine(n).await } });
    let report = within(processor(&inbox, handler).build().unwrap().tick(&no_stop())).await.unwrap();
    assert_eq!((report.succeeded, report.failed, report.panicked), (2, 1, 1));
    assert_eq!(inbox.log.count("failed 2 Retryable: the handler panicked: oh no"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_drop_of_a_handler_fails_that_item_alone() {
    struct Grenade;
    impl Drop for Grenade {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let inbox = Inbox::with([1, 2]);
    let handler = handler_fn(|n| async move {
        if n == 1 {
            let _grenade = Grenade;
            std::future::pending::<()>().await;
        }
        fine(n).await
    });
    let report = within(processor(&inbox, handler).build().unwrap().tick(&no_stop())).await.unwrap();
    assert_eq!((report.succeeded, report.panicked), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_handler_over_its_budget_is_dropped_and_its_item_fails() {
    let inbox = Inbox::with([1, 2]);
    let handler =
        handler_fn(|n| async move { if n == 1 { std::future::pending().await } else { fine(n).await } });
    let processor = processor(&inbox, handler).handle_budget(secs(9)).build().unwrap();
    assert_eq!(within(processor.tick(&no_stop())).await.unwrap().failed, 1);
    assert_eq!(inbox.log.trace()[1], (9_000, "failed 1 Retryable: the handler took longer than 9s".into()));
}

#[tokio::test(start_paused = true)]
async fn the_classifier_decides_what_is_terminal() {
    let inbox = Inbox::with([1, 2]);
    let handler = handler_fn(|n| async move { Err(if n == 1 { "gone" } else { "busy" }) });
    let processor = processor(&inbox, handler).is_terminal(|error| *error == "gone").build().unwrap();
    within(processor.tick(&no_stop())).await.unwrap();
    assert_eq!(inbox.log.lines(), ["failed 1 Terminal: gone", "failed 2 Retryable: busy"]);
}

#[tokio::test(start_paused = true)]
async fn a_classifier_that_panics_leaves_the_failure_retryable() {
    let inbox = Inbox::with([1]);
    let processor = processor(&inbox, handler_fn(|_| async { Err("boom") }))
        .is_terminal(|_| panic!("scripted"))
        .build()
        .unwrap();
    within(processor.tick(&no_stop())).await.unwrap();
    assert_eq!(inbox.log.lines(), ["failed 1 Retryable: boom"]);
}

#[tokio::test(start_paused = true)]
async fn events_tell_the_story_of_an_item_and_a_listener_that_panics_changes_nothing() {
    let inbox = Inbox::with([1]);
    let log = Log::new();
    let seen = log.clone();
    let processor = processor(&inbox, handler_fn(fine)).on_event(move |event| {
        seen.push(format!("{event:?}"));
        assert!(!matches!(event, ProcessorEvent::Started(_)), "scripted");
    });
    let report = processor.build().unwrap().tick(&no_stop()).await.unwrap();
    assert_eq!(log.lines(), ["Started(1)", "Succeeded(1)", "Marked(1)"]);
    assert_eq!(report.succeeded, 1);
}

#[tokio::test(start_paused = true)]
async fn a_source_that_brings_too_much_has_all_of_it_handled_within_the_limit() {
    struct Generous;
    #[async_trait::async_trait]
    impl Source<u32> for Generous {
        type Error = &'static str;
        async fn claim(&self, limit: usize) -> Result<Vec<u32>, &'static str> {
            Ok((0..10).take(limit + 3).collect())
        }
    }
    let inbox = Inbox::with([]);
    let processor =
        Processor::builder(Generous, handler_fn(fine), inbox.clone()).concurrency(2).build().unwrap();
    let report = within(processor.tick(&no_stop())).await.unwrap();
    assert_eq!((report.claimed, report.succeeded, report.is_full()), (5, 5, true));
    assert_eq!(within(processor.tick(&no_stop())).await.unwrap().asked, 2);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_tick_drops_its_handlers_and_frees_its_slots() {
    let inbox = Inbox::with([1, 2]);
    let log = Log::new();
    let started = log.clone();
    let handler = handler_fn(move |n| {
        started.push("start");
        let ends = OnDrop(started.clone());
        async move {
            let _ends = ends;
            if n == 1 { std::future::pending().await } else { fine(n).await }
        }
    });
    let processor = processor(&inbox, handler).concurrency(1).build().unwrap();
    let stop = no_stop();
    assert!(tokio::time::timeout(secs(1), processor.tick(&stop)).await.is_err());
    log.wait_for("dropped").await;
    assert_eq!(within(processor.tick(&stop)).await.unwrap().succeeded, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_several_threads_every_item_is_marked_once() {
    let inbox = Inbox::with(0..2_000);
    let processor = processor(&inbox, handler_fn(fine)).concurrency(16).batch_size(64).build().unwrap();
    let stop = no_stop();
    for _ in 0..32 {
        let (one, other) = within(async { tokio::join!(processor.tick(&stop), processor.tick(&stop)) }).await;
        assert_eq!((one.unwrap().unmarked, other.unwrap().unmarked), (0, 0));
    }
    let marked: BTreeSet<String> = inbox.log.lines().into_iter().collect();
    assert_eq!((marked.len(), inbox.log.lines().len(), inbox.rows().len()), (2_000, 2_000, 0));
}

struct OnDrop(Log);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.push("dropped");
    }
}
