//! The copy of the work tree that contains the mistakes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::mistake::{Mistake, VARIABLE};
use crate::command;
use crate::repo::Repo;

/// Brings the copy below `target` up to date. Unchanged files keep their time, so that they are not
/// compiled again.
pub(super) fn copy(repo: &Repo, mistakes: &[Mistake]) -> Result<PathBuf> {
    let copy = repo.target().join("planted/tree");
    let mut of_file: BTreeMap<&str, Vec<&Mistake>> = BTreeMap::new();
    for mistake in mistakes {
        of_file.entry(mistake.file).or_default().push(mistake);
    }
    let mut kept = BTreeSet::new();
    for path in files(repo)? {
        let mut bytes = fs::read(repo.root().join(&path)).with_context(|| format!("cannot read {path}"))?;
        if let Some(mistakes) = of_file.get(path.as_str()) {
            bytes = planted(&String::from_utf8(bytes)?, mistakes)?.into_bytes();
        }
        write(&copy.join(&path), &bytes)?;
        kept.insert(copy.join(path));
    }
    remove_others(&copy, &kept)?;
    Ok(copy)
}

/// Removes files that no longer exist, such as the files of a whole crate, which would still be
/// compiled.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, kept)?;
            // A folder that is not empty stays.
            let _is_empty = fs::remove_dir(&path).is_ok();
        } else if !kept.contains(&path) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// The text with all of its mistakes. Several may be at the same place.
pub(super) fn planted(text: &str, mistakes: &[&Mistake]) -> Result<String> {
    let mut chains: BTreeMap<&str, String> = BTreeMap::new();
    for Mistake { name, file, right, wrong, .. } in mistakes {
        ensure!(text.matches(right).count() == 1, "{name}: `{right}` does not stand once in {file}");
        let chain = chains.entry(right).or_insert_with(|| (*right).to_owned());
        let is_made = format!("std::env::var(\"{VARIABLE}\").is_ok_and(|planted| planted == \"{name}\")");
        *chain = format!("(if {is_made} {{ {wrong} }} else {{ {chain} }})");
    }
    let planted = chains.iter().fold(text.to_owned(), |text, (right, chain)| text.replacen(right, chain, 1));
    Ok(planted)
}

/// The files that git tracks, or would track.
fn files(repo: &Repo) -> Result<Vec<String>> {
    let mut git = std::process::Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(repo.root());
    let listed = String::from_utf8(command::output(&mut git)?)?;
    let is_there = |path: &&str| repo.root().join(path).is_file();
    Ok(listed.lines().filter(is_there).map(str::to_owned).collect())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::super::mistake::{Mistake, Test};
    use super::{planted, remove_others};
    use std::fs;

    const fn mistake(name: &'static str, right: &'static str, wrong: &'static str) -> Mistake {
        let caught_by = Test { package: "p", target: "t", name: "n" };
        Mistake { name, file: "f", right, wrong, caught_by }
    }

    #[test]
    fn mistakes_of_one_place_are_asked_for_one_after_the_other() {
        let (none, both) = (mistake("none", "a + b", "0"), mistake("both", "a + b", "a + b + a + b"));
        let text = planted("let c = a + b;", &[&none, &both]).expect("it stands there once");
        let ask =
            |name| format!("std::env::var(\"QUEUE_PLANTED\").is_ok_and(|planted| planted == \"{name}\")");
        let (none, both) = (ask("none"), ask("both"));
        let expected = format!(
            "let c = (if {both} {{ a + b + a + b }} else {{ (if {none} {{ 0 }} else {{ a + b }}) }});"
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn a_place_that_is_gone_or_not_the_only_one_is_an_error() {
        let gone = planted("a * b", &[&mistake("x", "a + b", "0")]).expect_err("it is gone");
        assert!(gone.to_string().contains("`a + b` does not stand once in f"), "{gone}");
        assert!(planted("a + b - (a + b)", &[&mistake("x", "a + b", "0")]).is_err());
    }

    #[test]
    fn what_the_work_tree_has_no_more_goes_with_its_folder() {
        let copy = tempfile::tempdir().expect("a directory");
        let (kept, gone) = (copy.path().join("crates/a/lib.rs"), copy.path().join("crates/b/lib.rs"));
        for file in [&kept, &gone] {
            fs::create_dir_all(file.parent().expect("in a folder")).expect("created");
            fs::write(file, "").expect("written");
        }
        remove_others(copy.path(), &[kept.clone()].into()).expect("removed");
        assert!(kept.is_file() && !copy.path().join("crates/b").exists());
    }
}
