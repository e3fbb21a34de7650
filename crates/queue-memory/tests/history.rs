//! A requirement of the suite's recorded workloads: the seed alone determines a run.

mod harness;

use harness::MemoryHarness;
use queue_testkit::history::{Faults, Params, WorkloadReport, check_workload};

async fn run(seed: u64, params: Params) -> WorkloadReport {
    check_workload(&MemoryHarness, seed, params).await
}

#[tokio::test(start_paused = true)]
async fn on_one_thread_a_seed_gives_the_same_history_again() {
    let without_time = |report: WorkloadReport| -> Vec<_> {
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
