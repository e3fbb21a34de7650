//! Kills processes while they work on a store, and judges what they recorded.

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

/// The environment variables that tell a process where the store is, which process it is, and where
/// its tape is.
const PLACE: &str = "QUEUE_TESTKIT_KILLS_PLACE";
const NUMBER: &str = "QUEUE_TESTKIT_KILLS_NUMBER";
const TAPE: &str = "QUEUE_TESTKIT_KILLS_TAPE";

/// Processes that work on one store and are killed one after the other; made by [`kills`].
pub struct Kills<O> {
    test: &'static str,
    open: O,
    processes: usize,
    per_round: usize,
    bytes: u64,
}

/// Kills processes in the middle of a load and judges what they recorded: everything that was
/// acknowledged is there afterwards (I1, I21), no partition has more leases than its limit (I25),
/// and no other invariant is broken. A kill leaves the page cache intact, so this does not test a
/// power cut.
///
/// Each of the processes runs the calling test again. There this function never returns, so the
/// test calls it first, before it makes anything; `test` is the full name of the test, as `--exact`
/// takes it. `open` opens a handle on the place that [`round`](Kills::round) names, with a real
/// clock. The test needs a multi-threaded runtime with time enabled.
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
    /// Sets how many processes share the store at any time, at least one. The default is 4. A store
    /// that admits one process at a time takes 1: the next process then opens what the last one
    /// left.
    #[must_use]
    pub fn with_processes(mut self, processes: usize) -> Self {
        self.processes = processes.max(1);
        self
    }

    /// Sets the number of kills in a round, which is one history. The default is 10.
    #[must_use]
    pub fn with_kills(mut self, kills: usize) -> Self {
        self.per_round = kills;
        self
    }

    /// Sets how many bytes all processes together record between two kills; a random amount up to
    /// as many again is added. The default is 20,000; a recorded call takes a few hundred.
    #[must_use]
    pub fn with_bytes_between(mut self, bytes: u64) -> Self {
        self.bytes = bytes.max(1);
        self
    }

    /// Kills processes that share the store at this place, which is new; then opens the store,
    /// works off what is left, reads every record, and judges. The seed decides which process is
    /// killed, and when.
    ///
    /// # Panics
    /// If an invariant is broken, with the first findings; if a process ended before it was killed;
    /// if no process recorded anything.
    pub async fn round(&self, seed: u64, place: &str) -> WorkloadReport {
        // The store is created here, so that no process opens one that is half made.
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
        let (kills, slots) = (self.per_round, report.partitioned_leases());
        println!(
            "seed {seed}: {kills} kills, {events} events, {completions} completions, {slots} slots taken"
        );
        report.assert_clean();
        assert!(completions > 0, "the processes completed no job");
        report
    }
}

/// The command that runs this test again as one of the processes.
fn command(test: &str, place: &OsString, number: usize, tape: &Path) -> Command {
    let mut command = Command::new(env::current_exe().expect("this test is a file"));
    command.args(["--exact", test, "--nocapture"]).stdout(Stdio::null());
    command.env(PLACE, place).env(NUMBER, number.to_string()).env(TAPE, tape);
    command
}

/// The parameters of one of the processes.
struct Victim {
    place: String,
    number: u64,
    tape: PathBuf,
}

impl Victim {
    /// `None` in the process that starts and kills the others.
    fn of_this_process() -> Option<Self> {
        let place = env::var(PLACE).ok()?;
        let number = env::var(NUMBER).ok()?.parse().expect("a number");
        Some(Self { place, number, tape: env::var_os(TAPE)?.into() })
    }

    /// Uses every verb of the contract until the process is killed.
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
