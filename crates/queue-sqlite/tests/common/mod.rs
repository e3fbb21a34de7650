//! What the tests share: a throw-away file.
#![allow(dead_code, unused_imports, reason = "each test file uses a part")]

pub(crate) use queue_testkit::short::{
    assert_sound, claim, complete, enqueue, job, queue, request, settle, text,
};

use queue_sqlite::{SqliteOptions, SqliteStorage};
use std::path::PathBuf;
use tempfile::TempDir;

/// A file in a directory of its own, removed at the end.
pub(crate) struct Place {
    pub(crate) directory: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("jobs.db")
    }

    pub(crate) fn options(&self) -> SqliteOptions {
        SqliteOptions::new(self.path())
    }

    pub(crate) async fn open(&self) -> SqliteStorage {
        SqliteStorage::open(self.options()).await.expect("the file opens")
    }
}
