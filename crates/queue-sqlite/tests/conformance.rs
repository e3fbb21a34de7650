//! The conformance suite on a file of its own for each case, every commit flushed.

mod harness;

use harness::harness;
use queue_sqlite::Synchronous;
use std::process::ExitCode;

fn main() -> ExitCode {
    queue_testkit::run("sqlite", harness(Synchronous::Full))
}
