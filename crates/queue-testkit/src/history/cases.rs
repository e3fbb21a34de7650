//! Recorded workloads as trials: several tasks on several threads, and the verdict of the checker.

use super::{Faults, Params, check_workload};
use crate::{
    Invariant::{I1, I3, I4, I5, I7, I9, I10, I11, I12, I20, I21, I23, I24, I25, I28, I29},
    bench::Bench,
    cases::Case,
    runner::HANG_AFTER,
    seeds::for_each_seed,
};

/// The group whose workloads need a runtime of several threads.
pub(crate) const WORKLOADS: &str = "history";

/// The number is low because one workload makes several thousand calls.
const SEEDS_PER_TRIAL: u64 = 3;

macro_rules! workloads {
    ($($name:ident = $faults:expr;)+) => {
        pub(crate) const CASES: &[Case] = &[$(
            Case {
                group: WORKLOADS,
                name: stringify!($name),
                invariants: &[I1, I3, I4, I5, I7, I9, I10, I11, I12, I20, I21, I23, I24, I25, I28, I29],
                needs: &[],
                run: |bench| Box::pin(run(bench, $faults)),
            }
        ),+];
    };
}

workloads! {
    workloads_without_faults_break_no_invariant = Faults::None;
    workloads_with_lost_calls_break_no_invariant = Faults::Losses;
    workloads_with_every_fault_break_no_invariant = Faults::All;
}

async fn run(bench: &Bench, faults: Faults) {
    let one = async |seed| {
        let params = Params::default().with_steps(25).with_faults(faults);
        let report = check_workload(&*bench.harness(), seed, params).await;
        report.assert_clean();
        assert_eq!(report.faults > 0, faults != Faults::None, "a run without faults shows nothing of them");
    };
    for_each_seed(SEEDS_PER_TRIAL, HANG_AFTER, one).await;
}
