//! Recorded workloads on the store in memory, judged by the checker of the test kit.
//!
//! `QUEUE_TESTKIT_SEEDS=1000` runs more of them, `QUEUE_TESTKIT_SEED=7` one again.

mod harness;

use harness::MemoryHarness;
use queue_testkit::{
    history::{Faults, Params, Report, check_workload},
    seeds,
};

async fn run(seed: u64, params: Params) -> Report {
    check_workload(&MemoryHarness, seed, params).await
}

#[tokio::test(start_paused = true)]
async fn workloads_without_faults_break_no_invariant() {
    for seed in seeds(8) {
        run(seed, Params::default()).await.assert_clean();
    }
}

#[tokio::test(start_paused = true)]
async fn workloads_with_lost_calls_break_no_invariant() {
    for seed in seeds(8) {
        let report = run(seed, Params::default().with_faults(Faults::Losses)).await;
        report.assert_clean();
        assert!(report.faults > 0, "a run without faults shows nothing");
    }
}

#[tokio::test(start_paused = true)]
async fn workloads_with_every_fault_break_no_invariant() {
    for seed in seeds(8) {
        run(seed, Params::default().with_faults(Faults::All)).await.assert_clean();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn workloads_on_several_threads_break_no_invariant() {
    for seed in seeds(4) {
        for faults in [Faults::None, Faults::Losses, Faults::All] {
            run(seed, Params::default().with_faults(faults)).await.assert_clean();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn on_one_thread_a_seed_gives_the_same_history_again() {
    let without_time = |report: Report| -> Vec<_> {
        let events = report.history.events().iter();
        events
            .map(|event| (event.call, event.item, event.phase, event.op, event.seq, event.answer.clone()))
            .collect()
    };
    let params = Params::default().with_faults(Faults::All);
    let first = without_time(run(1, params).await);
    assert!(first.len() > 1_000, "a workload does something");
    assert_eq!(first, without_time(run(1, params).await));
}
