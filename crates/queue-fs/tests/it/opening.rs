//! Opening a store beside programs that use it: they do not wait for the opening, and the opened
//! state is right in spite of what they write meanwhile.

use crate::common::{Place, assert_sound, enqueue, job, queue};
use parking_lot::{Condvar, Mutex, MutexGuard};
use queue_core::{Detail, JobId, JobMeta, ListQuery, Prune, PruneRequest, Storage};
use queue_fs::{
    FsOptions, FsStorage,
    sys::{FileId, Fs, FsFile, Open, RealFs},
};
use std::{io, sync::Arc, time::Duration};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinSet,
};

/// Short segments, so that a few jobs fill several.
const SEGMENT_BYTES: u64 = 1_500;
/// The program that must not wait for the lock gives up soon, and fails the test.
const WRITER_TIMEOUT: Duration = Duration::from_millis(20);
/// Opening handles take turns at the lock, and a busy disk may make each turn long.
const OPENER_TIMEOUT: Duration = Duration::from_secs(60);

/// A directory whose readers stop at one of the files until they are let through.
#[derive(Debug)]
struct Gated {
    directory: RealFs,
    gate: Arc<Gate>,
}

#[derive(Debug)]
struct Gate {
    /// The file at which readers stop.
    closed_at: Mutex<Option<String>>,
    opened: Condvar,
    arrived: UnboundedSender<()>,
}

impl Gate {
    fn new() -> (Arc<Self>, UnboundedReceiver<()>) {
        let (arrived, arrivals) = unbounded_channel();
        (Arc::new(Self { closed_at: Mutex::default(), opened: Condvar::new(), arrived }), arrivals)
    }

    fn at(segment: u64) -> (Arc<Self>, UnboundedReceiver<()>) {
        let (gate, arrivals) = Self::new();
        gate.close_at(segment);
        (gate, arrivals)
    }

    fn pass(&self, name: &str) {
        let mut closed_at = self.lock();
        if closed_at.as_deref() == Some(name) {
            self.arrived.send(()).unwrap_or_default();
            while closed_at.is_some() {
                self.opened.wait(&mut closed_at);
            }
        }
    }

    fn close_at(&self, segment: u64) {
        *self.lock() = Some(segment_name(segment));
    }

    fn open(&self) {
        *self.lock() = None;
        self.opened.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.closed_at.lock()
    }
}

/// Opens a gate when it is dropped, or a failing test would wait for ever.
struct Opener(Arc<Gate>);

impl Drop for Opener {
    fn drop(&mut self) {
        self.0.open();
    }
}

impl Fs for Gated {
    fn open(&self, name: &str, how: Open) -> io::Result<Arc<dyn FsFile>> {
        self.gate.pass(name);
        self.directory.open(name, how)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.directory.names()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.directory.remove(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.directory.rename(from, to)
    }

    fn sync_names(&self) -> io::Result<()> {
        self.directory.sync_names()
    }

    fn id_of(&self, name: &str) -> io::Result<Option<FileId>> {
        self.directory.id_of(name)
    }
}

fn segment_name(number: u64) -> String {
    format!("journal-{number:016x}.log")
}

fn options(place: &Place) -> FsOptions {
    place.options().segment_bytes(SEGMENT_BYTES).reserve_bytes(2 * SEGMENT_BYTES)
}

async fn opened(place: &Place) -> FsStorage {
    FsStorage::open(options(place).busy_timeout(WRITER_TIMEOUT)).await.expect("the store opens")
}

/// Opens the store, which stops at the gate.
fn open_through(place: &Place, gate: &Arc<Gate>) -> impl Future<Output = FsStorage> + use<> {
    let directory = RealFs::open_directory(&place.path()).expect("it is there");
    let options =
        options(place).busy_timeout(OPENER_TIMEOUT).fs(Arc::new(Gated { directory, gate: gate.clone() }));
    async move { FsStorage::open(options).await.expect("it opens") }
}

/// Enqueues jobs of these numbers, each in a record of its own.
async fn fill(store: &FsStorage, numbers: std::ops::Range<u32>) {
    for n in numbers {
        enqueue(store, vec![job(&n.to_string())]).await;
    }
}

async fn jobs(store: &FsStorage) -> Vec<JobMeta> {
    store.list(ListQuery::all(queue(), 1_000)).await.expect("it lists").jobs
}

fn first_segment(place: &Place) -> u64 {
    let is_there = |segment: &u64| place.path().join(segment_name(*segment)).exists();
    (1..10_000).find(is_there).expect("there is a segment")
}

/// Removes all jobs and writes new ones, until this segment is removed.
async fn go_beyond(store: &FsStorage, place: &Place, segment: u64) {
    for round in 1_u32..1_000 {
        if first_segment(place) > segment {
            return;
        }
        let everything = PruneRequest { queue: queue(), what: Prune::Everything, limit: 1_000 };
        store.prune(everything).await.expect("it prunes");
        fill(store, round * 1_000..round * 1_000 + 10).await;
    }
    panic!("segment {segment} is still there");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_goes_on_while_another_program_opens_the_store() {
    let place = Place::new();
    let writer = opened(&place).await;
    fill(&writer, 0..40).await;
    for segment in 1..=4 {
        let (gate, mut arrivals) = Gate::at(segment);
        let mut opening = JoinSet::new();
        opening.spawn(open_through(&place, &gate));
        let opener = Opener(gate);
        arrivals.recv().await.expect("it comes to the gate");
        let meanwhile = JobId::new(format!("meanwhile-{segment}")).expect("a valid id");
        let written = writer.enqueue(&queue(), vec![vec![job(meanwhile.as_str())]]).await;
        drop(opener);
        written.expect("nobody holds the lock");
        let other = opening.join_next().await.expect("a task").expect("no panic");
        assert_eq!(jobs(&other).await, jobs(&writer).await);
        assert_sound(&other).await;
        let found = other.get(&queue(), &[meanwhile], Detail::Meta).await.expect("it reads").value;
        assert!(found[0].is_some(), "what was written meanwhile is there");
    }
}

/// The reader is in front of the first file, or in the middle of the files, when they are removed.
#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_given_up_under_a_program_that_opens_the_store_are_noticed() {
    for segment in 1..=4 {
        let place = Place::new();
        let writer = opened(&place).await;
        fill(&writer, 0..40).await;
        let (gate, mut arrivals) = Gate::at(segment);
        let mut opening = JoinSet::new();
        opening.spawn(open_through(&place, &gate));
        let opener = Opener(gate);
        arrivals.recv().await.expect("it comes to the gate");
        go_beyond(&writer, &place, segment).await;
        drop(opener);
        let other = opening.join_next().await.expect("a task").expect("no panic");
        assert_eq!(jobs(&other).await, jobs(&writer).await, "segment {segment}");
        assert_sound(&other).await;
        fill(&other, 900_000..900_010).await;
        assert_eq!(jobs(&writer).await, jobs(&other).await, "segment {segment}");
        assert_sound(&writer).await;
    }
}

/// A handle that fell behind reads everything again, like one that is opened.
#[tokio::test(flavor = "multi_thread")]
async fn a_writer_goes_on_while_a_handle_that_fell_behind_reads_everything_again() {
    let place = Place::new();
    let writer = opened(&place).await;
    fill(&writer, 0..10).await;
    let (gate, mut arrivals) = Gate::new();
    let late = open_through(&place, &gate).await;
    go_beyond(&writer, &place, 5).await;
    gate.close_at(first_segment(&place));
    let opener = Opener(gate);
    let mut reading = JoinSet::new();
    reading.spawn(async move {
        let seen = jobs(&late).await;
        (late, seen)
    });
    arrivals.recv().await.expect("it comes to the gate");
    let written = writer.enqueue(&queue(), vec![vec![job("meanwhile")]]).await;
    drop(opener);
    written.expect("nobody holds the lock");
    let (late, seen) = reading.join_next().await.expect("a task").expect("no panic");
    assert!(seen.iter().any(|job| job.id.as_str() == "meanwhile"));
    assert_sound(&late).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_programs_that_open_a_store_together_all_succeed() {
    let place = Place::new();
    let writer = opened(&place).await;
    fill(&writer, 0..40).await;
    let (gate, mut arrivals) = Gate::at(2);
    let mut opens = JoinSet::new();
    for _ in 0..4 {
        opens.spawn(open_through(&place, &gate));
    }
    let opener = Opener(gate);
    for _ in 0..4 {
        tokio::select! {
            _ = arrivals.recv() => {}
            early = opens.join_next() => panic!("all four should be under way, but one ended: {early:?}"),
        }
    }
    drop(opener);
    for store in opens.join_all().await {
        assert_eq!(jobs(&store).await, jobs(&writer).await);
    }
}
