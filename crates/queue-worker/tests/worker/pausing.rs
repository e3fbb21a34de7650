//! A queue that is paused and resumed for all workers while one of them is at work.

use crate::support::{Hints, Rig, Running, job, millis, router};
use queue_core::{Duty, Kind, Pause, State, Storage, Timestamp, WorkerId};
use queue_worker::{Router, WorkerBuilder};
use tokio::time::sleep;

/// Each job takes ten seconds, one runs at a time, and the others are held ready.
fn one_at_a_time(rig: &Rig) -> WorkerBuilder {
    rig.worker(slow()).concurrency(1).prefetch(4).poll_interval(millis(1_000_000))
}

fn slow() -> Router {
    router(|_, _| async {
        sleep(millis(10_000)).await;
        Ok(())
    })
}

async fn pause(rig: &Rig, paused: bool) {
    let pause = if paused { Pause::UntilResumed } else { Pause::Off };
    rig.store.set_paused(&rig.queue, None, pause).await.expect("the probe pauses");
}

fn starts(rig: &Rig) -> Vec<Vec<u64>> {
    ["a", "b", "c"].iter().map(|name| rig.events.times_of(&format!("started {name}"))).collect()
}

#[tokio::test(start_paused = true)]
async fn what_is_held_ready_does_not_start_after_a_pause_and_is_given_back_uncharged() {
    let rig = Rig::new();
    rig.enqueue(["a", "b", "c"].map(|name| job(name, 1))).await;
    let running = Rig::start(one_at_a_time(&rig));
    sleep(millis(5000)).await;
    assert_eq!(rig.leased().await, 3, "it has all of them, and no reason to ask for more");
    pause(&rig, true).await;
    rig.events.wait_for("released c").await;
    assert_eq!(rig.events.times_of("released c"), [5000], "at once, though no handler is free");
    rig.events.wait_for("completed a").await;
    assert_eq!(rig.events.times_of("completed a"), [10_000], "what runs goes on");
    sleep(millis(50_000)).await;
    assert_eq!(starts(&rig), [vec![0], vec![], vec![]]);
    for name in ["b", "c"] {
        let meta = rig.meta(name).await;
        assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0));
    }
    let claims = rig.store.log().claims;
    sleep(millis(500_000)).await;
    assert_eq!(rig.store.log().claims, claims, "a paused queue is not asked");
    pause(&rig, false).await;
    rig.events.wait_for("completed c").await;
    assert_eq!(starts(&rig), [vec![0], vec![560_000], vec![570_000]], "at once");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn without_hints_a_poll_notices_that_a_queue_was_paused_and_resumed() {
    let rig = Rig::new();
    rig.store.script().hints = Hints::Drop;
    rig.enqueue(["a", "b", "c"].map(|name| job(name, 1))).await;
    let running = Rig::start(one_at_a_time(&rig).poll_interval(millis(2000)));
    sleep(millis(5000)).await;
    pause(&rig, true).await;
    sleep(millis(55_500)).await;
    assert_eq!(starts(&rig), [vec![0], vec![], vec![]]);
    pause(&rig, false).await;
    rig.events.wait_for("completed c").await;
    let resumed = starts(&rig)[1][0];
    assert!((60_500..=63_000).contains(&resumed), "within a poll: {resumed}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_with_more_to_do_than_it_can_hold_notices_a_pause_too() {
    let rig = Rig::new();
    rig.store.script().hints = Hints::Drop;
    rig.enqueue((0..100).map(|n| job(&n.to_string(), n))).await;
    let running = Rig::start(one_at_a_time(&rig));
    sleep(millis(15_000)).await;
    pause(&rig, true).await;
    sleep(millis(60_000)).await;
    // The second job was running; the third started when it ended, and the claim for the free slot
    // learned of the pause.
    let report = running.stop().await;
    assert!((2..=3).contains(&report.started), "{report:?}");
    assert_eq!((rig.leased().await, report.completed), (0, report.started));
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_is_over_before_a_handler_is_free_changes_nothing() {
    let rig = Rig::new();
    rig.enqueue(["a", "b", "c"].map(|name| job(name, 1))).await;
    let running = Rig::start(one_at_a_time(&rig));
    sleep(millis(3000)).await;
    pause(&rig, true).await;
    sleep(millis(3000)).await;
    pause(&rig, false).await;
    rig.events.wait_for("completed c").await;
    assert_eq!(starts(&rig), [vec![0], vec![10_000], vec![20_000]]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_pause_with_an_end_is_over_to_the_millisecond_without_a_hint_or_a_poll() {
    let rig = Rig::new();
    let now = rig.store.counts(&rig.queue).await.expect("the probe counts").now;
    let until = Timestamp::from_millis(now.as_millis() + 500_000);
    rig.store.set_paused(&rig.queue, None, Pause::Until(until)).await.expect("the probe pauses");
    rig.enqueue(["a"].map(|name| job(name, 1))).await;
    let running = Rig::start(one_at_a_time(&rig));
    sleep(millis(100_000)).await;
    let claims = rig.store.log().claims;
    rig.events.wait_for("started a").await;
    assert_eq!(starts(&rig)[0], [500_000]);
    assert_eq!(rig.store.log().claims, claims + 1, "it slept until then");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_held_ready_of_a_paused_kind_is_given_back_and_other_kinds_go_on() {
    let rig = Rig::new();
    let other = |name| {
        let mut new = job(name, 1);
        new.kind = Kind::from_static("other");
        new
    };
    rig.enqueue([other("a"), job("b", 1), other("c")]).await;
    let any = Router::new(()).fallback(|_: u64, _| async {
        sleep(millis(10_000)).await;
        Ok(())
    });
    let running = Rig::start(rig.worker(any).concurrency(1).prefetch(4).poll_interval(millis(1_000_000)));
    sleep(millis(5000)).await;
    let kind = rig.meta("b").await.kind;
    rig.store.set_paused(&rig.queue, Some(&kind), Pause::UntilResumed).await.expect("the probe pauses");
    rig.events.wait_for("completed c").await;
    assert_eq!(starts(&rig), [vec![0], vec![], vec![10_000]]);
    rig.store.set_paused(&rig.queue, Some(&kind), Pause::Off).await.expect("the probe resumes");
    rig.events.wait_for("completed b").await;
    assert_eq!(starts(&rig)[1], [20_000], "at once");
    running.stop().await;
}

/// One job runs and ends with the test, four are held ready, and many more wait, so that nothing
/// is claimed.
async fn full(rig: &Rig) -> Running {
    rig.store.script().hints = Hints::Drop;
    rig.enqueue((0..20).map(|n| job(&n.to_string(), n))).await;
    let endless = router(|_, _| async {
        sleep(millis(100_000_000)).await;
        Ok(())
    });
    let running = Rig::start(rig.worker(endless).concurrency(1).prefetch(4).poll_interval(millis(1_000_000)));
    rig.events.wait_for("started 0").await;
    assert_eq!(rig.leased().await, 5);
    running
}

/// Nothing is held but the job that runs, and no job was charged.
async fn assert_gave_back(rig: &Rig) {
    assert_eq!((rig.leased().await, rig.events.times_of("completed 0").len()), (1, 0));
    for name in ["1", "2", "3", "4"] {
        let meta = rig.meta(name).await;
        assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_worker_learns_of_a_pause_within_a_heartbeat_and_gives_back_what_has_not_started() {
    let rig = Rig::new();
    let running = full(&rig).await;
    pause(&rig, true).await;
    rig.events.wait_for("released 4").await;
    assert_gave_back(&rig).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_full_worker_learns_of_the_pause_of_a_kind_within_a_heartbeat() {
    let rig = Rig::new();
    let running = full(&rig).await;
    let kind = rig.meta("1").await.kind;
    rig.store.set_paused(&rig.queue, Some(&kind), Pause::UntilResumed).await.expect("the probe pauses");
    rig.events.wait_for("released 4").await;
    assert_gave_back(&rig).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_full_worker_that_is_paused_gives_back_what_has_not_started() {
    let rig = Rig::new();
    let running = full(&rig).await;
    let paused = rig.store.set_duty(&WorkerId::from_static("tester"), Duty::Pause).await;
    assert_eq!(paused.expect("the probe asks"), Some(Duty::Pause));
    rig.events.wait_for("released 4").await;
    assert_gave_back(&rig).await;
    running.stop().await;
}
