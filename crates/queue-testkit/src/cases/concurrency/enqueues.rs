//! Races for one id.

use super::{ROUNDS, race, race_two};
use crate::bench::prelude::*;
use crate::cases::cases;
use queue_core::{Changed, Enqueued, Prune, Retention, Span, State, lifecycle::Event};

const TASKS: usize = 64;
const OPERATORS: usize = 8;

cases! { "concurrency":
    of_many_enqueues_of_one_id_one_is_queued [I9];
    of_many_enqueues_after_a_purge_one_is_queued [I9];
    a_prune_and_an_enqueue_of_the_same_id_agree [I1 I9];
    a_prune_by_age_and_an_enqueue_of_the_same_id_agree [I1 I9];
    a_redrive_and_a_replacement_agree [I9];
    many_redrives_are_one [I6];
}

/// Asserts that one answer is new, and that all name the same life.
fn assert_one_new(answers: &[Enqueued]) {
    assert_eq!(answers.iter().filter(|answer| answer.is_new()).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|answer| answer.seq() == answers[0].seq()), "{answers:?}");
}

async fn of_many_enqueues_of_one_id_one_is_queued(bench: &Bench) {
    for round in 0..ROUNDS {
        let answers =
            race(bench, TASKS, |bench, _| async move { bench.enqueue(job(nth(round).as_str())).await }).await;
        assert_one_new(&answers);
    }
    assert_eq!(bench.claim(ROUNDS + 1).await.len(), ROUNDS);
}

/// The record of the former life still exists, but counts as absent.
async fn of_many_enqueues_after_a_purge_one_is_queued(bench: &Bench) {
    for _ in 0..ROUNDS {
        let former = bench.put("a").await;
        bench.complete(&bench.claim_one().await).await;
        bench.advance(KEPT);
        let answers = race(bench, OPERATORS, |bench, _| async move { bench.enqueue(job("a")).await }).await;
        assert_one_new(&answers);
        assert!(life(&answers[0]) > former, "{answers:?}, after life {former}");
        bench.changed("a", Event::Delete).await;
    }
}

/// The new life stays.
async fn a_prune_and_an_enqueue_of_the_same_id_agree(bench: &Bench) {
    for _ in 0..ROUNDS {
        bench.put("a").await;
        bench.complete(&bench.claim_one().await).await;
        bench.advance(KEPT);
        let (answer, removed) = race_two(
            bench,
            |bench| async move { bench.enqueue(job("a")).await },
            |bench| async move { bench.prune(Prune::Expired, 10).await },
        )
        .await;
        assert!(answer.is_new() && removed <= 1, "{answer:?}, {removed} pruned");
        assert_eq!(bench.meta("a").await.seq, life(&answer));
        bench.changed("a", Event::Delete).await;
    }
}

/// Either the result was still there, or the new life stays.
async fn a_prune_by_age_and_an_enqueue_of_the_same_id_agree(bench: &Bench) {
    for _ in 0..ROUNDS {
        bench.put("a").await;
        bench.complete(&bench.claim_one().await).await;
        let (answer, removed) = race_two(
            bench,
            |bench| async move { bench.enqueue(job("a")).await },
            |bench| async move { bench.prune(Prune::FinishedBefore(Span::ZERO), 10).await },
        )
        .await;
        let expected = answer.is_new().then_some(State::Queued);
        assert_eq!((removed, bench.state("a").await), (1, expected), "{answer:?}");
        bench.prune(Prune::Everything, 10).await;
    }
}

/// The old life runs again or a new one does; never both, never neither.
async fn a_redrive_and_a_replacement_agree(bench: &Bench) {
    for _ in 0..ROUNDS {
        bench.put("a").await;
        bench.cancel("a").await;
        let (again, answer) = race_two(
            bench,
            |bench| async move { bench.change("a", Event::Redrive { content_type: None }).await },
            |bench| async move { bench.enqueue(job("a")).await },
        )
        .await;
        let was_redriven = matches!(again, Changed::Done(_));
        assert!(was_redriven != answer.is_new(), "{again:?}, {answer:?}");
        assert_eq!(bench.claim(2).await.len(), 1);
        bench.prune(Prune::Everything, 10).await;
    }
}

/// The other callers find the job queued.
async fn many_redrives_are_one(bench: &Bench) {
    for _ in 0..ROUNDS {
        bench.put_job(job("a").with_retention(Retention::Forever)).await;
        bench.cancel("a").await;
        let answers = race(bench, OPERATORS, |bench, _| async move {
            bench.change("a", Event::Redrive { content_type: None }).await
        })
        .await;
        let done = answers.iter().filter(|answer| matches!(answer, Changed::Done(_))).count();
        assert_eq!(done, 1, "{answers:?}");
        assert_eq!(bench.claim_ids(2).await, ["a"]);
        bench.prune(Prune::Everything, 10).await;
    }
}
