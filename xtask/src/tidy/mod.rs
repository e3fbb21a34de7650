//! `cargo xtask tidy`: rules about files that neither the compiler, rustfmt nor clippy knows.
//!
//! A rule is a pure function from one file, and the names of all the others, to findings;
//! [`promises`] and [`words`](mod@words) read several files. What clippy can check is left to
//! clippy: the length of functions, leftover macros, and output that goes round the `queue`
//! command's own writer are lints in Cargo.toml and clippy.toml.

mod changelog;
mod limits;
mod lines;
mod links;
mod manifest;
mod promises;
mod source;
mod words;

use anyhow::{Result, bail};

use self::source::{Finding, Source, Tree};
use crate::repo::Repo;

/// Prints every finding, then fails if there was one.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    let tree = Tree::list(repo)?;
    let sources = tree.read(repo)?;
    let mut findings: Vec<Finding> = sources.iter().flat_map(|source| findings(source, &tree)).collect();
    findings.extend(promises::check(&sources));
    findings.extend(words::check(&sources));
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("findings: {}", findings.len());
    }
    println!("{} files are tidy", sources.len());
    Ok(())
}

/// Prints how many stilted words the comments of each crate have, or the places in one crate.
pub(crate) fn words(repo: &Repo, name: Option<&str>) -> Result<()> {
    for line in words::show(&Tree::list(repo)?.read(repo)?, name) {
        println!("{line}");
    }
    Ok(())
}

fn findings(source: &Source, tree: &Tree) -> Vec<Finding> {
    [changelog::check(source), lines::check(source), manifest::check(source), links::check(source, tree)]
        .concat()
}

#[cfg(test)]
mod tests {
    use super::findings;
    use super::source::{Source, Tree};

    #[test]
    fn each_rule_is_asked() {
        for (path, text) in [
            ("CHANGELOG.md", "### Added\n"),
            ("a.rs", "x \n"),
            ("xtask/Cargo.toml", "[package]\npublish = false\n"),
            ("a.md", "[there](b.md)\n"),
        ] {
            let found = findings(&Source::new(path, text), &Tree::of(&[path]));
            assert_eq!(found.len(), 1, "{path}: {found:?}");
        }
        assert_eq!(findings(&Source::new("a.rs", "fn main() {}\n"), &Tree::of(&["a.rs"])), []);
    }
}
