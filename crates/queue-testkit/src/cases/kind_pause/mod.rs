//! Pausing the claims of single kinds.

pub(super) mod aside;
pub(super) mod claims;

use crate::bench::prelude::*;
use queue_core::{Budget, Claimed, Kind, NewJob, Pause, Retention, Timestamp};

pub(super) fn kind(text: &str) -> Kind {
    Kind::new(text).expect("a valid kind")
}

pub(super) fn of_kind(name: &str, text: &str) -> NewJob {
    NewJob::new(id(text), kind(name), text_payload(text))
        .with_max_attempts(Budget::from_raw(3))
        .with_retention(Retention::Keep(KEPT))
}

pub(super) async fn pause(bench: &Bench, name: &str, pause: Pause) {
    bench.store().set_paused(bench.queue(), Some(&kind(name)), pause).await.expect("it pauses kinds");
}

pub(super) async fn stop(bench: &Bench, name: &str) {
    pause(bench, name, Pause::UntilResumed).await;
}

pub(super) async fn resume(bench: &Bench, name: &str) {
    pause(bench, name, Pause::Off).await;
}

pub(super) async fn stop_for(bench: &Bench, name: &str, millis: i64) -> Timestamp {
    let end = Timestamp::from_millis(bench.counts().await.now.as_millis() + millis);
    pause(bench, name, Pause::Until(end)).await;
    end
}

/// `mail` and `report` in turn: m0, r1, m2, r3 and so on.
pub(super) async fn put_in_turn(bench: &Bench, count: usize) {
    for nth in 0..count {
        let (name, letter) = if nth % 2 == 0 { ("mail", 'm') } else { ("report", 'r') };
        bench.put_job(of_kind(name, &format!("{letter}{nth}"))).await;
    }
}

pub(super) async fn claimed(bench: &Bench, limit: usize) -> Claimed {
    bench.send(bench.request(limit)).await
}
