//! `kill -9` of random processes among four that share one directory (I1, I21).
//!
//! The test starts itself again as the processes. Each takes down what it asks and is told, a call
//! before it is made, so that a kill leaves at worst a call whose end is not known. Afterwards the
//! store is drained, every record is read, and the histories of all processes, laid over each
//! other, are checked.
//!
//! `QUEUE_FS_KILLS=500` kills that often. A power cut is another matter: the page cache survives
//! this.

mod child;

use child::{QUEUE, drain, options};
use queue_core::{Rng, SeededRng};
use queue_fs::FsStorage;
use queue_testkit::history::{Herd, History, Recorded, Recorder, Rules, Tapes, check};
use std::{
    collections::BTreeSet,
    env,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

const THIS: &str = "a_kill_loses_nothing";
/// The environment of a process says where the store is, and where its tape.
const JOBS: &str = "QUEUE_FS_KILL_JOBS";
const TAPE: &str = "QUEUE_FS_KILL_TAPE";

const PROCESSES: usize = 4;
/// Kills on one directory before another one is taken, which keeps histories short.
const KILLS_PER_PLACE: u64 = 10;
/// What all processes together must have put on tape between two kills, and at most as much again.
const BYTES: u64 = 10_000;
/// Clocks of two processes of one host agree that well, even while the system's clock is put right.
const SKEW_NS: u64 = 20_000_000;

/// This very test again, as one of the processes.
fn command(jobs: &Path, tape: &Path) -> Command {
    let mut command = Command::new(env::current_exe().expect("this test is a file"));
    command.args(["--exact", THIS, "--nocapture"]).stdout(Stdio::null());
    command.env(JOBS, jobs).env(TAPE, tape);
    command
}

#[tokio::test]
async fn a_kill_loses_nothing() {
    if let (Some(jobs), Some(tape)) = (env::var_os(JOBS), env::var_os(TAPE)) {
        return child::run(Path::new(&jobs), Path::new(&tape)).await;
    }
    let kills = env::var("QUEUE_FS_KILLS").map_or(20, |text| text.parse().expect("a number of kills"));
    let (mut killed, mut events, mut lives) = (0, 0, 0);
    while killed < kills {
        let (history, started) = run_and_kill(&SeededRng::new(killed)).await;
        killed += KILLS_PER_PLACE;
        let violations = check(&history, &Rules::default());
        let shown: Vec<String> = violations.iter().take(5).map(ToString::to_string).collect();
        assert!(
            violations.is_empty(),
            "up to kill {killed}: {} violations\n{}",
            violations.len(),
            shown.join("\n")
        );
        events += history.events().len();
        lives += started;
    }
    eprintln!("{killed} kills of {lives} processes, {events} events: nothing was lost");
}

/// Kills processes that share a directory, drains the store, and answers what all of them saw, and
/// how many they were.
async fn run_and_kill(rng: &SeededRng) -> (History, usize) {
    let (store, recordings) = (tempfile::tempdir(), tempfile::tempdir());
    let (store, recordings) = (store.expect("a directory"), recordings.expect("a directory"));
    let (jobs, tapes) = (store.path().join("jobs"), Tapes::in_folder(&recordings));
    let mut herd = {
        let (jobs, tapes) = (jobs.clone(), tapes.clone());
        Herd::start(PROCESSES, move |number| command(&jobs, &tapes.path(number)))
    };
    for _ in 0..KILLS_PER_PLACE {
        tapes.wait_for_more(BYTES + rng.next_u64() % BYTES).await;
        herd.kill_one(rng);
    }
    herd.kill_all();
    let mut histories = tapes.read(herd.started()).expect("they are tapes");
    let store = Arc::new(FsStorage::open(options(&jobs)).await.expect("the store opens"));
    let recorder = Arc::new(Recorder::new());
    drain(&Recorded::new(store, recorder.clone()), &recorder, &ids(&histories)).await;
    histories.push(recorder.history());
    (History::merge(histories, SKEW_NS), herd.started())
}

/// Every id that anybody enqueued.
fn ids(histories: &[History]) -> BTreeSet<String> {
    let events = histories.iter().flat_map(History::events);
    events.filter_map(|event| event.id.clone()).collect()
}

/// The queue of everybody.
fn queue() -> queue_core::QueueName {
    queue_core::QueueName::from_static(QUEUE)
}
