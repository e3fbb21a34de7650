//! The `queue` command as a program of this package: the same as the one that ships, but built for
//! these tests, so that they always run what the sources say and find it without looking.

use std::process::ExitCode;

fn main() -> ExitCode {
    queue_cli::main()
}
