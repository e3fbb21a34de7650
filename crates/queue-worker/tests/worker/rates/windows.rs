//! The promise of every limit: in any window no more jobs start than the burst and the rate allow.

use super::{assert_within, free, jobs, limited, ten_per_second};
use crate::support::{FOREVER, Rig, Starts, job_of, millis, span, times_ms};
use queue_core::{Rng, SeededRng, Storage};
use queue_worker::{RateLimit, WorkQueue};
use std::time::Duration;
use tokio::time::{sleep, timeout};

#[tokio::test(start_paused = true)]
async fn a_job_under_two_limits_keeps_both() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&limited(), jobs("sms", 10, None).chain(jobs("mail", 40, None))).await;
    let worker = rig.worker_on(starts.router(|_| 0), [ten_per_second()]);
    let report = rig.drain(worker.kind_rate_limit("sms", RateLimit::per_second(2))).await;
    assert_eq!(report.completed, 50);
    let second = Duration::from_secs(1);
    assert_within("queue", &starts.all(), 10, second, 3);
    assert_within("kind", &starts.of_kind("sms"), 2, second, 1);
    let mail = times_ms(&starts.of_kind("mail"));
    assert_eq!((mail.len(), mail[39]), (40, 3800), "what is put back costs its queue no token");
}

#[tokio::test(start_paused = true)]
async fn a_limit_holds_over_runs_that_are_stopped_and_dropped() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&limited(), jobs("x", 40, None)).await;
    let worker = rig.worker_on(starts.router(|_| 20), [ten_per_second()]).until_empty();
    let worker =
        worker.kind_rate_limit("x", RateLimit::per_second(9).burst(2)).build().expect("valid settings");
    for patience in [1, 150, 90, 10, 230] {
        assert!(timeout(millis(patience), worker.run()).await.is_err(), "it is not done yet");
        let (stop, run) = (worker.stop_token(), worker.run());
        let stopper = async {
            sleep(millis(patience)).await;
            stop.cancel();
        };
        tokio::join!(run, stopper);
    }
    timeout(FOREVER, worker.run()).await.expect("it ends");
    let all = starts.all();
    assert!(all.len() >= 40, "{} starts", all.len());
    assert_within("queue, over several runs", &all, 10, Duration::from_secs(1), 3);
    assert_within("kind, over several runs", &all, 9, Duration::from_secs(1), 2);
}

/// Kinds, lengths, arrivals, limits and numbers of handlers are random, so that runs overlap in
/// every way.
#[tokio::test(start_paused = true)]
async fn whatever_is_limited_every_window_of_a_random_run_holds_and_every_job_ends() {
    for seed in 0..60 {
        let rng = SeededRng::new(seed);
        let below = |most: u64| u32::try_from(rng.next_u64() % most).expect("small");
        let (rig, starts) = (Rig::new(), Starts::default());
        let (per_period, period) = (1 + below(20), millis(u64::from(100 + below(3000))));
        let (queue_burst, kind_burst) = (1 + below(6), 1 + below(4));
        for n in 0..80 {
            let queue = if below(2) == 0 { limited() } else { free() };
            let (kind, delay) = (["sms", "mail", "push"][below(3) as usize], span(i64::from(below(4000))));
            let takes_ms = if below(10) == 0 { 2000 } else { below(60) };
            rig.enqueue_into(&queue, [job_of(kind, &n.to_string(), takes_ms).with_delay(delay)]).await;
        }
        let queue_limit = RateLimit::new(per_period, period).burst(queue_burst);
        let queue = WorkQueue::new(limited()).weight(1 + below(5)).rate_limit(queue_limit);
        let worker = rig
            .worker_on(starts.router(u64::from), [queue, WorkQueue::new(free())])
            .concurrency(1 + below(6) as usize)
            .prefetch(below(12) as usize)
            .kind_rate_limit("sms", RateLimit::new(per_period, period / 2).burst(kind_burst));
        assert_eq!(rig.drain(worker).await.completed, 80, "seed {seed}");
        let (of_queue, of_kind) = (starts.of_queue(&limited()), starts.of_kind("sms"));
        assert_within(&format!("seed {seed}, queue"), &of_queue, per_period, period, queue_burst);
        assert_within(&format!("seed {seed}, kind"), &of_kind, per_period, period / 2, kind_burst);
        assert_eq!(rig.store.verify().await.expect("verifies"), Vec::<String>::new(), "seed {seed}");
    }
}
