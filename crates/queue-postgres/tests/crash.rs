//! A server that crashes and recovers in the middle of recorded workloads: everything acknowledged
//! is there, and no other invariant is broken (I1, I21). The test has a file of its own, since the
//! crash affects everyone who uses the server.
//!
//! `QUEUE_TEST_FAULT_ROUNDS=100` runs more workloads. It does not test what a power cut does to a
//! disk.

mod common;
mod storm;

use queue_testkit::history::{Faults, Params, check_workload};
use storm::{Crashes, StormHarness, rounds};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_crashes_and_recovers_breaks_no_invariant() {
    if common::server::url().is_none() {
        return;
    }
    for seed in 0..rounds() {
        let params = Params::default().with_steps(40).with_faults(Faults::None);
        check_workload(&StormHarness(Crashes), seed, params).await.assert_clean();
    }
}
