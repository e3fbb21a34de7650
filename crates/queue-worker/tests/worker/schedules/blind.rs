//! Machines that cannot read a schedule, beside one that can. A store offers a due job to each of
//! them, so by chance the others take it many times in a row.

use super::given::{Given, HOUR, every, schedule_id};
use queue_core::{ClaimedJob, Clock, Payload, UnreadableWaits, lifecycle::Event};
use std::time::Duration;

const TICKS: usize = 20;
/// By chance one of two programs takes so many turns in a row once in a million times.
const TURNS: usize = 20;
const LOOK: Duration = Duration::from_millis(1);

/// Waits until the schedule is due, and claims it. The jobs of its ticks are left to others.
async fn wait(given: &Given) -> ClaimedJob {
    loop {
        match given.claim_due().await {
            Some(claimed) if claimed.record.meta.id == schedule_id() => return claimed,
            Some(_) => {}
            None => given.clock.advance(LOOK),
        }
    }
}

/// The payload as another machine reads it that has no such zone.
fn on_a_machine_without_the_zone(claimed: &ClaimedJob) -> Payload {
    let payload = claimed.record.body.as_ref().expect("claimed with its body").payload.clone();
    let text = String::from_utf8(payload.bytes.to_vec()).expect("JSON");
    assert!(text.contains("Europe/Berlin"), "{text}");
    Payload { bytes: text.replace("Europe/Berlin", "Mars/Olympus").into(), ..payload }
}

/// One turn of a machine that cannot read the schedule.
async fn turn(given: &Given, unreadable: &UnreadableWaits) {
    let claimed = wait(given).await;
    let payload = on_a_machine_without_the_zone(&claimed);
    let handled = given.handle_as(&claimed, &payload, unreadable).await;
    assert!(handled.unreadable.is_some(), "{handled:?}");
    given.settle(&claimed, handled.event).await;
}

#[tokio::test]
async fn no_tick_is_lost_to_many_turns_of_machines_that_cannot_read_the_schedule() {
    let given = Given::new();
    given.put(every_ten_seconds()).await;
    let machines = [UnreadableWaits::default(), UnreadableWaits::default()];
    for _ in 0..=TICKS {
        for n in 0..TURNS {
            turn(&given, &machines[n % machines.len()]).await;
        }
        let claimed = wait(&given).await;
        let handled = given.handle(&claimed).await;
        assert_eq!(handled.ticks_skipped, 0, "{handled:?}");
        given.settle(&claimed, handled.event).await;
    }
    assert!(given.ticks().await.len() >= TICKS, "{:?}", given.ticks().await);
}

#[tokio::test]
async fn a_schedule_that_no_machine_can_read_comes_back_seldom() {
    let given = Given::new();
    given.put(every_ten_seconds()).await;
    let (machine, begun) = (UnreadableWaits::default(), given.clock.now());
    let mut turns = 0;
    while given.clock.now().since(begun) < HOUR {
        turn(&given, &machine).await;
        turns += 1;
    }
    assert!(turns < 1_000, "{turns} in an hour");
    let claimed = wait(&given).await;
    let handled = given.handle_as(&claimed, &on_a_machine_without_the_zone(&claimed), &machine).await;
    let Event::PutBack { delay, .. } = handled.event else { panic!("{handled:?}") };
    assert_eq!(delay, queue_core::lifecycle::RESERVED_KIND_WAIT);
}

/// A schedule whose zone a machine may not have.
fn every_ten_seconds() -> Vec<u8> {
    every("*/10 * * * * *", "Europe/Berlin").to_bytes()
}
