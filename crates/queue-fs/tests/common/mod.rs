//! What the tests share: a throw-away directory.
#![allow(dead_code, unused_imports, reason = "each test file uses a part")]

pub(crate) use queue_testkit::short::{
    assert_sound, claim, complete, enqueue, job, queue, request, settle, text,
};

use queue_fs::{FsOptions, FsStorage};
use std::path::PathBuf;
use tempfile::TempDir;

/// A store directory in one of its own, removed at the end.
pub(crate) struct Place {
    pub(crate) directory: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("jobs")
    }

    pub(crate) fn options(&self) -> FsOptions {
        FsOptions::new(self.path())
    }

    pub(crate) async fn open(&self) -> FsStorage {
        FsStorage::open(self.options()).await.expect("the store opens")
    }
}
