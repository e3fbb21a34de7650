//! The conformance suite on Valkey: `cargo xtask services run valkey -- cargo test -p queue-redis
//! --test valkey`.

mod harness;

use harness::{VALKEY, run_suite};
use std::process::ExitCode;

fn main() -> ExitCode {
    run_suite(VALKEY)
}
