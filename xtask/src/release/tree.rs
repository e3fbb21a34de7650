//! Of which state of the work tree the files are.

use std::process::Command;

use anyhow::Result;

use crate::command;
use crate::repo::Repo;

/// A line for people: the commit, and loudly whether the files have more than it.
pub(super) fn state(repo: &Repo) -> Result<String> {
    let commit = git(repo, &["rev-parse", "--short=12", "HEAD"])?;
    let changes = git(repo, &["status", "--porcelain"])?;
    Ok(words(commit.trim(), changes.lines().count()))
}

/// The time of the commit in seconds, for archives that carry times, so that two runs of one commit
/// make the same bytes.
pub(super) fn time(repo: &Repo) -> Result<String> {
    Ok(git(repo, &["log", "-1", "--format=%ct"])?.trim().to_owned())
}

fn words(commit: &str, changes: usize) -> String {
    match changes {
        0 => format!("the files of commit {commit}"),
        1 => format!("NOT A COMMIT: 1 file differs from {commit}; do not publish what this run makes"),
        _ => {
            format!("NOT A COMMIT: {changes} files differ from {commit}; do not publish what this run makes")
        }
    }
}

fn git(repo: &Repo, arguments: &[&str]) -> Result<String> {
    let mut git = Command::new("git");
    git.args(arguments).current_dir(repo.root());
    Ok(String::from_utf8_lossy(&command::output(&mut git)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_tree_with_changes_is_not_taken_for_its_commit() {
        assert_eq!(words("abc", 0), "the files of commit abc");
        assert!(words("abc", 1).starts_with("NOT A COMMIT: 1 file differs from abc"));
        assert!(words("abc", 2).starts_with("NOT A COMMIT: 2 files differ from abc"));
    }
}
