//! Tests of the loop that claims messages and runs a handler for each.

use crate::{
    stores::{in_paused_time, on_each_store, on_manual_clocks},
    visibility::{MINUTE, claim, numbers, publish},
};
use queue::{Delivery, ErrorKind, Failure, Id};
use queue_faces::visibility::Visibility;
use std::{
    future::ready,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{sync::Barrier, time::Instant};
use tokio_util::sync::CancellationToken;

/// How long a loop may take that is to end.
const PATIENT: Duration = Duration::from_secs(30);

#[tokio::test]
async fn a_loop_handles_messages_in_order_and_those_that_fail_again() {
    on_manual_clocks(async |stage, clock| {
        let (messages, stop) = (numbers(stage), CancellationToken::new());
        publish(&messages, 0..4).await;
        let seen = Mutex::new(Vec::new());
        let ran = messages.run(&stop, |message| {
            // The last of them takes as long as the failed one has to wait.
            clock.advance(Duration::from_millis(if *message.payload() == 3 { 1000 } else { 1 }));
            let mut seen = seen.lock().expect("no handler panics");
            seen.push((*message.payload(), message.attempt()));
            if seen.len() == 5 {
                stop.cancel();
            }
            let fails = *message.payload() == 1 && message.attempt() == 1;
            ready(if fails { Err(Failure::new("Once", "more")) } else { Ok(()) })
        });
        tokio::time::timeout(PATIENT, ran).await.expect("five were handled").expect("runs");
        assert_eq!(*seen.lock().expect("unlocked"), [(0, 1), (1, 1), (2, 1), (3, 1), (1, 2)]);
        assert!(messages.is_empty().await.expect("counts"));
    })
    .await;
}

#[tokio::test]
async fn a_batch_is_handled_as_concurrently_as_allowed_and_no_more() {
    const CONCURRENCY: usize = 3;
    on_each_store(async |stage| {
        let (messages, stop) = (numbers(stage), CancellationToken::new());
        publish(&messages, 0..12).await;
        let (running, running_max, ended) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let together = Barrier::new(CONCURRENCY);
        let handler = async |_: Arc<Delivery<u32>>| {
            let now = running.fetch_add(1, Ordering::SeqCst) + 1;
            running_max.fetch_max(now, Ordering::SeqCst);
            // None ends before as many have started as are allowed at once.
            together.wait().await;
            running.fetch_sub(1, Ordering::SeqCst);
            if ended.fetch_add(1, Ordering::SeqCst) + 1 == 12 {
                stop.cancel();
            }
            Ok(())
        };
        let ran = messages.run_batch(&stop, 6, CONCURRENCY, handler);
        tokio::time::timeout(PATIENT, ran).await.expect("as many start as are allowed").expect("runs");
        assert_eq!(running_max.load(Ordering::SeqCst), CONCURRENCY);
        assert!(messages.is_empty().await.expect("counts"));
    })
    .await;
}

#[tokio::test]
async fn a_stop_gives_back_what_was_claimed_and_not_begun() {
    on_each_store(async |stage| {
        let (messages, stop) = (numbers(stage), CancellationToken::new());
        publish(&messages, 0..5).await;
        let handler = |_: Arc<Delivery<u32>>| {
            stop.cancel();
            ready(Ok(()))
        };
        messages.run_batch(&stop, 5, 1, handler).await.expect("runs");
        let back = messages.claim_batch(9, Duration::ZERO).await.expect("claims");
        let shown: Vec<_> = back.iter().map(|message| (*message.payload(), message.attempt())).collect();
        assert_eq!(shown, [(1, 1), (2, 1), (3, 1), (4, 1)]);
    })
    .await;
}

#[tokio::test]
async fn a_handler_that_panics_fails_its_message_alone_and_the_loop_goes_on() {
    on_manual_clocks(async |stage, clock| {
        let (messages, stop) = (numbers(stage), CancellationToken::new());
        publish(&messages, 0..3).await;
        let handler = async |message: Arc<Delivery<u32>>| {
            assert_ne!(*message.payload(), 1, "a bug");
            if *message.payload() == 2 {
                stop.cancel();
            }
            Ok(())
        };
        messages.run_batch(&stop, 3, 1, handler).await.expect("runs");
        clock.advance(MINUTE / 2);
        let again = claim(&messages).await.expect("it did not stay hidden for its timeout");
        assert_eq!((*again.payload(), again.attempt(), again.meta().failures), (1, 2, 1));
        assert_eq!(messages.len().await.expect("counts"), 1);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_keeps_failing_waits_longer_each_time_and_holds_up_no_other() {
    let stage = in_paused_time();
    let (messages, stop) = (numbers(&stage), CancellationToken::new());
    publish(&messages, [7]).await;
    let (starts, others) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let handler = async |message: Arc<Delivery<u32>>| {
        if *message.payload() != 7 {
            others.fetch_add(1, Ordering::SeqCst);
            return Ok(());
        }
        publish(&messages, [8]).await;
        let mut starts = starts.lock().expect("no handler panics");
        starts.push(Instant::now());
        if starts.len() == 8 {
            stop.cancel();
        }
        Err(Failure::new("Poison", "never works"))
    };
    messages.run(&stop, handler).await.expect("runs");
    let starts = starts.into_inner().expect("unlocked");
    let waits: Vec<u64> = starts.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect();
    for (wait, full) in waits.iter().zip([1, 2, 4, 8, 16, 32, 64]) {
        assert!((full * 3 / 4..=full).contains(wait), "{waits:?}");
    }
    assert_eq!(others.load(Ordering::SeqCst), 7);
}

#[tokio::test]
async fn a_message_whose_timeout_passed_before_its_turn_is_not_started_on_that_claim() {
    on_manual_clocks(async |stage, clock| {
        let (messages, stop) = (numbers(stage), CancellationToken::new());
        publish(&messages, 0..3).await;
        let seen = Mutex::new(Vec::new());
        let ran = messages.run_batch(&stop, 3, 1, |message| {
            let mut seen = seen.lock().expect("no handler panics");
            seen.push((*message.payload(), message.meta().epoch));
            match seen.len() {
                1 => clock.advance(MINUTE),
                3 => stop.cancel(),
                _ => (),
            }
            ready(Ok(()))
        });
        tokio::time::timeout(PATIENT, ran).await.expect("three were handled").expect("runs");
        assert_eq!(*seen.lock().expect("unlocked"), [(0, 1), (1, 2), (2, 2)], "number and claim");
    })
    .await;
}

#[tokio::test]
async fn each_message_of_a_batch_has_the_whole_timeout_from_its_turn() {
    on_manual_clocks(async |stage, clock| {
        let (messages, stop) = (numbers(stage), CancellationToken::new());
        publish(&messages, 0..2).await;
        let handler = async |message: Arc<Delivery<u32>>| {
            clock.advance(MINUTE / 2);
            assert!(claim(&messages).await.is_none(), "{} became visible", message.payload());
            if *message.payload() == 1 {
                stop.cancel();
            }
            Ok(())
        };
        messages.run_batch(&stop, 2, 1, handler).await.expect("runs");
        assert!(messages.is_empty().await.expect("counts"));
    })
    .await;
}

#[tokio::test]
async fn a_message_that_does_not_decode_does_not_end_the_loop() {
    on_each_store(async |stage| {
        let texts = Visibility::<String>::new(stage.store(), stage.queue(), MINUTE).expect("valid");
        assert!(texts.publish(Id::Generated, "no number".to_owned()).await.expect("stores").is_new());
        let (messages, stop) = (numbers(stage), CancellationToken::new());
        publish(&messages, [7]).await;
        let handler = |_: Arc<Delivery<u32>>| {
            stop.cancel();
            ready(Ok(()))
        };
        let ran = tokio::time::timeout(PATIENT, messages.run(&stop, handler)).await;
        ran.expect("the good one was handled").expect("runs");
        assert!(messages.is_empty().await.expect("counts"));
    })
    .await;
}

#[tokio::test]
async fn an_error_of_the_store_ends_the_loop_once_the_handlers_have_ended() {
    let stage = in_paused_time();
    let (messages, stop) = (numbers(&stage), CancellationToken::new());
    publish(&messages, 0..3).await;
    let (ended, both_run) = (Mutex::new(Vec::new()), Barrier::new(2));
    let handler = async |message: Arc<Delivery<u32>>| {
        both_run.wait().await;
        if *message.payload() == 0 {
            stage.store().close().await.expect("closes");
        } else {
            // Long enough for the other to be refused its acknowledgement.
            for _ in 0..1000 {
                tokio::task::yield_now().await;
            }
        }
        ended.lock().expect("no handler panics").push(*message.payload());
        Ok(())
    };
    let error = messages.run_batch(&stop, 3, 2, handler).await.expect_err("the store is closed");
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert_eq!(*ended.lock().expect("unlocked"), [0, 1], "the third must not begin");
}
