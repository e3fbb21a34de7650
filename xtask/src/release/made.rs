//! The files of a release with what was proved of each, and the folder that they go to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command;

/// The last file that is made, so that a folder that has it is one of ours.
const SUMS: &str = "SHA256SUMS";

/// The files so far.
pub(super) struct Made {
    folder: PathBuf,
    /// By their paths in the folder.
    proofs: BTreeMap<String, String>,
    not_proved: Vec<String>,
}

/// Refuses a folder with files that are not of an earlier run, since they would be lost.
pub(super) fn require_replaceable(folder: &Path) -> Result<()> {
    let is_empty = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    ensure!(
        is_empty || folder.join(SUMS).is_file(),
        "{} has files that are not of a release: name an empty or a new folder",
        folder.display()
    );
    Ok(())
}

/// The name of the one file that a packer has left in a folder.
pub(super) fn only_file(folder: &Path) -> Result<String> {
    let mut entries = fs::read_dir(folder).with_context(|| format!("no folder {}", folder.display()))?;
    let (first, second) = (entries.next(), entries.next());
    ensure!(second.is_none(), "{} has more than one file", folder.display());
    let file = first.with_context(|| format!("{} is empty", folder.display()))??;
    Ok(file.file_name().to_string_lossy().into_owned())
}

impl Made {
    pub(super) fn new(folder: PathBuf) -> Result<Self> {
        fs::create_dir_all(&folder).with_context(|| format!("no folder {}", folder.display()))?;
        Ok(Self { folder, proofs: BTreeMap::new(), not_proved: Vec::new() })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Puts a copy of a file into the folder.
    pub(super) fn copy(&mut self, from: &Path, name: &str, proof: &str) -> Result<()> {
        let to = self.folder.join(name);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(from, to).with_context(|| format!("there is no {}", from.display()))?;
        self.add(name, proof);
        Ok(())
    }

    /// Notes how a file of the folder was proved.
    pub(super) fn add(&mut self, name: &str, proof: impl Into<String>) {
        self.proofs.insert(name.to_owned(), proof.into());
    }

    /// Notes what this machine could not prove.
    pub(super) fn not_proved(&mut self, what: impl Into<String>) {
        self.not_proved.push(what.into());
    }

    /// Writes the digests of all files, and checks them by the program with which users check them.
    pub(super) fn write_sums(&mut self) -> Result<()> {
        let sum = || {
            let mut sum = Command::new("sha256sum");
            sum.current_dir(&self.folder);
            sum
        };
        let sums = command::output(sum().args(self.proofs.keys()))?;
        fs::write(self.folder.join(SUMS), sums)?;
        command::run(sum().args(["--check", "--strict", "--quiet", SUMS]))?;
        self.add(SUMS, "checked by `sha256sum --check`");
        Ok(())
    }

    /// A line for each file, and one for each thing that was not proved.
    pub(super) fn lines(&self) -> Result<Vec<String>> {
        let width = self.proofs.keys().map(String::len).max().unwrap_or(0);
        let line = |(name, proof): (&String, &String)| {
            let bytes =
                fs::metadata(self.folder.join(name)).with_context(|| format!("no file {name}"))?.len();
            Ok(format!("{name:width$} {bytes:>9}  {proof}"))
        };
        let mut lines = self.proofs.iter().map(line).collect::<Result<Vec<_>>>()?;
        lines.extend(self.not_proved.iter().map(|what| format!("NOT PROVED HERE: {what}")));
        Ok(lines)
    }

    /// Replaces the folder by these files.
    pub(super) fn fill(&self, folder: &Path) -> Result<()> {
        require_replaceable(folder)?;
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
        }
        fs::create_dir_all(folder).with_context(|| format!("no folder {}", folder.display()))?;
        command::run(Command::new("cp").arg("-R").arg(self.folder.join(".")).arg(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::{Made, SUMS, require_replaceable};
    use std::fs;

    #[test]
    fn a_folder_with_files_of_others_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        require_replaceable(&folder.path().join("new")).expect("it is not there");
        require_replaceable(folder.path()).expect("it is empty");
        fs::write(folder.path().join("letter"), "").expect("room");
        require_replaceable(folder.path()).expect_err("a letter would be lost");
    }

    #[test]
    fn files_of_an_earlier_run_are_replaced_and_digests_are_of_the_new_ones() {
        let place = tempfile::tempdir().expect("a folder");
        let into = place.path().join("into");
        for round in ["old", "new"] {
            let mut made = Made::new(place.path().join(round)).expect("a folder");
            fs::write(made.folder().join(round), round).expect("room");
            made.add(round, "read");
            made.not_proved("all else");
            made.write_sums().expect("the program is here");
            let lines = made.lines().expect("the files are there");
            assert_eq!(lines[1], format!("{round:10}         3  read"));
            assert_eq!(lines[2], "NOT PROVED HERE: all else");
            made.fill(&into).expect("the folder is ours");
        }
        assert!(!into.join("old").exists());
        assert!(fs::read_to_string(into.join(SUMS)).expect("it is there").ends_with("  new\n"));
    }

    #[test]
    fn a_proof_of_a_file_that_is_not_there_fails() {
        let place = tempfile::tempdir().expect("a folder");
        let mut made = Made::new(place.path().join("files")).expect("a folder");
        made.add("ghost", "seen");
        made.lines().expect_err("there is no such file");
    }
}
