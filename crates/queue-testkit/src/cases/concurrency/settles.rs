//! Races of decisions about one job.

use super::{ROUNDS, race, race_two};
use crate::bench::prelude::*;
use crate::cases::cases;
use queue_core::{
    Applied, Changed, Retention, State, StorageExt,
    lifecycle::{Cause, Event, OnProcessing, Rejected},
};

const SENDERS: usize = 16;
const RESCUERS: usize = 8;

cases! { "concurrency":
    a_cancel_and_a_claim_agree [I10];
    a_rescue_and_a_completion_agree [I3 I5 I7];
    a_rescue_and_a_heartbeat_agree [I3 I7];
    a_cancel_between_claim_and_settle_is_never_lost [I10];
    an_await_between_claim_and_settle_is_never_lost [I13];
    of_two_outcomes_one_wins [I5];
    one_settle_sent_many_times_is_written_once [I5];
    many_rescues_charge_each_lapse_once [I7];
}

/// The job is cancelled and never leased, or leased and not cancelled.
async fn a_cancel_and_a_claim_agree(bench: &Bench) {
    for _ in 0..ROUNDS {
        bench.put("a").await;
        let (answer, held) = race_two(
            bench,
            |bench| async move { bench.change("a", Event::Cancel { processing: OnProcessing::Leave }).await },
            |bench| async move { bench.claim(1).await.pop() },
        )
        .await;
        match (answer, held) {
            (Changed::Done(_), None) => assert_eq!(bench.state("a").await, Some(State::Cancelled)),
            (Changed::Rejected(Rejected::NotAllowed(State::Processing)), Some(held)) => {
                let meta = bench.complete(&held).await;
                assert!(!meta.cancel_requested, "{meta:?}");
            }
            other => panic!("{other:?}"),
        }
        bench.changed("a", Event::Delete).await;
    }
}

/// The job is completed and uncharged, or stalled and the completion is lost.
async fn a_rescue_and_a_completion_agree(bench: &Bench) {
    for _ in 0..ROUNDS {
        let held = bench.put_and_claim("a").await;
        bench.advance(LEASE);
        let (settled, rescues) = race_two(
            bench,
            |bench| async move { bench.settle(&held, complete(held.token)).await },
            |bench| async move { bench.rescue().await.len() },
        )
        .await;
        let expected = match settled {
            Changed::Done(_) => (State::Completed, 0, 0),
            Changed::LeaseLost(_) => (State::Failing, 1, 1),
            other => panic!("{other:?}"),
        };
        let meta = bench.meta("a").await;
        assert_eq!((meta.state, meta.stalls, rescues), expected);
        bench.changed("a", Event::Delete).await;
    }
}

/// At the lapse the heartbeat is too late, whichever call comes first.
async fn a_rescue_and_a_heartbeat_agree(bench: &Bench) {
    for _ in 0..ROUNDS {
        let held = bench.put_and_claim("a").await;
        bench.advance(LEASE);
        let (beat, rescues) = race_two(
            bench,
            |bench| async move { bench.apply(decided(&held.record.meta, extend(held.token, LEASE))).await },
            |bench| async move { bench.rescue().await.len() },
        )
        .await;
        assert!(matches!(beat, Applied::LeaseLost(_)), "{beat:?}");
        assert_eq!((rescues, bench.meta("a").await.stalls), (1, 1));
        bench.changed("a", Event::Delete).await;
    }
}

/// The job is cancelled, whether the cancel came before or after the release.
async fn a_cancel_between_claim_and_settle_is_never_lost(bench: &Bench) {
    for _ in 0..ROUNDS {
        let held = bench.put_and_claim("a").await;
        let answers = race_two(
            bench,
            |bench| async move { bench.cancel("a").await },
            |bench| async move { bench.settle(&held, release(held.token)).await },
        )
        .await;
        assert!(matches!(&answers, (Changed::Done(_), Changed::Done(_))), "{answers:?}");
        assert_eq!(bench.state("a").await, Some(State::Cancelled));
        bench.changed("a", Event::Delete).await;
    }
}

/// A waiter that was accepted can read the result.
async fn an_await_between_claim_and_settle_is_never_lost(bench: &Bench) {
    for round in 0..ROUNDS {
        let text = nth(round).to_string();
        bench.put_job(job(&text).with_retention(Retention::Remove)).await;
        let held = bench.claim_one().await;
        let target = text.clone();
        let (awaited, _) = race_two(
            bench,
            |bench| async move { bench.change(&target, Event::Await).await },
            |bench| async move { bench.complete(&held).await },
        )
        .await;
        let expected = match awaited {
            Changed::Done(_) => Some(RESULT),
            Changed::Missing => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(bench.result(&text).await.as_deref(), expected);
    }
}

/// The loser gets the answer that its lease is lost.
async fn of_two_outcomes_one_wins(bench: &Bench) {
    for _ in 0..ROUNDS {
        let held = bench.put_and_claim("a").await;
        let done = decided(&held.record.meta, complete(held.token));
        let failed = decided(&held.record.meta, fail_because(held.token, Cause::Terminal));
        let outcomes = race_two(
            bench,
            |bench| async move { bench.apply(done).await },
            |bench| async move { bench.apply(failed).await },
        )
        .await;
        let expected = match outcomes {
            (Applied::Done(_), Applied::LeaseLost(_)) => State::Completed,
            (Applied::LeaseLost(_), Applied::Done(_)) => State::Failed,
            other => panic!("{other:?}"),
        };
        assert_eq!(bench.state("a").await, Some(expected));
        bench.changed("a", Event::Delete).await;
    }
}

/// All senders get the answer that it is done, and one job follows.
async fn one_settle_sent_many_times_is_written_once(bench: &Bench) {
    for round in 0..ROUNDS {
        let held = bench.put_and_claim(nth(round).as_str()).await;
        let follower = job(&format!("after-{}", nth(round))).with_delay(KEPT);
        let settle = decided(&held.record.meta, complete_then(held.token, vec![follower]));
        let answers = race(bench, SENDERS, |bench, _| {
            let settle = settle.clone();
            async move { bench.apply(settle).await }
        })
        .await;
        assert!(answers.iter().all(Applied::is_done), "{answers:?}");
        assert_eq!(bench.meta(nth(round).as_str()).await.revision, 3);
    }
    assert_eq!(bench.counts().await.scheduled, ROUNDS as u64);
}

/// Every worker rescues; a worker that loses a race finds less to do.
async fn many_rescues_charge_each_lapse_once(bench: &Bench) {
    bench.put_many(100).await;
    bench.claim(100).await;
    bench.advance(LEASE);
    let mut rescued = 0;
    for _ in 0..ROUNDS {
        let counts = race(bench, RESCUERS, |bench, _| async move {
            bench.store().rescue(bench.queue(), 30, &policy()).await.expect("it answers").len()
        });
        rescued += counts.await.into_iter().sum::<usize>();
        if rescued >= 100 {
            break;
        }
    }
    assert_eq!(rescued, 100);
    let stalls: Vec<_> = bench.claim(100).await.iter().map(|held| held.record.meta.stalls).collect();
    assert_eq!(stalls, [1; 100], "each lapse is charged once");
}
