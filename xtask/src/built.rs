//! The programs that several checks use, from the one build that the tests have as well.
//!
//! Cargo chooses the features of dependencies for what one call builds. A call for the `queue` command alone
//! would compile most of them once more.

use std::path::PathBuf;

use anyhow::Result;

use crate::command;
use crate::repo::Repo;

/// Where they lie.
pub(crate) struct Built {
    /// The `queue` command, with all features.
    pub(crate) queue: PathBuf,
    /// The long runs.
    pub(crate) soak: PathBuf,
}

impl Built {
    /// Builds them.
    pub(crate) fn make(repo: &Repo) -> Result<Self> {
        let how = ["test", "--workspace", "--all-features", "--no-run", "--quiet", "--test", "e2e"];
        command::run(&mut command::cargo(repo, &how))?;
        Ok(Self::find(repo))
    }

    /// Of a build that was made before.
    pub(crate) fn find(repo: &Repo) -> Self {
        let folder = repo.target().join("debug");
        Self { queue: folder.join("queue-e2e"), soak: folder.join("soak") }
    }
}
