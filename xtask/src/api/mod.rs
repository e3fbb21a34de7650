//! `cargo xtask api`: the public surface of each crate as text, so that a change of it is a line in
//! a review.
//!
//! The compiler's own view is listed, with all features on: what macros made and where re-exports
//! lead, with every derived trait. Left out are auto traits and blanket implementations, which no
//! source line says; so a type that stops being `Send` is not noticed here.
//!
//! rustdoc writes that view as JSON, in a format that changes between versions of Rust and that a
//! stable one writes only when asked twice. So the listing is compared with one version alone and
//! otherwise skipped, with a line that says so.

mod rustdoc;
mod shorten;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use public_api::PublicApi;
use serde::Deserialize;

pub(crate) use self::rustdoc::as_rustdoc;
use self::shorten::shorten;
use crate::metadata::{Package, published};
use crate::repo::Repo;

/// What to do about a surface that is another than the listed one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listed {
    /// It is an error.
    Compare,
    /// The listing is written again.
    Bless,
}

/// What happens to crates whose surface is not listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    /// They are described too, by the build that looks for lints.
    Described,
    LeftOut,
}

/// That of Rust 1.95, and of the library that reads it.
const FORMAT: u32 = 57;

/// Describes the crates, where a warning of rustdoc is an error, and compares or writes the listing
/// of every crate.
pub(crate) fn run(repo: &Repo, listed: Listed, others: Others) -> Result<()> {
    let crates = published(repo)?;
    rustdoc::describe(repo, &crates, others)?;
    let mut changed = 0;
    for package in &crates {
        let json = rustdoc::json_of(repo, package.library());
        let format = format(&json)?;
        if format != FORMAT {
            println!("SKIPPED: this Rust describes crates in format {format}, and not in that of 1.95");
            return Ok(());
        }
        changed += one(repo, package, surface(json)?, listed)?;
    }
    if changed > 0 {
        bail!(
            "the public surface has changed in {changed} lines; if that is meant, run `cargo xtask api --bless`"
        );
    }
    println!("{} crates have the public surface that docs/api lists", crates.len());
    Ok(())
}

fn one(repo: &Repo, package: &Package, surface: String, listed: Listed) -> Result<usize> {
    let path = repo.root().join("docs/api").join(format!("{}.txt", package.name));
    if listed == Listed::Bless {
        fs::write(&path, surface).with_context(|| format!("cannot write {}", path.display()))?;
        return Ok(0);
    }
    let before = fs::read_to_string(&path).unwrap_or_default();
    let changes = changes(&before, &surface);
    for change in &changes {
        println!("{}: {change}", package.name);
    }
    Ok(changes.len())
}

/// The lines that are missing, then the new ones. The order of lines says nothing, since listings
/// are sorted.
fn changes(before: &str, after: &str) -> Vec<String> {
    let [old, new]: [BTreeSet<&str>; 2] = [before.lines().collect(), after.lines().collect()];
    let gone = old.difference(&new).map(|line| format!("- {line}"));
    let added = new.difference(&old).map(|line| format!("+ {line}"));
    gone.chain(added).collect()
}

fn surface(json: PathBuf) -> Result<String> {
    let api: PublicApi = public_api::Builder::from_rustdoc_json(json)
        .omit_auto_trait_impls(true)
        .omit_blanket_impls(true)
        .omit_auto_derived_impls(false)
        .build()
        .context("rustdoc wrote what cannot be read")?;
    Ok(shorten(&api.to_string()))
}

#[derive(Deserialize)]
struct Head {
    format_version: u32,
}

fn format(json: &PathBuf) -> Result<u32> {
    let text = fs::read(json).with_context(|| format!("rustdoc did not write {}", json.display()))?;
    let head: Head = serde_json::from_slice(&text).context("rustdoc wrote no version of its format")?;
    Ok(head.format_version)
}

#[cfg(test)]
mod tests {
    use super::changes;

    #[test]
    fn a_changed_line_is_gone_and_added() {
        let before = "pub mod a\npub fn a::b()\n";
        assert!(changes(before, before).is_empty());
        let found = changes(before, "pub mod a\npub fn a::b(u8)\n");
        assert_eq!(found, ["- pub fn a::b()", "+ pub fn a::b(u8)"]);
        assert_eq!(changes("", "pub mod a\n"), ["+ pub mod a"], "a listing that is missing");
    }
}
