//! Runs the suite on remote handles of a store that another harness makes.

use super::server::{ELSEWHERE, TestServer};
use async_trait::async_trait;
use queue_core::{Clock, Result, Storage, StorageLayer};
use queue_remote::RemoteStorage;
use queue_testkit::{Facility, Failure, Harness, Place};
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};
use tokio::sync::Mutex;

/// Who shares a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Servers {
    /// All handles of a trial. When the last one is closed the server ends, with its handle of the
    /// store; the next handle meets another one.
    One,
    /// Each handle of a trial has a server of its own, with a handle of its own of the store.
    PerHandle,
}

/// Puts a server before the stores of another harness.
pub(crate) struct RemoteHarness {
    pub(crate) behind: Arc<dyn Harness>,
    pub(crate) servers: Servers,
    /// Whether the store is opened again with each server.
    pub(crate) reopens: bool,
    /// The name of the file with the list of cases.
    pub(crate) snapshot: &'static str,
}

#[async_trait]
impl Harness for RemoteHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        let behind = self.behind.clone();
        let created = ELSEWHERE.spawn(async move { behind.create(clock).await }).await?;
        let running = Mutex::default();
        Ok(Box::new(RemotePlace { behind: created?.into(), servers: self.servers, running }))
    }

    /// No handle joins a transaction of an application: that takes its connection to the database.
    fn facilities(&self) -> &[Facility] {
        const ALL: &[Facility] = &[Facility::SecondHandle, Facility::DroppedClaims, Facility::Reopen];
        // A store in memory ends with its last handle, so one is open all the time, and goes on
        // with the time that it knows. The reference opens again, and may then be a millisecond
        // ahead while the clock is behind.
        if self.reopens { ALL } else { &ALL[..2] }
    }

    fn snapshot(&self) -> Option<PathBuf> {
        Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(self.snapshot))
    }
}

#[derive(Debug)]
struct RemotePlace {
    behind: Arc<dyn Place>,
    servers: Servers,
    running: Mutex<Option<Running>>,
}

/// A server with its handle of the store.
#[derive(Clone, Debug)]
struct Running {
    server: Arc<TestServer>,
    store: Arc<dyn Storage>,
    open_handles: Arc<AtomicUsize>,
}

impl RemotePlace {
    /// The server for another handle.
    async fn server(&self) -> Result<Running, Failure> {
        let mut running = self.running.lock().await;
        let is_used = |running: &&Running| running.open_handles.load(Ordering::Acquire) > 0;
        if self.servers == Servers::One
            && let Some(running) = running.as_ref().filter(is_used)
        {
            return Ok(running.clone());
        }
        if let Some(over) = running.take().filter(|_| self.servers == Servers::One) {
            drop(over.server);
            over.store.close().await?;
        }
        let behind = self.behind.clone();
        let store = ELSEWHERE.spawn(async move { behind.connect().await }).await??;
        let server = Arc::new(TestServer::start(store.clone()).await);
        let fresh = Running { server, store, open_handles: Arc::default() };
        *running = Some(fresh.clone());
        Ok(fresh)
    }
}

#[async_trait]
impl Place for RemotePlace {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let running = self.server().await?;
        let remote = RemoteStorage::open(running.server.options()).await?;
        running.open_handles.fetch_add(1, Ordering::AcqRel);
        let has_own_store = self.servers == Servers::PerHandle;
        Ok(Arc::new(RemoteHandle { remote, running, has_own_store, is_closed: AtomicBool::new(false) }))
    }

    async fn clean_up(&self) -> Result<(), Failure> {
        if let Some(running) = self.running.lock().await.take() {
            drop(running.server);
            running.store.close().await?;
        }
        let behind = self.behind.clone();
        ELSEWHERE.spawn(async move { behind.clean_up().await }).await?
    }
}

/// A handle that is counted while it is open.
#[derive(Debug)]
struct RemoteHandle {
    remote: RemoteStorage,
    running: Running,
    has_own_store: bool,
    is_closed: AtomicBool,
}

#[async_trait]
impl StorageLayer for RemoteHandle {
    type Inner = RemoteStorage;

    fn inner(&self) -> &RemoteStorage {
        &self.remote
    }

    async fn close(&self) -> Result<()> {
        self.remote.close().await?;
        if !self.is_closed.swap(true, Ordering::AcqRel) {
            self.running.open_handles.fetch_sub(1, Ordering::AcqRel);
            if self.has_own_store {
                self.running.store.close().await?;
            }
        }
        Ok(())
    }
}
