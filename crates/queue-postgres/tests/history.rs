//! Recorded workloads on two handles of one schema, before and after a reopen, judged by the checker of the test kit.
//!
//! `QUEUE_TESTKIT_SEEDS=1000` runs more of them, `QUEUE_TESTKIT_SEED=7` one again.

mod harness;

use harness::{PostgresHarness, server};
use queue_testkit::{
    history::{Faults, Params, check_workload},
    seeds,
};

const HARNESS: PostgresHarness = PostgresHarness(|options| options);

async fn run(faults: Faults) {
    if server::url().is_none() {
        return;
    }
    for seed in seeds(3) {
        let params = Params::default().with_steps(25).with_faults(faults);
        check_workload(&HARNESS, seed, params).await.assert_clean();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn workloads_without_faults_break_no_invariant() {
    run(Faults::None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn workloads_with_lost_calls_break_no_invariant() {
    run(Faults::Losses).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn workloads_with_every_fault_break_no_invariant() {
    run(Faults::All).await;
}
