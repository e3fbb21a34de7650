//! The `queue` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    queue_cli::main()
}
