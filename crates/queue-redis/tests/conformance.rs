//! The conformance suite on a server, with a namespace for each case.

mod harness;

use harness::{REDIS, run_suite};
use std::process::ExitCode;

fn main() -> ExitCode {
    run_suite(REDIS)
}
