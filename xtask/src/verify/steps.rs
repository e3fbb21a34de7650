//! The steps themselves. None of them changes a source file.

use anyhow::Result;

use super::Outcome;
use crate::api::{Listed, Looked};
use crate::features::Depth;
use crate::package::Proof;
use crate::repo::Repo;
use crate::web::{Extent, Seen};
use crate::{api, clients, command, deps, features, guard, package, pages, test, tidy, web};

pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) purpose: &'static str,
    pub(super) run: fn(&Repo) -> Result<Outcome>,
}

/// Cheap ones first, so that a slip shows up in seconds. The build that clippy does is not wasted
/// on docs and tests: build scripts and the C code of dependencies are shared.
pub(super) const STEPS: &[Step] = &[
    Step { name: "fmt", purpose: "the code is formatted", run: fmt },
    Step { name: "tidy", purpose: "files have the agreed shape", run: |repo| passed(tidy::run(repo)) },
    Step {
        name: "deps",
        purpose: "layers know only what is below them",
        run: |repo| passed(deps::run(repo)),
    },
    Step { name: "deny", purpose: "licences, bans and sources of dependencies", run: deny },
    Step {
        name: "package",
        purpose: "every crate can be packed for the registry",
        run: |repo| passed(package::run(repo, Proof::Packed)),
    },
    Step { name: "clippy", purpose: "no lint fires", run: clippy },
    Step {
        name: "features",
        purpose: "every feature compiles alone",
        run: |repo| passed(features::run(repo, Depth::One)),
    },
    Step { name: "api", purpose: "the public surface is the listed one", run: api },
    Step { name: "docs", purpose: "documentation builds without a warning", run: docs },
    Step { name: "pages", purpose: "the first programs work as their pages say", run: first_pages },
    Step { name: "guard", purpose: "hot paths take no more instructions than they did", run: guard },
    Step { name: "clients", purpose: "clients in other languages work as the service does", run: clients },
    Step {
        name: "web",
        purpose: "pages of the dashboard hold in a browser, with script and without",
        run: web,
    },
    Step { name: "tests", purpose: "tests and examples pass", run: |repo| passed(test::run(repo, &[])) },
];

fn fmt(repo: &Repo) -> Result<Outcome> {
    cargo(repo, &["fmt", "--all", "--check"])
}

fn clippy(repo: &Repo) -> Result<Outcome> {
    cargo(repo, &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"])
}

fn docs(repo: &Repo) -> Result<Outcome> {
    let arguments = ["doc", "--workspace", "--no-deps", "--all-features"];
    passed(command::run(command::cargo(repo, &arguments).env("RUSTDOCFLAGS", "-D warnings")))
}

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

/// The rest takes minutes: `cargo xtask pages` does it by hand, and before a release.
fn first_pages(repo: &Repo) -> Result<Outcome> {
    passed(pages::run(repo, &["README", "GETTING-STARTED"].map(str::to_owned)))
}

fn api(repo: &Repo) -> Result<Outcome> {
    Ok(match api::run(repo, Listed::Compare)? {
        Looked::Yes => Outcome::Passed,
        Looked::OtherFormat(format) => Outcome::Skipped(format!(
            "this Rust describes crates in format {format}, and not in that of 1.95"
        )),
    })
}

fn guard(repo: &Repo) -> Result<Outcome> {
    if !guard::is_possible() {
        return Ok(Outcome::Skipped("valgrind is not installed".to_owned()));
    }
    passed(guard::run(repo, guard::Mode::Check))
}

fn clients(repo: &Repo) -> Result<Outcome> {
    let skipped = clients::run(repo)?;
    Ok(if skipped.is_empty() { Outcome::Passed } else { Outcome::Skipped(skipped.join("; ")) })
}

/// The pictures take minutes: `cargo xtask web` compares them by hand.
fn web(repo: &Repo) -> Result<Outcome> {
    Ok(match web::run(repo, Extent::Quick)? {
        Seen::Yes => Outcome::Passed,
        Seen::Skipped(why) => Outcome::Skipped(why),
    })
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
        let (last_cheap, first_build) = (place("deny"), place("clippy"));
        assert!(["fmt", "tidy", "deps"].into_iter().all(|name| place(name) < last_cheap));
        assert!(first_build > last_cheap && place("docs") > first_build && place("tests") == STEPS.len() - 1);
    }

    #[test]
    fn a_missing_subcommand_is_noticed() {
        let repo = Repo::find();
        assert!(is_installed(&repo, "build"));
        assert!(!is_installed(&repo, "no-such-subcommand"));
    }
}
