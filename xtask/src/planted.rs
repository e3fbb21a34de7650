//! `cargo xtask planted`: checks against what is wrong on purpose: the conformance suite against stores with a defect, and the
//! guard against work with a slowdown.

use anyhow::Result;

use crate::repo::Repo;
use crate::{command, guard};

/// The whole suite on each defect takes a minute or two. The table goes to standard output, to be kept in `docs/TESTING.md`.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    let arguments = ["test", "--quiet", "-p", "queue-testkit", "--test", "planted", "--", "--table"];
    command::run(&mut command::cargo(repo, &arguments))?;
    if !guard::is_possible() {
        println!("guard: SKIPPED, as valgrind is not installed");
        return Ok(());
    }
    guard::planted(repo)
}
