//! The conformance suite on a directory of its own for each case, every record flushed.

mod harness;

use harness::{Settings, harness};
use queue_fs::Flush;
use std::process::ExitCode;

fn main() -> ExitCode {
    let settings = Settings { flush: Flush::Always, segment_bytes: 16 << 20, memory_budget_bytes: 64 << 20 };
    queue_testkit::run("file", harness(settings))
}
