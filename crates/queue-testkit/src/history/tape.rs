//! A recording in a file, which outlives a process that is killed.

use crate::history::{History, Recorder};
use async_trait::async_trait;
use parking_lot::Mutex;
use queue_core::{
    Applied, ClaimRequest, Claimed, Counts, Detail, Enqueued, JobId, JobRecord, Kind, ListQuery, NewJob,
    Page, Pause, PruneRequest, QueueName, Result, Stamped, Storage, StorageLayer, lifecycle::Transition,
};
use std::{
    fs::File,
    io::{self, BufReader, ErrorKind, Write},
    path::Path,
    sync::Arc,
};

/// A recording that outlives its process: the arguments of a call are in the file before the call
/// is made, so a kill leaves at worst a call with an unknown outcome. The file system keeps what a
/// killed process wrote; it need not survive a power cut.
#[derive(Clone, Debug)]
pub struct Tape(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    recorder: Arc<Recorder>,
    file: Mutex<(File, usize)>,
}

/// A store that writes the tape to its file before each call. Each task wraps it in a
/// [`Recorded`](crate::history::Recorded) of its own.
#[derive(Debug)]
pub struct Taped<S: ?Sized> {
    tape: Tape,
    store: Arc<S>,
}

impl Tape {
    /// An empty recording in a new file, which replaces an existing one.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = Mutex::new((File::create(path)?, 0));
        Ok(Self(Arc::new(Inner { recorder: Arc::new(Recorder::new()), file })))
    }

    /// Reads what a process recorded, whether it ended or was killed. A process that was killed
    /// before it began has recorded nothing.
    ///
    /// # Errors
    /// If the file cannot be read, or is no tape.
    pub fn read(path: &Path) -> io::Result<History> {
        match File::open(path) {
            Ok(file) => History::read(BufReader::new(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(History::default()),
            Err(error) => Err(error),
        }
    }

    /// The recorder of the tape.
    pub fn recorder(&self) -> &Arc<Recorder> {
        &self.0.recorder
    }

    /// Wraps a store so that its calls are in the file before they are made.
    pub fn wrap<S: Storage + ?Sized>(&self, store: Arc<S>) -> Taped<S> {
        Taped { tape: self.clone(), store }
    }

    /// Writes events that are not in the file yet, in whole lines. A [`Taped`] store does so by
    /// itself; before other calls, the caller does.
    ///
    /// # Panics
    /// If the file cannot be written, since a recording with a gap would be judged wrongly.
    pub fn save(&self) {
        // A panic below leaves a file without a reader, so its state does not matter.
        let mut guard = self.0.file.lock();
        let (file, saved) = &mut *guard;
        let events = self.0.recorder.since(*saved);
        *saved += events.len();
        let mut lines = Vec::new();
        let written = History::new(events).write(&mut lines).and_then(|()| file.write_all(&lines));
        written.expect("there is room for a recording");
    }
}

#[async_trait]
impl<S: Storage + ?Sized> StorageLayer for Taped<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.store
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

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        self.tape.save();
        self.store.set_paused(queue, kind, pause).await
    }

    async fn verify(&self) -> Result<Vec<String>> {
        self.tape.save();
        self.store.verify().await
    }
}
