//! A recording that outlives its process: what a call asks is on file before the call is made.

use async_trait::async_trait;
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Enqueued, JobId, JobRecord, ListQuery,
    NewJob, Page, PruneRequest, QueueName, Result, Stamped, Storage, lifecycle::Transition,
};
use queue_testkit::history::{History, Recorded, Recorder};
use std::{
    fs::File,
    io::Write,
    path::Path,
    sync::{Arc, Mutex},
};

/// Where a process writes down what it asks and is told.
#[derive(Clone, Debug)]
pub(crate) struct Tape(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    recorder: Arc<Recorder>,
    file: Mutex<(File, usize)>,
}

/// A store that puts the tape on file whenever it is asked something.
#[derive(Debug)]
pub(crate) struct Taped<S> {
    store: S,
    tape: Tape,
}

impl Tape {
    pub(crate) fn new(path: &Path) -> Self {
        let file = File::create(path).expect("there is room for temporary files");
        Self(Arc::new(Inner { recorder: Arc::new(Recorder::new()), file: Mutex::new((file, 0)) }))
    }

    pub(crate) fn recorder(&self) -> &Arc<Recorder> {
        &self.0.recorder
    }

    /// The store, which then puts what it is asked on file.
    pub(crate) fn wrap<S: Storage>(&self, store: S) -> Arc<Taped<S>> {
        Arc::new(Taped { store, tape: self.clone() })
    }

    /// The store as one task uses it, with everything that is asked of it taken down.
    pub(crate) fn record<S: Storage>(&self, store: &Arc<Taped<S>>) -> Recorded<Taped<S>> {
        Recorded::new(store.clone(), self.0.recorder.clone())
    }

    /// Puts on file what is not there yet, in whole lines.
    pub(crate) fn save(&self) {
        let mut guard = self.0.file.lock().expect("nobody panicked");
        let (file, saved) = &mut *guard;
        let history = self.0.recorder.history();
        let mut lines = Vec::new();
        History::new(history.events()[*saved..].to_vec()).write(&mut lines).expect("it fits the memory");
        file.write_all(&lines).expect("there is room for temporary files");
        *saved = history.events().len();
    }
}

#[async_trait]
impl<S: Storage> Storage for Taped<S> {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.tape.save();
        self.store.enqueue(queue, groups).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.tape.save();
        self.store.claim(request).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.tape.save();
        self.store.apply(batch).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.tape.save();
        self.store.get(queue, ids, what).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.tape.save();
        self.store.list(query).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.tape.save();
        self.store.counts(queue).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        self.tape.save();
        self.store.prune(request).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.tape.save();
        self.store.verify().await
    }

    async fn close(&self) -> Result<()> {
        self.store.close().await
    }
}
