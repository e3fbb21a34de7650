//! The steps themselves. None of them changes a source file.

use anyhow::Result;

use super::{Extent, Left, Outcome};
use crate::built::Built;
use crate::features::Depth;
use crate::package::Proof;
use crate::repo::Repo;
use crate::{command, deps, disk, features, guard, linted, machine, package, pages, test, tidy, web};

pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) purpose: &'static str,
    pub(super) run: fn(&Repo, Extent, &mut Left) -> Result<Outcome>,
}

/// Cheap ones first, so that a slip shows up in seconds. What clippy builds is what documentation
/// is made with, and what the tests run.
pub(super) const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        purpose: "the code is formatted",
        run: |repo, _, _| cargo(repo, &["fmt", "--all", "--check"]),
    },
    Step { name: "tidy", purpose: "files have the agreed shape", run: |repo, _, _| passed(tidy::run(repo)) },
    Step {
        name: "deps",
        purpose: "layers know only what is below them",
        run: |repo, _, _| passed(deps::run(repo)),
    },
    Step {
        name: "deny",
        purpose: "licences, bans and sources of dependencies",
        run: |repo, _, _| deny(repo),
    },
    Step { name: "disk", purpose: "what a run builds has room", run: |repo, _, _| passed(disk::check(repo)) },
    Step {
        name: "machine",
        purpose: "what tests need besides Rust is here",
        run: |repo, _, _| prepared(repo),
    },
    Step {
        name: "package",
        purpose: "every crate can be packed for the registry",
        run: |repo, _, left| {
            package::run(repo, Proof::Packed)?;
            left.packages = true;
            Ok(Outcome::Passed)
        },
    },
    Step { name: "clippy", purpose: "no lint fires", run: |repo, extent, _| clippy(repo, extent) },
    Step {
        name: "features",
        purpose: "crates compile without their features",
        run: |repo, extent, _| {
            let depth = if extent == Extent::All { Depth::Two } else { Depth::Zero };
            passed(features::run(repo, depth))
        },
    },
    Step {
        name: "pages",
        purpose: "programs work as their pages say",
        run: |repo, extent, left| {
            let pages: &[&str] = if extent == Extent::All { &[] } else { &FIRST_PAGES };
            passed(pages::run(repo, pages, left.packages))
        },
    },
    Step {
        name: "guard",
        purpose: "hot paths take no more instructions than they did",
        run: |repo, _, _| counted(repo),
    },
    Step { name: "tests", purpose: "tests, examples, clients and pages of the dashboard", run: tests },
];

/// What everyday work needs, and no server.
pub(super) const QUICK: [&str; 5] = ["fmt", "tidy", "deps", "clippy", "tests"];

/// What a stranger follows first.
const FIRST_PAGES: [&str; 2] = ["README.md", "docs/GETTING-STARTED.md"];

/// Advisories are left out: their database is fetched from a place that not every machine reaches,
/// and a check that passes when it cannot look is worse than none. `cargo deny check advisories`
/// does it by hand.
fn deny(repo: &Repo) -> Result<Outcome> {
    if !is_installed(repo, "deny") {
        return Ok(Outcome::Skipped("cargo-deny is not installed".to_owned()));
    }
    command::run(&mut command::cargo(repo, &["fetch", "--quiet"]))?;
    cargo(repo, &["deny", "--offline", "check", "licenses", "bans", "sources"])
}

fn prepared(repo: &Repo) -> Result<Outcome> {
    let left = machine::run(repo)?;
    Ok(if left.is_empty() { Outcome::Passed } else { Outcome::Skipped(left.join("; ")) })
}

/// Everyday work runs few of the programs, so that it builds none here.
fn clippy(repo: &Repo, extent: Extent) -> Result<Outcome> {
    if extent == Extent::Quick {
        return cargo(
            repo,
            &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"],
        );
    }
    let build = ["test", "--no-run", "--workspace", "--all-targets", "--all-features"];
    passed(command::run(&mut linted::cargo(repo, &build)?))
}

fn counted(repo: &Repo) -> Result<Outcome> {
    if !guard::is_possible() {
        return Ok(Outcome::Skipped("valgrind is not installed".to_owned()));
    }
    passed(guard::run(repo, guard::Mode::Check))
}

/// The clients in other languages and the dashboard in a browser are programs among the others:
/// they wait for most of their time. Pictures take minutes, so that only all of it compares them.
fn tests(repo: &Repo, extent: Extent, left: &mut Left) -> Result<Outcome> {
    let wanted = match extent {
        Extent::Quick => test::Wanted::quick(),
        Extent::Usual | Extent::All => test::Wanted::linted(extent == Extent::All),
    };
    let report = test::report(repo, &wanted)?;
    left.table = report.table;
    left.failures = report.end;
    if let Some(why) = report.refusal {
        return Ok(Outcome::Failed(why));
    }
    if extent == Extent::All && web::is_possible(repo) {
        web::run(repo, &Built::find(repo), web::Extent::Whole)?;
    }
    Ok(Outcome::Passed)
}

fn cargo(repo: &Repo, arguments: &[&str]) -> Result<Outcome> {
    passed(command::run(&mut command::cargo(repo, arguments)))
}

/// Cargo answers for a subcommand of its own, and so does `--list` for one that was installed.
fn is_installed(repo: &Repo, subcommand: &str) -> bool {
    let listed = command::output(&mut command::cargo(repo, &["--list"])).unwrap_or_default();
    String::from_utf8_lossy(&listed).lines().any(|line| line.split_whitespace().next() == Some(subcommand))
}

fn passed(result: Result<()>) -> Result<Outcome> {
    result.map(|()| Outcome::Passed)
}

#[cfg(test)]
mod tests {
    use super::{STEPS, is_installed};
    use crate::repo::Repo;

    #[test]
    fn checks_that_compile_come_after_those_that_do_not() {
        let place = |name| STEPS.iter().position(|step| step.name == name).expect("the step exists");
        let (last_cheap, first_build) = (place("machine"), place("clippy"));
        assert!(["fmt", "tidy", "deps", "deny", "disk"].into_iter().all(|name| place(name) < last_cheap));
        assert!(first_build > last_cheap && place("tests") == STEPS.len() - 1);
    }

    #[test]
    fn a_missing_subcommand_is_noticed() {
        let repo = Repo::find();
        assert!(is_installed(&repo, "build"));
        assert!(!is_installed(&repo, "no-such-subcommand"));
    }
}
