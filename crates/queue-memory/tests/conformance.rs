//! The conformance suite on the store in memory.

mod harness;

use harness::MemoryHarness;
use std::process::ExitCode;

fn main() -> ExitCode {
    queue_testkit::run("memory", MemoryHarness)
}
