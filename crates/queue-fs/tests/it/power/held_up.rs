//! A program is held up at any call of the file system, while its lock file is moved away and
//! another program works: everything that either has an answer for is stored.

use crate::power::disk::Disk;
use queue_core::{
    ContentType, Detail, ErrorKind, JobId, Kind, NewJob, Payload, QueueName, SeededRng, Storage, StorageExt,
};
use queue_fs::{
    Flush, FsOptions, FsStorage, check_in,
    sys::{FileId, Fs, FsFile, Open},
};
use std::{
    io,
    sync::{Arc, Mutex, mpsc},
};
use tokio::{
    sync::mpsc::{UnboundedSender, unbounded_channel},
    task::JoinSet,
};

/// A payload that nearly fills a segment.
const PAYLOAD_BYTES: usize = 1_000;
const SEGMENT_BYTES: u64 = 1_500;
/// The enqueues of the program that is held up, and of the other.
const ENQUEUES: usize = 3;
/// The enqueues before both.
const BEFORE: usize = 5;

/// Lets this many calls pass, and holds up the next one.
#[derive(Debug)]
struct Gate {
    calls_left: Mutex<Option<u64>>,
    reached: UnboundedSender<()>,
    goes_on: Mutex<mpsc::Receiver<()>>,
}

impl Gate {
    fn pass(&self) {
        let mut left = self.calls_left.lock().expect("nobody panics");
        let is_held_up = *left == Some(0);
        *left = left.and_then(|left| left.checked_sub(1));
        drop(left);
        if is_held_up {
            self.reached.send(()).expect("the test is there");
            self.goes_on.lock().expect("nobody panics").recv().expect("the test is there");
        }
    }
}

/// A file or directory behind a gate.
#[derive(Debug)]
struct Gated<T>(T, Arc<Gate>);

impl<T> Gated<T> {
    fn pass(&self) -> &T {
        self.1.pass();
        &self.0
    }
}

impl Fs for Gated<Disk> {
    fn open(&self, name: &str, how: Open) -> io::Result<Arc<dyn FsFile>> {
        Ok(Arc::new(Gated(self.pass().open(name, how)?, self.1.clone())))
    }

    fn names(&self) -> io::Result<Vec<String>> {
        Fs::names(self.pass())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.pass().remove(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.pass().rename(from, to)
    }

    fn sync_names(&self) -> io::Result<()> {
        self.pass().sync_names()
    }

    fn id_of(&self, name: &str) -> io::Result<Option<FileId>> {
        self.pass().id_of(name)
    }
}

impl FsFile for Gated<Arc<dyn FsFile>> {
    fn size(&self) -> io::Result<u64> {
        self.pass().size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.pass().read_at(offset, buffer)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.pass().write_at(offset, bytes)
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.pass().set_size(bytes)
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        self.pass().allocate(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.pass().sync()
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.pass().try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.pass().unlock()
    }

    fn id(&self) -> io::Result<FileId> {
        self.pass().id()
    }
}

/// Each program draws its own salts.
async fn open(fs: Arc<dyn Fs>, seed: u64) -> FsStorage {
    let options = FsOptions::new("simulated")
        .fs(fs)
        .rng(Arc::new(SeededRng::new(seed)))
        .flush(Flush::Always)
        .segment_bytes(SEGMENT_BYTES)
        .reserve_bytes(1 << 10);
    FsStorage::open(options).await.expect("it opens")
}

fn queue() -> QueueName {
    QueueName::from_static("q")
}

/// Enqueues one job after another until one is refused; returns the accepted ones, and the refusal.
async fn enqueue(store: &FsStorage, who: &str, jobs: usize) -> (Vec<JobId>, Option<queue_core::Error>) {
    let mut accepted = Vec::new();
    for n in 0..jobs {
        let id = JobId::new(format!("{who}-{n}")).expect("a valid id");
        let payload = Payload::new(vec![7; PAYLOAD_BYTES], ContentType::from_static("x/y"));
        let job = NewJob::new(id.clone(), Kind::unnamed(), payload);
        match store.enqueue(&queue(), vec![vec![job]]).await {
            Ok(_) => accepted.push(id),
            Err(error) => return (accepted, Some(error)),
        }
    }
    (accepted, None)
}

/// Whether the program reached the call.
async fn is_held_up_at(call: u64, good: &Disk) -> bool {
    let disk = good.copy();
    let (reached, mut events) = unbounded_channel();
    let (let_go, goes_on) = mpsc::channel();
    let gate = Arc::new(Gate {
        calls_left: Mutex::new(None),
        reached: reached.clone(),
        goes_on: Mutex::new(goes_on),
    });
    let slow = Arc::new(open(Arc::new(Gated(disk.clone(), gate.clone())), 2).await);
    *gate.calls_left.lock().expect("nobody panics") = Some(call);
    let mut tasks = JoinSet::new();
    let program = slow.clone();
    tasks.spawn(async move {
        let done = enqueue(&program, "slow", ENQUEUES).await;
        reached.send(()).expect("the test is there");
        done
    });
    events.recv().await.expect("it is held up, or done");
    let is_held_up = gate.calls_left.lock().expect("nobody panics").is_none();

    disk.rename_by_hand("LOCK", "moved");
    let other = open(Arc::new(disk.clone()), 3).await;
    let (mut accepted, error) = enqueue(&other, "other", ENQUEUES).await;
    assert!(error.is_none(), "call {call}: {error:?}");
    // No one waits if the call was made before.
    let_go.send(()).ok();
    let (slow_accepted, error) = tasks.join_next().await.expect("there is one").expect("it does not panic");
    accepted.extend(slow_accepted);
    if let Some(error) = error {
        assert_eq!(error.kind(), ErrorKind::Closed, "call {call}: {error}");
    }
    let (none, error) = enqueue(&slow, "late", 1).await;
    assert!(none.is_empty() && error.is_some_and(|error| error.kind() == ErrorKind::Closed), "call {call}");
    drop(slow);
    let (more, error) = enqueue(&other, "more", ENQUEUES).await;
    assert!(error.is_none(), "call {call}: {error:?}");
    accepted.extend(more);
    drop(other);

    let report = check_in(Arc::new(disk.clone())).expect("it checks");
    assert!(report.is_sound(), "call {call}: {report:?}");
    let store = open(Arc::new(disk), 4).await;
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new(), "call {call}");
    for id in accepted {
        let found = store.get_one(&queue(), &id, Detail::Full).await.expect("it reads");
        assert!(found.is_some(), "call {call}: {id:?} was accepted, and is gone");
    }
    is_held_up
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_held_up_at_any_call_takes_nothing_from_the_one_that_took_over() {
    let good = Disk::new();
    let store = open(Arc::new(good.clone()), 1).await;
    enqueue(&store, "before", BEFORE).await;
    store.close().await.expect("it closes");
    let mut call = 0;
    while is_held_up_at(call, &good).await {
        call += 1;
    }
    assert!(call > 30, "there is something to be held up at");
}
