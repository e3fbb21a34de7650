//! Jobs over the rate of their kind are put back until their turn.

use super::{free, jobs, limited};
use crate::support::{Fault, Rig, Starts, job, millis, numbers, span, times_ms};
use queue_core::State;
use queue_worker::{RateLimit, WorkQueue};

fn on_default_queue(rig: &Rig) -> [WorkQueue; 1] {
    [WorkQueue::new(rig.queue.clone())]
}

#[tokio::test(start_paused = true)]
async fn each_job_over_the_rate_is_put_back_once_and_all_keep_their_order() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue(jobs("sms", 30, None)).await;
    let worker = rig.worker_on(starts.router(|_| 0), on_default_queue(&rig));
    let report = rig.drain(worker.kind_rate_limit("sms", RateLimit::per_second(1).burst(2))).await;
    let turns: Vec<u64> = (0..30_u64).map(|n| n.saturating_sub(1) * 1000).collect();
    assert_eq!(times_ms(&starts.all()), turns);
    assert_eq!(numbers(&starts.all()), (0..30).collect::<Vec<_>>());
    assert_eq!((report.completed, report.released), (30, 28), "all but the burst are put back, each once");
    for n in 0..30 {
        let meta = rig.meta(&format!("sms-{n}")).await;
        assert_eq!((meta.failures, meta.stalls), (0, 0), "nothing is charged");
    }
}

#[tokio::test(start_paused = true)]
async fn other_kinds_are_not_held_up() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue(jobs("sms", 100, None).chain(jobs("mail", 100, None))).await;
    let worker = rig.worker_on(starts.router(|_| 10), on_default_queue(&rig)).concurrency(1);
    rig.drain(worker.kind_rate_limit("sms", RateLimit::per_minute(1))).await;
    let mail = times_ms(&starts.of_kind("mail"));
    assert_eq!(mail, (0..100).map(|n| 10 + 10 * n).collect::<Vec<u64>>(), "one after the other, at once");
    assert_eq!(starts.of_kind("sms").last().expect("there are some").number, 99);
}

#[tokio::test(start_paused = true)]
async fn a_long_line_keeps_its_order_and_its_jobs_come_again_once_a_minute_at_most() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue(jobs("sms", 300, None)).await;
    let worker = rig.worker_on(starts.router(|_| 0), on_default_queue(&rig));
    rig.drain(worker.kind_rate_limit("sms", RateLimit::per_second(1))).await;
    assert_eq!(times_ms(&starts.all()), (0..300).map(|n| n * 1000).collect::<Vec<u64>>());
    assert_eq!(numbers(&starts.all()), (0..300).collect::<Vec<_>>());
    for n in 0..300 {
        let epoch = rig.meta(&format!("sms-{n}")).await.epoch;
        assert!(epoch <= n / 60 + 3, "job {n} was claimed {epoch} times");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_far_away_is_waited_for_in_one_go() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue(jobs("report", 2, None)).await;
    let worker = rig.worker_on(starts.router(|_| 0), on_default_queue(&rig));
    let hourly = RateLimit::new(1, millis(3_600_000));
    let report = rig.drain(worker.kind_rate_limit("report", hourly)).await;
    assert_eq!((times_ms(&starts.all()), report.released), (vec![0, 3_600_000], 1));
}

/// In a long backlog that is claimed one by one, jobs that were put back return behind all the
/// others.
#[tokio::test(start_paused = true)]
async fn a_kind_goes_on_at_its_rate_while_its_backlog_is_put_back() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue(jobs("sms", 100, None)).await;
    rig.store.script().on_claim = Some(Box::new(|| Fault::Late(millis(100))));
    let worker = rig.worker_on(starts.router(|_| 0), on_default_queue(&rig)).concurrency(1).prefetch(0);
    rig.drain(worker.kind_rate_limit("sms", RateLimit::per_second(1))).await;
    let times = times_ms(&starts.all());
    let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| (1000..=2200).contains(gap)), "{gaps:?}");
    assert!(times[99] <= 130_000, "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn the_rate_of_a_kind_is_one_over_all_queues() {
    let (rig, starts) = (Rig::new(), Starts::default());
    for queue in [free(), limited()] {
        rig.enqueue_into(&queue, jobs("sms", 5, None)).await;
    }
    let worker = rig.worker_on(starts.router(|_| 0), [WorkQueue::new(free()), WorkQueue::new(limited())]);
    rig.drain(worker.kind_rate_limit("sms", RateLimit::per_second(1))).await;
    assert_eq!(times_ms(&starts.all()), (0..10).map(|n| n * 1000).collect::<Vec<u64>>());
}

#[tokio::test(start_paused = true)]
async fn until_idle_waits_for_what_the_worker_put_back_and_not_for_what_was_scheduled() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue(jobs("sms", 5, None)).await;
    rig.enqueue([job("later", 1).with_delay(span(600_000))]).await;
    let worker = rig.worker_on(starts.router(|_| 0), on_default_queue(&rig));
    let worker = worker.kind_rate_limit("sms", RateLimit::per_minute(1)).until_idle();
    let report = Rig::start(worker).ended().await;
    assert_eq!((report.completed, rig.events.elapsed_ms()), (5, 240_000));
    assert_eq!(rig.meta("later").await.state, State::Queued);
}
