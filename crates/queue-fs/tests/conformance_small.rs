//! The conformance suite with segments so short that the journal is compacted within a case, and
//! without memory for payloads.

mod harness;

use harness::{Settings, harness};
use queue_fs::Flush;
use std::process::ExitCode;

fn main() -> ExitCode {
    let settings = Settings { flush: Flush::Never, segment_bytes: 2 << 10, memory_budget_bytes: 0 };
    queue_testkit::run("file, short segments", harness(settings))
}
