//! Recorded workloads on a store with one deliberate defect each: the checker must name the
//! invariant that it violates, so that a clean verdict on other stores means something.

mod bug;
mod early;
mod forged;
mod gates;
mod harness;
mod partitions;
mod reached;
mod store;

use bug::Bug;
use harness::PlantedHarness;
use queue_testkit::{
    Invariant,
    history::{Faults, Params, check_workload},
};
use std::collections::BTreeSet;

/// More than any of the defects needs.
const SEEDS_MAX: u64 = 12;
/// Enough for each of them to happen.
const STEPS: usize = 25;

#[tokio::test(start_paused = true)]
async fn every_planted_bug_is_found_and_named() {
    for &(bug, broken) in Bug::ALL {
        for faults in [Faults::None, Faults::Losses] {
            println!("{bug:?} under {faults:?}");
            assert!(is_found(bug, broken, faults).await, "nothing says that it breaks {broken}");
        }
    }
}

async fn is_found(bug: Bug, broken: Invariant, faults: Faults) -> bool {
    for seed in 0..SEEDS_MAX {
        let report = check_workload(
            &PlantedHarness(Some(bug)),
            seed,
            Params::default().with_steps(STEPS).with_faults(faults),
        )
        .await;
        let found: BTreeSet<Invariant> =
            report.violations.iter().map(|violation| violation.invariant).collect();
        if found.contains(&broken) {
            return true;
        }
    }
    false
}

#[tokio::test(start_paused = true)]
async fn the_same_store_without_a_bug_passes() {
    for seed in 0..SEEDS_MAX {
        check_workload(&PlantedHarness(None), seed, Params::default().with_steps(STEPS)).await.assert_clean();
    }
}
