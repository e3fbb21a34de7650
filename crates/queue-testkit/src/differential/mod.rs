//! Sends the same random verbs to two stores whose clocks show the same time: the answers must
//! agree, verb by verb.
//!
//! The other store is a reference that keeps a plain list and asks the lifecycle for everything, or
//! any store that the caller passes to [`differential`]. The verbs carry raw batches, decided on
//! versions of jobs that may be long out of date; stores whose data outlive a handle are closed and
//! opened again in between.
//!
//! Answers are compared without the parts that stores may choose: numbers of lives may have gaps, a
//! cursor has each store's own form, and `next_due` may be any time that is early enough.

mod answer;
mod op;
mod player;
mod reference;
mod reference_jobs;
mod reference_limits;
mod reference_pauses;
mod request;
mod sights;
mod strategy;
mod verb;

use crate::{
    Facility, Failure, Harness,
    Invariant::{I4, I5, I6, I9, I11, I12, I15, I17, I19, I20, I21, I24, I25, I28, I29},
    bench::Bench,
    cases::{Case, Need},
    runner::HANG_AFTER,
    search::{Found, SEEDS_PER_TRIAL, caught, search},
    seeds::for_each_seed,
};
use player::{Offered, Player};
use reference::ReferenceHarness;
use std::sync::Arc;
use verb::{Verb, Width, last_look, verbs};

const NARROW: Width = Width { queues: 1, batch: 2, has_partitions: false };
const WIDE: Width = Width { queues: 3, batch: 20, has_partitions: false };
const PARTITIONED: Width = Width { queues: 1, batch: 4, has_partitions: true };

pub(crate) const CASES: &[Case] = &[
    Case {
        group: "differential",
        name: "one_queue_answers_as_the_reference_does",
        invariants: &[I4, I5, I6, I9, I11, I12, I20, I21, I24, I28, I29],
        needs: &[],
        run: |bench| Box::pin(check(bench, NARROW)),
    },
    Case {
        group: "differential",
        name: "large_batches_over_three_queues_are_answered_as_by_the_reference",
        invariants: &[I4, I5, I6, I9, I11, I12, I19, I20, I21, I24, I28, I29],
        needs: &[],
        run: |bench| Box::pin(check(bench, WIDE)),
    },
    Case {
        group: "differential",
        name: "limits_of_partitions_are_kept_as_by_the_reference",
        invariants: &[I11, I12, I15, I17, I20, I21, I25],
        needs: &[Need::Partitions],
        run: |bench| Box::pin(check(bench, PARTITIONED)),
    },
];

/// Sends the random verbs of a seed to an empty store of each of two harnesses, and compares the
/// answers. Verbs that pause queues are sent only if both stores can pause, and jobs have gates
/// only if both stores take them.
///
/// A store's tests call it to compare with another store, for as many seeds as there is time for.
/// [`run`](crate::run) already compares each store with a plain reference.
///
/// # Errors
/// A difference between two answers, with the shortest list of verbs found that shows it.
pub async fn differential(one: Arc<dyn Harness>, other: Arc<dyn Harness>, seed: u64) -> Result<(), Failure> {
    match search(&verbs(WIDE), seed, async |verbs: &Vec<Verb>| difference(&one, &other, verbs, WIDE).await)
        .await
    {
        None => Ok(()),
        Some(found) => Err(told(&found, seed).into()),
    }
}

async fn check(bench: &Bench, width: Width) {
    let (one, other): (_, Arc<dyn Harness>) = (bench.harness(), Arc::new(ReferenceHarness));
    let run = async |seed| {
        let difference = async |verbs: &Vec<Verb>| difference(&one, &other, verbs, width).await;
        if let Some(found) = search(&verbs(width), seed, difference).await {
            panic!("{}\nTo repeat it: QUEUE_TESTKIT_SEED={seed}", told(&found, seed));
        }
    };
    for_each_seed(SEEDS_PER_TRIAL, HANG_AFTER, run).await;
}

fn told(found: &Found<Vec<Verb>>, seed: u64) -> String {
    format!("with seed {seed} {}\nafter the verbs {:#?}", found.difference, found.steps)
}

/// Sends the verbs to an empty store of each kind, and describes the first difference.
async fn difference(
    one: &Arc<dyn Harness>,
    other: &Arc<dyn Harness>,
    verbs: &[Verb],
    width: Width,
) -> Option<String> {
    let benches = [Bench::open(one.clone()).await, Bench::open(other.clone()).await];
    let difference = caught(compare(&benches, verbs, width)).await;
    for bench in benches {
        bench.clean_up().await;
    }
    difference
}

async fn compare(benches: &[Bench; 2], verbs: &[Verb], width: Width) -> Result<(), String> {
    let both_have_gates = benches.iter().all(|bench| bench.store().capabilities().limits.gates);
    let has = Offered { gates: both_have_gates, partitions: width.has_partitions };
    let mut players = benches.each_ref().map(|bench| Player::new(bench.clone(), has));
    let both_pause = benches.iter().all(|bench| bench.store().capabilities().pause);
    let both_keep_attempts = benches.iter().all(|bench| bench.store().capabilities().attempts);
    let both_reopen = benches.iter().all(|bench| bench.harness().facilities().contains(&Facility::Reopen));
    let is_offered = |verb: &Verb| match verb {
        Verb::Reopen => both_reopen,
        Verb::Pause { .. } | Verb::Resume { .. } => both_pause,
        Verb::Attempts { .. } => both_keep_attempts,
        _ => true,
    };
    let verbs = verbs.iter().cloned().chain(last_look());
    for (nth, verb) in verbs.enumerate().filter(|(_, verb)| is_offered(verb)) {
        let [one, other] = &mut players;
        let (one, other) = (one.play(&verb).await, other.play(&verb).await);
        if one != other {
            return Err(format!(
                "at verb {nth}, {verb:?}\none answers {one:#?}\nthe other answers {other:#?}"
            ));
        }
    }
    for bench in benches {
        bench.check_conservation().await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{
        Bench, NARROW, Offered, Player, ReferenceHarness, SEEDS_PER_TRIAL, Verb, WIDE, answer::Answer,
        last_look, verbs,
    };
    use crate::search::search;
    use parking_lot::Mutex;
    use queue_core::{Applied, Enqueued, JobMeta, Signalling};
    use std::{collections::BTreeSet, sync::Arc};

    /// Verbs that never came to a gate would find nothing there.
    #[tokio::test]
    async fn random_verbs_reach_what_gates_do() {
        let reached = Mutex::new(BTreeSet::new());
        for seed in 0..SEEDS_PER_TRIAL {
            let play = async |verbs: &Vec<Verb>| {
                let bench = Bench::open(Arc::new(ReferenceHarness)).await;
                let mut player = Player::new(bench.clone(), Offered { gates: true, partitions: false });
                for verb in verbs.iter().cloned().chain(last_look()) {
                    let answer = player.play(&verb).await;
                    reached.lock().extend(of_gates(&answer));
                }
                bench.clean_up().await;
                None
            };
            search(&verbs(NARROW), seed, play).await;
            search(&verbs(WIDE), seed, play).await;
        }
        let reached = reached.into_inner();
        let all = ["counted", "gated", "not completed", "opened", "orphaned", "sent", "suspended"];
        assert_eq!(reached.into_iter().collect::<Vec<_>>(), all);
    }

    fn of_gates(answer: &Answer) -> Vec<&'static str> {
        let is_orphan = |enqueued: &Enqueued| *enqueued == Enqueued::Orphaned;
        match answer {
            Answer::Enqueued(all) if all.value.iter().flatten().any(is_orphan) => vec!["orphaned"],
            Answer::Counts(counts) if counts.gated > 0 => vec!["gated"],
            Answer::Claimed(claimed) => claimed.jobs.iter().flat_map(|job| of(&job.record.meta)).collect(),
            Answer::Records(all) => all.value.iter().flatten().flat_map(|job| of(&job.meta)).collect(),
            Answer::Applied(all) => all.value.iter().flat_map(of_applied).collect(),
            _ => Vec::new(),
        }
    }

    fn of_applied(applied: &Applied) -> Vec<&'static str> {
        match applied {
            Applied::Done(meta) => of(meta),
            _ => Vec::new(),
        }
    }

    fn of(job: &JobMeta) -> Vec<&'static str> {
        let gate = job.gate.as_deref().copied().unwrap_or_default();
        let is_open = gate.signals > 0 && gate.is_complete() && gate.closed_at.is_none();
        let facts = [
            ("counted", gate.signals > 0),
            ("not completed", gate.tally.not_completed() > 0),
            ("opened", is_open),
            ("sent", job.signalling == Signalling::Sent),
            ("suspended", gate.closed_at.is_some_and(|epoch| epoch > 0)),
        ];
        facts.into_iter().filter(|(_, holds)| *holds).map(|(fact, _)| fact).collect()
    }
}
