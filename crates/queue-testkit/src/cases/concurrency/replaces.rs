//! Races of replacements with each other, and with other changes of the job.

use super::{ROUNDS, race, race_two};
use crate::bench::prelude::*;
use crate::cases::cases;
use queue_core::{
    Applied, Budget, Changed, Enqueued, Kind, NewJob, OnWaiting, State,
    lifecycle::{Cause, Event},
};

const TASKS: usize = 16;

cases! { "concurrency":
    of_many_replacements_of_one_id_the_last_waits [I1 I9];
    many_replacements_of_a_free_id_leave_one_job [I1 I9];
    a_replacement_and_a_claim_agree [I1 I3 I9];
    a_replacement_and_a_settle_agree [I1 I4 I9];
    a_replacement_and_a_promotion_agree [I4 I9];
    a_replacement_and_a_follower_agree [I1 I9];
    a_reschedule_and_a_claim_agree [I3 I11];
    one_snooze_sent_many_times_is_followed_once [I5 I9];
    a_rescue_and_a_failure_are_followed_once_between_them [I1 I5 I9];
}

fn numbered(text: &str, n: usize) -> NewJob {
    job_with(text, text_payload(&n.to_string())).with_on_waiting(OnWaiting::Replace { max_wait: None })
}

/// Asserts that each replacement began a life, and that the latest of them waits, with its own
/// payload.
async fn assert_latest_waits(bench: &Bench, answers: &[(usize, Enqueued)]) {
    let mut seqs: Vec<_> = answers.iter().map(|(_, answer)| life(answer)).collect();
    assert!(answers.iter().all(|(_, answer)| answer.is_new()), "{answers:?}");
    seqs.sort_unstable();
    seqs.dedup();
    assert_eq!(seqs.len(), answers.len(), "each is a life of its own: {answers:?}");
    let (last, answer) = answers.iter().max_by_key(|(_, answer)| life(answer)).expect("there are several");
    let held = bench.claim(10).await;
    assert_eq!(held.iter().map(|job| job.record.meta.seq).collect::<Vec<_>>(), [life(answer)]);
    let payload = held[0].record.body.clone().expect("given").payload;
    assert_eq!(payload, text_payload(&last.to_string()));
    assert_eq!(bench.counts().await.total(), 1);
    bench.complete(&held[0]).await;
    bench.changed("a", Event::Delete).await;
}

/// The creation time is that of the first.
async fn of_many_replacements_of_one_id_the_last_waits(bench: &Bench) {
    for _ in 0..ROUNDS {
        let created_at = bench.now();
        bench.put("a").await;
        bench.advance(MILLI);
        let answers =
            race(bench, TASKS, |bench, n| async move { (n, bench.enqueue(numbered("a", n)).await) }).await;
        assert_eq!(bench.meta("a").await.created_at, created_at);
        assert_latest_waits(bench, &answers).await;
    }
}

/// The first begins the life, and the others replace it.
async fn many_replacements_of_a_free_id_leave_one_job(bench: &Bench) {
    for _ in 0..ROUNDS {
        let answers =
            race(bench, TASKS, |bench, n| async move { (n, bench.enqueue(numbered("a", n)).await) }).await;
        assert_latest_waits(bench, &answers).await;
    }
}

/// Either the claimed job runs and the other is a duplicate, or the new life is claimed. The
/// payload that was answered as new is never lost, and no two jobs run.
async fn a_replacement_and_a_claim_agree(bench: &Bench) {
    for _ in 0..ROUNDS {
        let former = bench.put("a").await;
        let (answer, held) = race_two(
            bench,
            |bench| async move { bench.enqueue(numbered("a", 1)).await },
            |bench| async move { bench.claim(10).await },
        )
        .await;
        let claimed: Vec<_> = held.iter().map(|job| job.record.meta.seq).collect();
        let waiting: Vec<_> = bench.claim(10).await.iter().map(|job| job.record.meta.seq).collect();
        let taken = Enqueued::Duplicate { seq: former, state: State::Processing };
        match answer {
            Enqueued::Queued { seq } => {
                // A claim that looked before the replacement may find nothing.
                assert_eq!([claimed, waiting].concat(), [seq], "the new life alone is given");
            }
            answer => assert_eq!((answer, claimed, waiting.len()), (taken, vec![former], 0)),
        }
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

/// The job was given back and then replaced, or it still ran when the other came.
async fn a_replacement_and_a_settle_agree(bench: &Bench) {
    for _ in 0..ROUNDS {
        let held = bench.put_and_claim("a").await;
        let former = held.record.meta.seq;
        let (answer, settled) = race_two(
            bench,
            |bench| async move { bench.enqueue(numbered("a", 1)).await },
            |bench| async move { bench.settle(&held, release(held.token)).await },
        )
        .await;
        assert!(matches!(&settled, Changed::Done(meta) if meta.seq == former), "{settled:?}");
        let expected = match answer {
            Enqueued::Queued { seq } | Enqueued::Duplicate { seq, state: State::Processing } => seq,
            other => panic!("{other:?}"),
        };
        assert_eq!(bench.claim_one().await.record.meta.seq, expected);
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

/// The promoted job is replaced, or the promotion finds its life gone.
async fn a_replacement_and_a_promotion_agree(bench: &Bench) {
    for _ in 0..ROUNDS {
        bench.put_job(job("a").with_delay(KEPT)).await;
        let promote = decided(&bench.meta("a").await, Event::Promote);
        let (answer, promoted) = race_two(
            bench,
            |bench| async move { bench.enqueue(numbered("a", 1).with_delay(KEPT)).await },
            |bench| async move { bench.apply(promote).await },
        )
        .await;
        assert!(matches!(promoted, Applied::Done(_) | Applied::Missing), "{promoted:?}");
        assert_eq!(bench.meta("a").await.seq, life(&answer));
        bench.assert_nothing_due().await;
        bench.changed("a", Event::Delete).await;
    }
}

/// One of the two comes last, and its payload waits.
async fn a_replacement_and_a_follower_agree(bench: &Bench) {
    for _ in 0..ROUNDS {
        let held = bench.put_and_claim("parent").await;
        let former = bench.put("a").await;
        let (answer, ()) = race_two(
            bench,
            |bench| async move { bench.enqueue(numbered("a", 1)).await },
            |bench| async move {
                bench.settled(&held, complete_then(held.token, vec![numbered("a", 2)])).await;
            },
        )
        .await;
        let found = bench.record("a").await;
        assert!(
            answer.is_new() && life(&answer) > former && found.meta.seq >= life(&answer),
            "{answer:?}, {found:?}"
        );
        let expected = if found.meta.seq == life(&answer) { "1" } else { "2" };
        assert_eq!(found.body.expect("asked for").payload, text_payload(expected));
        assert_eq!(bench.claim_ids(10).await, ["a"]);
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

/// The job is put off and not leased, or leased and not put off.
async fn a_reschedule_and_a_claim_agree(bench: &Bench) {
    for _ in 0..ROUNDS {
        bench.put("a").await;
        let reschedule = decided(&bench.meta("a").await, Event::Reschedule { delay: KEPT });
        let (answer, held) = race_two(
            bench,
            |bench| async move { bench.apply(reschedule).await },
            |bench| async move { bench.claim(1).await.pop() },
        )
        .await;
        match (answer, held) {
            (Applied::Done(meta), None) => assert_eq!(meta.run_at, bench.now() + KEPT),
            (Applied::Stale(_), Some(held)) => drop(bench.complete(&held).await),
            other => panic!("{other:?}"),
        }
        bench.changed("a", Event::Delete).await;
    }
}

/// All senders get the answer that it is done.
async fn one_snooze_sent_many_times_is_followed_once(bench: &Bench) {
    for round in 0..ROUNDS {
        let held = bench.put_and_claim(nth(round).as_str()).await;
        let follower = job(&format!("after-{}", nth(round))).with_delay(KEPT);
        let event = Event::Snooze {
            token: held.token,
            delay: KEPT,
            progress: Some("half".into()),
            then: vec![follower],
        };
        let settle = decided(&held.record.meta, event);
        let answers = race(bench, TASKS, |bench, _| {
            let settle = settle.clone();
            async move { bench.apply(settle).await }
        })
        .await;
        assert!(answers.iter().all(Applied::is_done), "{answers:?}");
        assert_eq!(bench.meta(nth(round).as_str()).await.revision, 3);
    }
    assert_eq!(bench.counts().await.scheduled, 2 * ROUNDS as u64);
}

/// One of the two ends the job, and the other does not.
async fn a_rescue_and_a_failure_are_followed_once_between_them(bench: &Bench) {
    for _ in 0..ROUNDS {
        let new = job("a").with_on_failure(Kind::from_static("mourn"));
        bench.put_job(new.with_max_stalls(Budget::from_raw(1))).await;
        let held = bench.claim_one().await;
        bench.advance(LEASE);
        let (settled, rescued) = race_two(
            bench,
            |bench| async move { bench.settle(&held, fail_because(held.token, Cause::Terminal)).await },
            |bench| async move { bench.rescue().await.len() },
        )
        .await;
        assert!(matches!(settled, Changed::Done(_)) != (rescued == 1), "{settled:?}, {rescued} rescued");
        let follow_ups = bench.claim(10).await;
        assert_eq!(follow_ups.len(), 1, "{settled:?}: {follow_ups:?}");
        assert_eq!(bench.state("a").await, Some(State::Failed));
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}
