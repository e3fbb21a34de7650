//! The pool, which runs jobs of the program's own.

use crate::support::{Log, ended, millis, secs, settle, spawn, within};
use queue_worker::runtime::{NotDone, Pool, PoolClosed};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};

fn pool(concurrency: usize) -> Arc<Pool> {
    Arc::new(Pool::new(concurrency).expect("a valid size"))
}

#[tokio::test(start_paused = true)]
async fn a_job_answers_its_output() {
    let pool = pool(1);
    assert_eq!(within(within(pool.submit(async { "here" })).await.unwrap().join()).await, Ok("here"));
}

#[tokio::test(start_paused = true)]
async fn never_more_jobs_run_at_once_than_allowed() {
    let pool = pool(3);
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut jobs = Vec::new();
    for n in 0..20 {
        let (now, most) = (now.clone(), most.clone());
        let job = async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(millis(n % 5 + 1)).await;
            now.fetch_sub(1, Ordering::SeqCst);
        };
        jobs.push(within(pool.submit(job)).await.unwrap());
    }
    for job in jobs {
        within(job.join()).await.unwrap();
    }
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn submit_waits_for_a_free_slot() {
    let (pool, began) = (pool(1), Instant::now());
    pool.submit(sleep(secs(7))).await.unwrap();
    assert_eq!(began.elapsed(), secs(0));
    within(pool.submit(async {})).await.unwrap();
    assert_eq!(began.elapsed(), secs(7));
}

#[tokio::test(start_paused = true)]
async fn cancelling_one_job_frees_its_slot_and_leaves_the_others() {
    let pool = pool(2);
    let stuck = pool.submit(std::future::pending::<()>()).await.unwrap();
    let other = pool.submit(async { sleep(secs(5)).await }).await.unwrap();
    stuck.cancel();
    assert_eq!(within(stuck.join()).await, Err(NotDone::Cancelled));
    assert_eq!(within(within(pool.submit(async { 1 })).await.unwrap().join()).await, Ok(1));
    assert_eq!(within(other.join()).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_job_cancelled_before_it_began_never_begins() {
    let (pool, log) = (pool(1), Log::new());
    let begun = log.clone();
    let job = pool.submit(async move { begun.push("begun") }).await.unwrap();
    job.cancel();
    assert_eq!((within(job.join()).await, log.lines().len()), (Err(NotDone::Cancelled), 0));
}

#[tokio::test(start_paused = true)]
async fn a_panic_fails_that_job_alone_and_frees_its_slot() {
    let pool = pool(1);
    let job = pool.submit(async { panic!("oh no") }).await.unwrap();
    assert_eq!(within(job.join()).await, Err::<(), _>(NotDone::Panicked("oh no".into())));
    assert_eq!(within(within(pool.submit(async { 1 })).await.unwrap().join()).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_handle_is_dropped_goes_on() {
    let (pool, done) = (pool(1), Arc::new(Notify::new()));
    let told = done.clone();
    drop(pool.submit(async move { told.notify_one() }).await.unwrap());
    done.notified().await;
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_drains_what_runs_and_then_rejects() {
    let (pool, began) = (pool(2), Instant::now());
    let job = pool.submit(async { sleep(secs(3)).await }).await.unwrap();
    within(pool.shutdown(secs(60))).await;
    assert_eq!((began.elapsed(), within(job.join()).await), (secs(3), Ok(())));
    assert_eq!(pool.submit(async {}).await.unwrap_err(), PoolClosed);
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_for_a_slot_at_the_shutdown_is_rejected() {
    let (pool, log) = (pool(1), Log::new());
    pool.submit(sleep(secs(3))).await.unwrap();
    let (waiting, started) = (pool.clone(), log.clone());
    let submit = spawn(async move { waiting.submit(async move { started.push("started") }).await.err() });
    settle().await;
    within(pool.shutdown(secs(60))).await;
    assert_eq!(ended(submit).await, Some(PoolClosed));
    assert!(log.lines().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_cancels_what_still_runs_at_its_deadline() {
    let (pool, began) = (pool(1), Instant::now());
    let stuck = pool.submit(std::future::pending::<()>()).await.unwrap();
    within(pool.shutdown(secs(4))).await;
    assert_eq!((began.elapsed(), within(stuck.join()).await), (secs(4), Err(NotDone::Cancelled)));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_pool_cancels_its_jobs() {
    let pool = pool(1);
    let stuck = pool.submit(std::future::pending::<()>()).await.unwrap();
    drop(pool);
    assert_eq!(within(stuck.join()).await, Err(NotDone::Cancelled));
}

#[test]
fn a_pool_of_none_or_of_far_too_many_is_refused() {
    assert!(Pool::new(0).is_err() && Pool::new(100_001).is_err() && Pool::new(100_000).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_does_not_wait_for_a_submit_that_nobody_polls() {
    let pool = pool(1);
    pool.submit(sleep(secs(3))).await.unwrap();
    let mut waiting = Box::pin(pool.submit(async {}));
    assert!(futures_util::poll!(&mut waiting).is_pending());
    within(pool.shutdown(secs(60))).await;
    assert_eq!(waiting.await.unwrap_err(), PoolClosed);
}

#[tokio::test(start_paused = true)]
async fn a_submit_that_got_its_slot_before_a_shutdown_and_was_not_polled_is_rejected() {
    let (pool, log) = (pool(1), Log::new());
    pool.submit(sleep(secs(3))).await.unwrap();
    let started = log.clone();
    let mut waiting = Box::pin(pool.submit(async move { started.push("started") }));
    assert!(futures_util::poll!(&mut waiting).is_pending());
    sleep(secs(4)).await;
    within(pool.shutdown(secs(60))).await;
    assert_eq!(waiting.await.unwrap_err(), PoolClosed);
    settle().await;
    assert!(log.lines().is_empty());
}
