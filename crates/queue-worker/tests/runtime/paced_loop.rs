//! The loop that repeats a tick.

use crate::{
    processor::{fine, processor},
    support::{Fault, Inbox, Log, ended, millis, secs, spawn, within},
};
use queue_core::SeededRng;
use queue_worker::runtime::{Pace, PacedLoop, PacedLoopBuilder, PacedTick, TickFn, handler_fn, tick_fn};
use std::{
    future::ready,
    pin::Pin,
    sync::{Arc, Mutex},
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// What a scripted tick does.
#[derive(Clone, Copy)]
enum Do {
    Busy,
    Idle,
    Fail,
    Panic,
    Hang,
}

type Tick = Pin<Box<dyn Future<Output = Result<Pace, &'static str>> + Send>>;

/// A tick that follows a script, logs when it began, and stops the loop at the end.
fn scripted(
    script: &[Do],
    log: &Log,
) -> PacedLoopBuilder<TickFn<impl Fn(CancellationToken) -> Tick + Send + Sync + use<>>> {
    let (steps, log) = (Mutex::new(script.to_vec()), log.clone());
    let tick = tick_fn(move |stop: CancellationToken| -> Tick {
        log.push("tick");
        let mut steps = steps.lock().expect("unpoisoned");
        let step = steps.remove(0);
        if steps.is_empty() {
            stop.cancel();
        }
        match step {
            Do::Busy => Box::pin(ready(Ok(Pace::Busy))),
            Do::Idle => Box::pin(ready(Ok(Pace::Idle))),
            Do::Fail => Box::pin(ready(Err("scripted"))),
            Do::Panic => Box::pin(async { panic!("scripted") }),
            Do::Hang => Box::pin(std::future::pending()),
        }
    });
    PacedLoop::builder(tick).interval(secs(1)).max_idle_interval(secs(5)).immediate_first_tick()
}

/// The times at which the ticks of a script began.
async fn times<P: PacedTick>(builder: PacedLoopBuilder<P>, log: &Log) -> Vec<u64> {
    within(builder.build().expect("valid settings").run(CancellationToken::new())).await;
    log.times()
}

#[tokio::test(start_paused = true)]
async fn idle_waits_double_from_the_interval_up_to_the_cap() {
    let log = Log::new();
    let ticks = scripted(&[Do::Idle; 7], &log);
    assert_eq!(times(ticks, &log).await, [0, 1_000, 3_000, 7_000, 12_000, 17_000, 22_000]);
}

#[tokio::test(start_paused = true)]
async fn a_busy_tick_resets_the_waits() {
    let log = Log::new();
    let ticks = scripted(&[Do::Idle, Do::Idle, Do::Busy, Do::Idle, Do::Idle, Do::Idle], &log);
    assert_eq!(times(ticks, &log).await, [0, 1_000, 3_000, 3_000, 4_000, 6_000]);
}

#[tokio::test(start_paused = true)]
async fn busy_ticks_follow_each_other_after_the_busy_interval() {
    let log = Log::new();
    let ticks = scripted(&[Do::Busy; 4], &log).busy_interval(millis(10));
    assert_eq!(times(ticks, &log).await, [0, 10, 20, 30]);
}

#[tokio::test(start_paused = true)]
async fn busy_ticks_without_an_interval_let_other_tasks_run() {
    let turns = Log::new();
    let (ticking, other) = (turns.clone(), turns.clone());
    let tick = tick_fn(move |stop: CancellationToken| {
        ticking.push("tick");
        // The bound makes the test fail rather than spin if no other task ever runs.
        if ticking.lines().len() == 1_000 {
            stop.cancel();
        }
        ready(Ok::<_, &'static str>(Pace::Busy))
    });
    let stop = CancellationToken::new();
    let stops = stop.clone();
    let other = spawn(async move {
        other.wait_for("tick").await;
        stops.cancel();
    });
    let ticks = PacedLoop::builder(tick).immediate_first_tick().build().unwrap();
    ended(spawn(async move { ticks.run(stop).await })).await;
    ended(other).await;
    assert!(turns.lines().len() < 10, "the other task had to wait for {} ticks", turns.lines().len());
}

#[tokio::test(start_paused = true)]
async fn the_first_tick_waits_for_the_interval_unless_told_otherwise() {
    let log = Log::new();
    let tick = tick_fn({
        let log = log.clone();
        move |stop: CancellationToken| {
            log.push("tick");
            stop.cancel();
            ready(Ok::<_, &'static str>(Pace::Idle))
        }
    });
    assert_eq!(times(PacedLoop::builder(tick).interval(secs(3)), &log).await, [3_000]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_counts_as_idle_is_reported_and_the_loop_goes_on() {
    let (log, panics) = (Log::new(), Log::new());
    let seen = panics.clone();
    let ticks = scripted(&[Do::Idle, Do::Panic, Do::Idle], &log).on_panic(move |message| seen.push(message));
    assert_eq!(times(ticks, &log).await, [0, 1_000, 3_000]);
    assert_eq!(panics.trace(), [(1_000, "scripted".into())]);
}

#[tokio::test(start_paused = true)]
async fn an_error_counts_as_idle_is_reported_and_the_loop_goes_on() {
    let (log, errors) = (Log::new(), Log::new());
    let seen = errors.clone();
    let ticks = scripted(&[Do::Idle, Do::Fail, Do::Idle], &log).on_error(move |it| seen.push(it.to_string()));
    assert_eq!(times(ticks, &log).await, [0, 1_000, 3_000]);
    assert_eq!(errors.trace(), [(1_000, "scripted".into())]);
}

#[tokio::test(start_paused = true)]
async fn a_tick_over_its_timeout_is_dropped_counts_as_idle_and_the_loop_goes_on() {
    let (log, errors) = (Log::new(), Log::new());
    let seen = errors.clone();
    let ticks = scripted(&[Do::Hang, Do::Idle, Do::Idle], &log)
        .tick_timeout(secs(10))
        .on_error(move |it| seen.push(it.to_string()));
    assert_eq!(times(ticks, &log).await, [0, 11_000, 13_000]);
    assert_eq!(errors.lines(), ["the tick took longer than 10s"]);
}

#[tokio::test(start_paused = true)]
async fn a_tick_that_panics_while_it_is_dropped_does_not_end_the_loop() {
    struct Grenade;
    impl Drop for Grenade {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let log = Log::new();
    let seen = log.clone();
    let tick = tick_fn(|_| async {
        let _grenade = Grenade;
        std::future::pending::<Result<Pace, &'static str>>().await
    });
    let ticks = PacedLoop::builder(tick).interval(secs(1)).tick_timeout(secs(1));
    let ticks = ticks.on_panic(move |message| seen.push(message)).build().unwrap();
    let stop = CancellationToken::new();
    tokio::join!(within(ticks.run(stop.clone())), async {
        log.wait_for_count("dropped", 2).await;
        stop.cancel();
    });
}

#[tokio::test(start_paused = true)]
async fn callbacks_that_panic_do_not_end_the_loop() {
    let log = Log::new();
    let ticks = scripted(&[Do::Fail, Do::Panic, Do::Idle], &log)
        .on_error(|_| panic!("scripted"))
        .on_panic(|_| panic!("scripted"));
    assert_eq!(times(ticks, &log).await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn jitter_shortens_waits_by_no_more_than_its_share_and_repeats_with_the_seed() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let log = Log::new();
        let ticks = scripted(&[Do::Idle; 20], &log).jitter(0.5, Arc::new(SeededRng::new(5)));
        runs.push(times(ticks, &log).await);
    }
    let waits: Vec<u64> = runs[0].windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (wait, full) in waits.iter().zip([1_000, 2_000, 4_000].into_iter().chain(std::iter::repeat(5_000))) {
        assert!((full / 2..=full + 1).contains(wait), "{wait} of {full}");
    }
    assert!(waits[3..].iter().any(|wait| *wait < 4_990), "there is jitter: {waits:?}");
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_wait_at_once() {
    let log = Log::new();
    let tick = tick_fn(|_| ready(Ok::<_, &'static str>(Pace::Idle)));
    let (stop, began) = (CancellationToken::new(), Instant::now());
    let ticks = PacedLoop::builder(tick).interval(secs(3_600)).build().unwrap();
    tokio::join!(within(ticks.run(stop.clone())), async {
        sleep(secs(1)).await;
        stop.cancel();
    });
    assert_eq!((began.elapsed(), log.lines().len()), (secs(1), 0));
}

#[tokio::test(start_paused = true)]
async fn a_tick_that_runs_at_the_stop_is_told_and_waited_for() {
    let log = Log::new();
    let seen = log.clone();
    let tick = tick_fn(move |stop: CancellationToken| {
        let seen = seen.clone();
        async move {
            stop.cancelled().await;
            sleep(secs(2)).await;
            seen.push("tidied up");
            Ok::<_, &'static str>(Pace::Busy)
        }
    });
    let stop = CancellationToken::new();
    let ticks = PacedLoop::builder(tick).immediate_first_tick().build().unwrap();
    tokio::join!(within(ticks.run(stop.clone())), async {
        sleep(secs(1)).await;
        stop.cancel();
    });
    assert_eq!(log.trace(), [(3_000, "tidied up".into())]);
}

#[tokio::test(start_paused = true)]
async fn a_processor_is_busy_exactly_when_a_full_batch_came() {
    let inbox = Inbox::with(0..10);
    let processor = processor(&inbox, handler_fn(fine)).concurrency(5).build().unwrap();
    let stop = CancellationToken::new();
    let mut paces = Vec::new();
    for rows in [10, 5, 0] {
        assert_eq!(inbox.rows().len(), rows);
        paces.push(PacedTick::tick(&processor, &stop).await.unwrap());
    }
    assert_eq!(paces, [Pace::Busy, Pace::Busy, Pace::Idle]);
    let nearly = Inbox::with(0..4);
    let processor = crate::processor::processor(&nearly, handler_fn(fine)).concurrency(5).build().unwrap();
    assert_eq!(PacedTick::tick(&processor, &stop).await.unwrap(), Pace::Idle);
}

#[tokio::test(start_paused = true)]
async fn a_loop_survives_a_source_that_fails_and_panics() {
    let inbox = Inbox::with([1]);
    inbox.fail_claims([Fault::Refuse, Fault::Panic]);
    let processor = processor(&inbox, handler_fn(fine)).build().unwrap();
    let ticks = PacedLoop::builder(processor).interval(secs(1)).immediate_first_tick().build().unwrap();
    let stop = CancellationToken::new();
    tokio::join!(within(ticks.run(stop.clone())), async {
        inbox.log.wait_for("done 1 fine").await;
        stop.cancel();
    });
    assert_eq!(inbox.log.times(), [3_000]);
}
