//! The conformance suite on a Cluster, whose queues are spread over its masters.

mod harness;

use harness::{CLUSTER, run_suite};
use std::process::ExitCode;

fn main() -> ExitCode {
    run_suite(CLUSTER)
}
