//! Processes that are killed while they work on a store, and what they recorded judged.

use crate::history::{Herd, Load, LoadParams, Params, Recorder, Tape, Tapes, WorkloadReport};
use queue_core::{Rng, SeededRng, Storage};
use std::{
    env,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

/// The environment of a process that is to be killed says where the store is, which process it is,
/// and where its tape.
const PLACE: &str = "QUEUE_TESTKIT_KILLS_PLACE";
const NUMBER: &str = "QUEUE_TESTKIT_KILLS_NUMBER";
const TAPE: &str = "QUEUE_TESTKIT_KILLS_TAPE";

/// Processes that work on one store, of which one after the other is killed: made by [`kills`].
pub struct Kills<O> {
    test: &'static str,
    open: O,
    processes: usize,
    per_round: usize,
    bytes: u64,
}

/// Kills processes in the middle of a load, and has what they recorded judged: whatever was
/// acknowledged is there afterwards (I1, I21), and no other invariant is broken either. A power cut
/// is another matter, since the page cache survives a kill.
///
/// The test that calls this is started again as each of the processes. In those it never returns,
/// so it comes first, before anything is made; `test` is the full name of the test, as `--exact`
/// takes it. `open` opens a handle on the place that [`round`](Kills::round) names, by a real
/// clock. The test needs a runtime of several threads, with time.
///
/// ```no_run
/// use queue_core::Storage;
/// use std::sync::Arc;
///
/// # struct MyStorage;
/// # impl MyStorage {
/// #     async fn open(_path: &str) -> Result<queue_memory::MemoryStorage, std::io::Error> {
/// #         Ok(queue_memory::MemoryStorage::new())
/// #     }
/// # }
/// async fn open(path: &str) -> Arc<dyn Storage> {
///     Arc::new(MyStorage::open(path).await.expect("it opens"))
/// }
///
/// # #[allow(unused)]
/// // #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
/// async fn a_kill_loses_nothing() {
///     let kills = queue_testkit::kills("a_kill_loses_nothing", open).await;
///     for seed in 0..2 {
///         let directory = tempfile::tempdir().expect("a directory");
///         let path = directory.path().join("jobs");
///         kills.round(seed, path.to_str().expect("a path of text")).await;
///     }
/// }
/// ```
///
/// # Panics
/// In a process that is to be killed: if the store does not open, or answers an error that is not
/// transient.
pub async fn kills<O: AsyncFn(&str) -> Arc<dyn Storage>>(test: &'static str, open: O) -> Kills<O> {
    if let Some(victim) = Victim::of_this_process() {
        victim.work(&open).await;
    }
    Kills { test, open, processes: 4, per_round: 10, bytes: 20_000 }
}

impl<O: AsyncFn(&str) -> Arc<dyn Storage>> Kills<O> {
    /// How many processes share the store at any time, at least one. The default is 4; a store that
    /// one process has for itself takes 1, and the next one opens what the former left.
    #[must_use]
    pub fn with_processes(mut self, processes: usize) -> Self {
        self.processes = processes.max(1);
        self
    }

    /// How many kills there are in a round, which is one history. The default is 10.
    #[must_use]
    pub fn with_kills(mut self, kills: usize) -> Self {
        self.per_round = kills;
        self
    }

    /// How many bytes all processes together record between two kills, and at most as many again.
    /// The default is 20,000; a call that is recorded has a few hundred.
    #[must_use]
    pub fn with_bytes_between(mut self, bytes: u64) -> Self {
        self.bytes = bytes.max(1);
        self
    }

    /// Kills processes that share the store at this place, which is new; then opens it, works off
    /// what they left, reads every record, and judges. The seed decides who is killed, and when.
    ///
    /// # Panics
    /// If an invariant is broken, with the first findings; if a process ended before it was killed;
    /// if nothing was done.
    pub async fn round(&self, seed: u64, place: &str) -> WorkloadReport {
        // No process meets a store that is half made.
        let store = (self.open)(place).await;
        store.close().await.expect("a handle closes");
        drop(store);
        let folder = tempfile::tempdir().expect("a directory for recordings");
        let tapes = Tapes::in_folder(&folder);
        let rng = SeededRng::new(seed);
        let mut herd = {
            let test = self.test;
            let place = OsString::from(place);
            let tapes = tapes.clone();
            Herd::start(self.processes, move |number| command(test, &place, number, &tapes.path(number)))
        };
        for _ in 0..self.per_round {
            tapes.wait_for_more(self.bytes + rng.next_u64() % self.bytes).await;
            herd.kill_one(&rng);
        }
        herd.kill_all();
        let histories = tapes.read(herd.started()).expect("they are tapes");
        let nobody = Params { producers: 0, workers: 0, meddlers: 0, ..Params::default() };
        let end = LoadParams { seed, name: "the-end".to_owned(), tasks: nobody, waiters: 0 };
        let stores = vec![(self.open)(place).await];
        let report = Load::start(stores, Arc::new(Recorder::new()), end).finish_with(histories).await;
        let events = report.history.events().len();
        let completions = report.completions();
        println!("seed {seed}: {} kills, {events} events, {completions} completions", self.per_round);
        report.assert_clean();
        assert!(completions > 0, "nothing was done at all");
        report
    }
}

/// This very test again, as one of the processes.
fn command(test: &str, place: &OsString, number: usize, tape: &Path) -> Command {
    let mut command = Command::new(env::current_exe().expect("this test is a file"));
    command.args(["--exact", test, "--nocapture"]).stdout(Stdio::null());
    command.env(PLACE, place).env(NUMBER, number.to_string()).env(TAPE, tape);
    command
}

/// What one of the processes is told.
struct Victim {
    place: String,
    number: u64,
    tape: PathBuf,
}

impl Victim {
    /// None in the process that starts and kills the others.
    fn of_this_process() -> Option<Self> {
        let place = env::var(PLACE).ok()?;
        let number = env::var(NUMBER).ok()?.parse().expect("a number");
        Some(Self { place, number, tape: env::var_os(TAPE)?.into() })
    }

    /// Does everything that the contract has, until it is killed.
    async fn work(self, open: &impl AsyncFn(&str) -> Arc<dyn Storage>) {
        let tape = Tape::create(&self.tape).expect("there is room for a recording");
        let store: Arc<dyn Storage> = Arc::new(tape.wrap(open(&self.place).await));
        let tasks = Params { producers: 1, workers: 2, meddlers: 1, ..Params::default() };
        let params = LoadParams { seed: self.number, name: self.number.to_string(), tasks, waiters: 1 };
        Load::start(vec![store], tape.recorder().clone(), params).go_on_for_ever().await;
    }
}

impl<O> fmt::Debug for Kills<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kills")
            .field("test", &self.test)
            .field("per_round", &self.per_round)
            .finish_non_exhaustive()
    }
}
