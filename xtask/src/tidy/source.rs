//! The text files of the work tree, as rules see them.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use super::finding::Finding;
use crate::command;
use crate::repo::Repo;

/// One text file with its path from the root, written with `/`.
pub(super) struct Source {
    pub(super) path: String,
    pub(super) text: String,
}

/// The names of all files that a commit of everything would hold.
pub(super) struct Tree {
    paths: BTreeSet<String>,
}

impl Source {
    pub(super) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// Lines with their numbers. A carriage return stays in the line, so that rules can see it.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.split_terminator('\n').enumerate().map(|(index, line)| (index + 1, line))
    }

    pub(super) fn has_extension(&self, extension: &str) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, own)| own == extension)
    }

    pub(super) fn finding(&self, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, message: message.into() }
    }
}

impl Tree {
    /// Tracked files and new ones that are not ignored; a file deleted but not yet committed does
    /// not count.
    pub(super) fn list(repo: &Repo) -> Result<Self> {
        let mut git = Command::new("git");
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(repo.root());
        let listed = String::from_utf8(command::output(&mut git)?).context("a file name is not UTF-8")?;
        let exists = |path: &&str| repo.root().join(path).is_file();
        Ok(Self { paths: listed.split_terminator('\0').filter(exists).map(str::to_owned).collect() })
    }

    /// The text files among them. Binary files, recognised by what they hold, have no lines to
    /// check.
    pub(super) fn read(&self, repo: &Repo) -> Result<Vec<Source>> {
        let mut sources = Vec::new();
        for path in &self.paths {
            let bytes = fs::read(repo.root().join(path)).with_context(|| format!("cannot read {path}"))?;
            sources.extend(text(bytes).map(|text| Source::new(path, text)));
        }
        Ok(sources)
    }

    /// True for a file, and for a folder that holds one.
    pub(super) fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self.paths.contains(path)
            || self.paths.iter().any(|file| file.starts_with(&folder))
    }

    #[cfg(test)]
    pub(super) fn of(paths: &[&str]) -> Self {
        Self { paths: paths.iter().map(|path| (*path).to_owned()).collect() }
    }
}

fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::{Source, Tree, text};

    #[test]
    fn lines_count_from_one() {
        let source = Source::new("a", "x\n\ny\n");
        assert_eq!(source.lines().collect::<Vec<_>>(), [(1, "x"), (2, ""), (3, "y")]);
    }

    #[test]
    fn a_tree_knows_files_and_folders() {
        let tree = Tree::of(&["docs/adr/0001.md", "README.md"]);
        assert!(tree.has("README.md") && tree.has("docs") && tree.has("docs/adr") && tree.has(""));
        assert!(!tree.has("doc") && !tree.has("docs/adr/0002.md"));
    }

    #[test]
    fn binary_files_are_not_text() {
        assert_eq!(text(b"a\0b".to_vec()), None);
        assert_eq!(text(vec![0xff, 0xfe]), None);
        assert_eq!(text(b"plain".to_vec()).as_deref(), Some("plain"));
    }
}
