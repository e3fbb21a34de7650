//! `cargo xtask tidy`: rules about files that neither the compiler nor clippy knows.
//!
//! A rule is a pure function from one file, and the names of all the others, to findings. What
//! clippy can check is left to clippy: the length of functions, for one, is
//! `too-many-lines-threshold` in clippy.toml.

mod entries;
mod finding;
mod leftovers;
mod length;
mod links;
mod manifest;
mod paths;
mod programs;
mod source;
mod terminal;
mod whitespace;
mod width;

use anyhow::{Result, bail};

use self::finding::Finding;
use self::source::{Source, Tree};
use crate::repo::Repo;

const RULES: &[fn(&Source, &Tree) -> Vec<Finding>] = &[
    |source, _| length::check(source),
    |source, _| whitespace::check(source),
    |source, _| width::check(source),
    |source, _| leftovers::check(source),
    |source, _| paths::check(source),
    |source, _| programs::check(source),
    |source, _| entries::check(source),
    |source, _| manifest::check(source),
    |source, _| terminal::check(source),
    links::check,
];

/// Prints every finding, then fails if there was one.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    let tree = Tree::list(repo)?;
    let sources = tree.read(repo)?;
    let findings: Vec<Finding> = sources.iter().flat_map(|source| findings(source, &tree)).collect();
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("findings: {}", findings.len());
    }
    println!("{} files are tidy", sources.len());
    Ok(())
}

fn findings(source: &Source, tree: &Tree) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| rule(source, tree)).collect()
}

#[cfg(test)]
mod tests {
    use super::findings;
    use super::source::{Source, Tree};

    #[test]
    fn each_rule_is_on_the_list() {
        let bad = [
            ("a.rs", "x\n".repeat(301)),
            ("a.rs", "x \n".to_owned()),
            ("a.rs", format!("// {}\n", concat!("TO", "DO"))),
            ("a.md", format!("in {}/main\n", concat!("/wo", "rk"))),
            ("Cargo.toml", "[workspace.dependencies]\nx = \"1\"\n".to_owned()),
            ("xtask/Cargo.toml", "[package]\npublish = false\n".to_owned()),
            ("a.md", "[there](b.md)\n".to_owned()),
            ("crates/queue-cli/src/a.rs", concat!("print", "ln!(\"x\");\n").to_owned()),
            ("a.md", "```rust\n# fn main() {}\n```\n".to_owned()),
        ];
        for (path, text) in bad {
            let found = findings(&Source::new(path, text), &Tree::of(&[path]));
            assert_eq!(found.len(), 1, "{path}: {found:?}");
        }
    }

    #[test]
    fn a_clean_file_has_no_findings() {
        let found = findings(&Source::new("a.rs", "fn main() {}\n"), &Tree::of(&["a.rs"]));
        assert!(found.is_empty(), "{found:?}");
    }
}
