//! The `queue` command as a program of this package: the same as the one that ships, but built for
//! these tests, so that they always run the present sources and know its path.

use std::process::ExitCode;

fn main() -> ExitCode {
    queue_cli::main()
}
