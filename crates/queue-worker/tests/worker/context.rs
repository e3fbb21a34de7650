//! What a handler knows of its job, and what it can do to the job.

use crate::support::{Fault, Rig, job, millis, router, span};
use queue_core::{
    ContentType, ErrorKind, Payload, Prune, PruneRequest, State, Storage, StorageExt,
    lifecycle::{Event, OnProcessing, Policy},
};
use queue_worker::{CancelReason, Context, JobError, Router};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::sleep;

/// A handler that sends a heartbeat at a given time, and answers what the heartbeat was answered.
fn beating_at(at: u64) -> Router {
    router(move |_, context: Context| async move {
        sleep(millis(at)).await;
        let told = context.heartbeat().await?;
        assert_eq!(told, context.cancel_reason());
        Ok(format!("{told:?}"))
    })
}

async fn result(rig: &Rig, name: &str) -> String {
    let result = rig.record(name).await.result().expect("completed").bytes.clone();
    String::from_utf8(result.to_vec()).expect("JSON")
}

#[tokio::test(start_paused = true)]
async fn attempt_and_epoch_differ_once_a_claim_was_given_back() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let notes = seen.clone();
    let handler = router(move |_, context: Context| {
        notes.lock().expect("unpoisoned").push((context.attempt(), context.epoch()));
        async move {
            match context.epoch() {
                1 => Err(JobError::snooze(millis(10))),
                2 => Err(JobError::named("Test", "it fails")),
                3 => Err(JobError::release()),
                _ => Ok(()),
            }
        }
    });
    rig.drain(rig.worker(handler)).await;
    assert_eq!(*seen.lock().expect("unpoisoned"), [(1, 1), (1, 2), (2, 3), (2, 4)]);
}

#[tokio::test(start_paused = true)]
async fn what_a_handler_completes_with_its_token_stays_as_it_is_when_it_returns() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let store = rig.store.clone();
    let handler = router(move |_, context: Context| {
        let store = store.clone();
        async move {
            let result = Payload::new("\"the handler's\"", ContentType::from_static("application/json"));
            let token = context.lease_token();
            let complete = Event::Complete { token, result, retention: None, then: Vec::new() };
            let _done = store.settle(context.meta(), complete, &Policy::default()).await?;
            Ok("the worker's".to_owned())
        }
    });
    let report = rig.drain(rig.worker(handler)).await;
    assert_eq!((report.completed, report.leases_lost, report.abandoned), (1, 0, 0));
    assert_eq!(result(&rig, "a").await, "\"the handler's\"");
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_of_the_handler_reaches_the_store_at_once() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.drain(rig.worker(beating_at(100)).lease(millis(60_000))).await;
    assert_eq!((result(&rig, "a").await.as_str(), rig.store.log().heartbeats.len()), ("\"None\"", 1));
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_tells_of_a_cancel_request() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let running = Rig::start(rig.worker(beating_at(100)).lease(millis(60_000)));
    rig.events.wait_for("started a").await;
    rig.change("a", Event::Cancel { processing: OnProcessing::Request }).await;
    rig.events.wait_for("completed a").await;
    assert_eq!(result(&rig, "a").await, "\"Some(Requested)\"");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_tells_of_a_lost_lease() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let told = Arc::new(Mutex::new(None));
    let seen = told.clone();
    let handler = router(move |_, context: Context| {
        let seen = seen.clone();
        async move {
            sleep(millis(100)).await;
            *seen.lock().expect("unpoisoned") = context.heartbeat().await?;
            Ok(())
        }
    });
    let running = Rig::start(rig.worker(handler).lease(millis(60_000)));
    rig.events.wait_for("started a").await;
    let everything = PruneRequest { queue: rig.queue.clone(), what: Prune::Everything, limit: 10 };
    rig.store.prune(everything).await.expect("prunes");
    rig.events.wait_for("lost a").await;
    assert_eq!(*told.lock().expect("unpoisoned"), Some(CancelReason::LeaseLost));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_that_the_store_refuses_is_an_error_and_the_worker_goes_on_with_its_own() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let mut calls = 0;
    rig.store.script().on_heartbeat = Some(Box::new(move |_| {
        calls += 1;
        if calls == 1 { Fault::Refuse(ErrorKind::Unavailable) } else { Fault::None }
    }));
    let handler = router(|_, context: Context| async move {
        let error = context.heartbeat().await.expect_err("it is refused");
        sleep(millis(30_000)).await;
        Ok((error.kind() == ErrorKind::Unavailable, context.cancel_reason().is_none()))
    });
    rig.drain(rig.worker(handler).lease(millis(3000))).await;
    assert_eq!(result(&rig, "a").await, "[true,true]");
}

#[tokio::test(start_paused = true)]
async fn a_context_that_outlives_its_job_is_told_that_the_lease_is_gone() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let kept: Arc<Mutex<Option<Context>>> = Arc::default();
    let keep = kept.clone();
    let handler = router(move |_, context: Context| {
        *keep.lock().expect("unpoisoned") = Some(context);
        async { Ok(()) }
    });
    rig.drain(rig.worker(handler)).await;
    let context = kept.lock().expect("unpoisoned").take().expect("it ran");
    assert_eq!(context.heartbeat().await.expect("answers"), Some(CancelReason::LeaseLost));
    assert_eq!(rig.store.log().heartbeats.len(), 0, "nothing is asked of the store");
    assert_eq!(Arc::strong_count(&rig.store), 1, "a context keeps no store");
}

#[tokio::test(start_paused = true)]
async fn a_context_that_outlives_its_job_asks_nothing_of_the_store_while_the_worker_goes_on() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let kept: Arc<Mutex<Option<Context>>> = Arc::default();
    let keep = kept.clone();
    let handler = router(move |_, context: Context| {
        *keep.lock().expect("unpoisoned") = Some(context);
        async { Ok(()) }
    });
    let running = Rig::start(rig.worker(handler));
    rig.events.wait_for("completed a").await;
    let context = kept.lock().expect("unpoisoned").take().expect("it ran");
    assert_eq!(context.heartbeat().await.expect("answers"), Some(CancelReason::LeaseLost));
    assert_eq!(rig.store.log().heartbeats.len(), 0);
    running.stop().await;
}

/// How much longer the lease of a job lasts.
async fn lease_left(rig: &Rig, name: &str) -> Duration {
    let found = rig.store.get(&rig.queue, &[crate::support::id(name)], queue_core::Detail::Meta).await;
    let found = found.expect("reads");
    let meta = found.value[0].as_ref().expect("it is there").meta.clone();
    meta.lease.expect("leased").expires_at.since(found.now)
}

#[tokio::test(start_paused = true)]
async fn an_extended_lease_lasts_as_long_as_asked_and_heartbeats_do_not_shorten_it() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        assert_eq!(context.extend(millis(100_000)).await?, None);
        sleep(millis(200_000)).await;
        Ok(())
    });
    let running = Rig::start(rig.worker(handler).lease(millis(3000)));
    rig.events.wait_for("started a").await;
    sleep(millis(50_000)).await;
    let beats = rig.store.log().heartbeats.len();
    assert!(beats > 40, "{beats} heartbeats meanwhile");
    assert_eq!(lease_left(&rig, "a").await, millis(50_000));
    sleep(millis(60_000)).await;
    let left = lease_left(&rig, "a").await;
    assert!(left > millis(1900) && left <= millis(3000), "as long as any other by now: {left:?}");
    running.stop.cancel();
    running.ended().await;
}

#[tokio::test(start_paused = true)]
async fn a_lease_is_not_made_shorter() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        context.extend(millis(1)).await?;
        sleep(millis(10)).await;
        Ok(())
    });
    let running = Rig::start(rig.worker(handler).lease(millis(9000)));
    rig.events.wait_for("started a").await;
    sleep(millis(5)).await;
    assert_eq!(lease_left(&rig, "a").await, millis(8995));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_extended_lease_survives_a_store_that_hears_nothing_for_a_while() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        context.extend(millis(100_000)).await?;
        sleep(millis(90_000)).await;
        Ok(context.cancel_reason().is_none())
    });
    let mut calls = 0;
    rig.store.script().on_heartbeat = Some(Box::new(move |_| {
        calls += 1;
        if calls == 1 { Fault::None } else { Fault::Refuse(ErrorKind::Unavailable) }
    }));
    let report = rig.drain(rig.worker(handler).lease(millis(3000))).await;
    assert_eq!((report.completed, report.leases_lost, report.rescued), (1, 0, 0));
    assert_eq!(result(&rig, "a").await, "true", "it is not told that its lease is gone");
}

#[tokio::test(start_paused = true)]
async fn an_extension_beyond_store_time_is_refused() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        Ok(context.extend(Duration::MAX).await.expect_err("too long").kind() == ErrorKind::Invalid)
    });
    rig.drain(rig.worker(handler)).await;
    assert_eq!(result(&rig, "a").await, "true");
}

#[tokio::test(start_paused = true)]
async fn several_jobs_may_follow_and_none_follows_a_snooze_or_a_release() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|n, context: Context| async move {
        if n != 1 {
            return Ok(());
        }
        let epoch = context.epoch();
        context.then(job(&format!("first of {epoch}"), 2));
        context.then(job(&format!("second of {epoch}"), 2).with_delay(span(500)));
        match epoch {
            1 => Err(JobError::snooze(millis(10))),
            2 => Err(JobError::release()),
            _ => Ok(()),
        }
    });
    let report = rig.drain(rig.worker(handler)).await;
    assert_eq!((report.completed, report.released), (3, 2));
    assert_eq!((rig.find("first of 1").await, rig.find("second of 2").await), (None, None));
    assert_eq!(rig.meta("second of 3").await.state, State::Completed);
    let at = |name: &str| rig.events.times_of(name)[0];
    assert_eq!(at("started first of 3"), at("completed a"));
    assert_eq!(at("started second of 3"), at("completed a") + 500);
}
