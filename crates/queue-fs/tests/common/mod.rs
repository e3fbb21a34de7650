//! What the tests share: a throw-away directory, and short names for the verbs.
#![allow(dead_code, reason = "each test file uses a part")]

use queue_core::{
    ClaimRequest, Claimed, ContentType, Enqueued, JobId, JobMeta, Kind, LeaseToken, NewJob, Payload,
    QueueName, SeededRng, Span, Storage, StorageExt, WorkerId,
    lifecycle::{Event, Policy},
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

pub(crate) fn queue() -> QueueName {
    QueueName::from_static("q")
}

pub(crate) fn text(bytes: &'static str) -> Payload {
    Payload::new(bytes, ContentType::from_static("text/plain"))
}

pub(crate) fn job(id: &str) -> NewJob {
    NewJob::new(JobId::new(id).expect("a valid id"), Kind::from_static("kind"), text("payload"))
}

pub(crate) async fn enqueue(store: &FsStorage, jobs: Vec<NewJob>) -> Vec<Enqueued> {
    store.enqueue(&queue(), vec![jobs]).await.expect("it enqueues").value.remove(0)
}

pub(crate) fn request(limit: usize, seed: u64) -> ClaimRequest {
    let worker = WorkerId::from_static("worker");
    ClaimRequest::new(queue(), worker, limit, Span::from_secs(30), &SeededRng::new(seed))
}

pub(crate) async fn claim(store: &FsStorage, limit: usize, seed: u64) -> Claimed {
    store.claim(request(limit, seed)).await.expect("it claims")
}

pub(crate) fn complete(token: LeaseToken) -> Event {
    Event::Complete { token, result: text("result"), retention: None, then: Vec::new() }
}

pub(crate) async fn settle(store: &FsStorage, job: &JobMeta, event: Event) -> queue_core::Changed {
    store.settle(job, event, &Policy::default()).await.expect("it settles")
}

pub(crate) async fn assert_sound(store: &FsStorage) {
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
}
