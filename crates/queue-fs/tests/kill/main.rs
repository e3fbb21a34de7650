//! `kill -9` of random processes among four that share one directory (I1, I21).
//!
//! The test starts itself again as the processes. Each takes down what it asks and is told, a call before it is made, so
//! that a kill leaves at worst a call whose end is not known. Afterwards the store is drained, every record is read, and
//! the histories of all processes, laid over each other, are checked.
//!
//! `QUEUE_FS_KILLS=500` kills that often. A power cut is another matter: the page cache survives this.

mod child;
mod tape;

use child::{QUEUE, TAPE, drain, options};
use queue_core::{Rng, SeededRng};
use queue_fs::FsStorage;
use queue_testkit::history::{History, Rules, check};
use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};
use tape::Tape;
use tempfile::TempDir;

const PROCESSES: usize = 4;
/// Kills on one directory before another one is taken, which keeps histories short.
const KILLS_PER_PLACE: u64 = 10;
/// Calls that a process must have been answered before it may be killed.
const LINES: u64 = 12;
/// Clocks of two processes of one host agree that well, even while the system's clock is put right.
const SKEW_NS: u64 = 20_000_000;

#[test]
fn a_kill_loses_nothing() {
    if let Some(tape) = std::env::var_os(TAPE) {
        return child::run(Path::new(&tape));
    }
    let kills = std::env::var("QUEUE_FS_KILLS").map_or(20, |text| text.parse().expect("a number of kills"));
    let (mut killed, mut events, mut lives) = (0, 0, 0);
    while killed < kills {
        let rng = SeededRng::new(killed);
        let mut place = Place::new();
        for _ in 0..KILLS_PER_PLACE {
            place.kill_one(&rng);
            killed += 1;
        }
        let history = place.end();
        let violations = check(&history, &Rules::default());
        let shown: Vec<String> = violations.iter().take(5).map(ToString::to_string).collect();
        assert!(
            violations.is_empty(),
            "up to kill {killed}: {} violations\n{}",
            violations.len(),
            shown.join("\n")
        );
        events += history.events().len();
        lives += place.lives;
    }
    eprintln!("{killed} kills of {lives} processes, {events} events: nothing was lost");
}

/// A directory, and the processes that share it.
struct Place {
    directory: TempDir,
    running: Vec<Running>,
    tapes: Vec<PathBuf>,
    lives: usize,
}

struct Running {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut place = Self { directory, running: Vec::new(), tapes: Vec::new(), lives: 0 };
        for _ in 0..PROCESSES {
            place.start();
        }
        place
    }

    fn start(&mut self) {
        let tape = self.directory.path().join(format!("tape-{}", self.lives));
        let mut child = Command::new(std::env::current_exe().expect("this test is a file"))
            .args(["--exact", "a_kill_loses_nothing", "--nocapture"])
            .env(TAPE, &tape)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        self.running.push(Running { child, lines });
        self.tapes.push(tape);
        self.lives += 1;
    }

    /// Kills one once it has done something, and starts another in its place.
    fn kill_one(&mut self, rng: &SeededRng) {
        let which = usize::try_from(rng.next_u64()).unwrap_or(0) % self.running.len();
        let mut victim = self.running.swap_remove(which);
        let answers = usize::try_from(LINES + rng.next_u64() % LINES).expect("few");
        let seen = victim.lines.by_ref().filter(|line| line.as_ref().is_ok_and(|line| line == "answered"));
        assert_eq!(seen.take(answers).count(), answers, "the process works until it is killed");
        victim.kill();
        self.start();
    }

    /// Kills all, drains the store, and answers what all of them saw.
    fn end(&mut self) -> History {
        self.running.drain(..).for_each(|mut running| running.kill());
        let path = self.directory.path().join("tape-of-the-end");
        let tape = Tape::new(&path);
        let store = self.directory.path().join("jobs");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let store = FsStorage::open(options(&store)).await.expect("the store opens");
            drain(&tape.record(&tape.wrap(store)), tape.recorder(), &self.ids()).await;
        });
        let histories = self.tapes.iter().map(|tape| read(tape)).chain([tape.recorder().history()]);
        History::merge(histories.collect(), SKEW_NS)
    }

    /// Every id that anybody enqueued.
    fn ids(&self) -> Vec<String> {
        let histories = self.tapes.iter().map(|tape| read(tape));
        let mut ids: Vec<String> = histories
            .flat_map(|history| {
                history.events().iter().filter_map(|event| event.id.clone()).collect::<Vec<_>>()
            })
            .collect();
        ids.sort();
        ids.dedup();
        ids
    }
}

impl Running {
    fn kill(&mut self) {
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.running.drain(..).for_each(|mut running| running.kill());
    }
}

fn read(tape: &Path) -> History {
    // A process that was killed before it began has none.
    File::open(tape).map_or_else(
        |_| History::default(),
        |file| {
            History::read(BufReader::new(file)).unwrap_or_else(|error| panic!("{}: {error}", tape.display()))
        },
    )
}

/// The queue of everybody.
fn queue() -> queue_core::QueueName {
    queue_core::QueueName::from_static(QUEUE)
}
