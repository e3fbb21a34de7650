//! A schedule among processes that die (I31): three of them share a store; each is killed with
//! SIGKILL before or after one of its calls to the store, a different one each time, and started
//! again. In the end the enqueued ticks are those that the pattern names, each once.
//!
//! On files the processes share a clock through a file, which the test moves a hundred times as
//! fast as real time: leases lapse under living workers too. On servers the clock is real.
//! `QUEUE_TEST_TICKS=10000` makes that many ticks on files, `QUEUE_TEST_TICKS_REAL=1000` runs that
//! many seconds on each server. `ways` is about one process, and about every way to a tick.

mod child;
#[path = "../network/server.rs"]
mod server;
mod shared_clock;
mod storage;
mod ways;

use queue::{
    Clock, Queue, SystemClock,
    schedules::{Missed, Put, Schedule, Tick, Timing},
};
use shared_clock::SharedClock;
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;
use tokio::time::sleep;

const PROCESSES: usize = 3;
/// The most calls of a process until it dies; the number differs each time.
const CALLS_MAX: u64 = 60;
/// The step of the shared clock, and how long it takes.
const STEP: Duration = Duration::from_secs(1);
const PACE: Duration = Duration::from_millis(10);
/// The most checks for the end; beyond it something is stuck.
const LOOKS_MAX: u32 = 6000;

/// The environment variables that make a process a child, name its store, and say when it dies.
const STORE: &str = "QUEUE_TEST_SCHEDULE_STORE";
const PLACE: &str = "QUEUE_TEST_SCHEDULE_PLACE";
const CALLS: &str = "QUEUE_TEST_SCHEDULE_CALLS";

#[tokio::test]
async fn on_sqlite() {
    every_tick_is_enqueued_once("on_sqlite", "sqlite:").await;
}

#[tokio::test]
async fn on_files() {
    every_tick_is_enqueued_once("on_files", "file:").await;
}

#[tokio::test]
async fn on_redis() {
    if let Some(url) = server::url("redis", "QUEUE_TEST_REDIS_URL") {
        every_tick_is_enqueued_once("on_redis", &url).await;
    }
}

#[tokio::test]
async fn on_postgres() {
    if let Some(url) = server::url("postgres", "QUEUE_TEST_POSTGRES_URL") {
        every_tick_is_enqueued_once("on_postgres", &url).await;
    }
}

fn number(variable: &str, default: u64) -> u64 {
    env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

async fn every_tick_is_enqueued_once(test: &'static str, store: &str) {
    if let Ok(store) = env::var(STORE) {
        let place = PathBuf::from(env::var_os(PLACE).expect("a process is told its place"));
        return child::run(&store, &place, number(CALLS, u64::MAX)).await;
    }
    let place = tempfile::tempdir().expect("a directory");
    let clock = storage::is_on_files(store).then(|| Arc::new(SharedClock::create(place.path())));
    let ticks = match clock {
        Some(_) => number("QUEUE_TEST_TICKS", 300),
        None => number("QUEUE_TEST_TICKS_REAL", 5),
    };
    let queue = open(store, place.path()).await;
    let each_second =
        Schedule::new("s", Timing::cron("* * * * * *", "America/New_York").expect("valid"), Tick::HERE)
            .missed(Missed::All { max: 1_000_000 })
            .options(child::options());
    assert_eq!(queue.schedules().put(&each_second).await.expect("put"), Put::Created);
    let mut herd = Herd::new(test, store, &place);
    let kills = let_time_pass(&mut herd, clock.as_deref(), ticks).await;
    let until = herd.no_more_deaths(clock.as_deref()).await;
    let status = queue.schedules().get("s").await.expect("read").expect("it goes on");
    let expected = expected(&status, until);
    let enqueued = herd.until_all_are_there(&expected).await;
    let twice: Vec<_> = enqueued.iter().filter(|(_, lives)| lives.len() > 1).collect();
    assert_eq!(twice, [], "ticks that were enqueued twice");
    let enqueued: BTreeSet<String> = enqueued.into_keys().collect();
    let unexpected: Vec<_> =
        enqueued.difference(&expected).filter(|id| **id <= *expected.last().expect("ticks")).collect();
    assert!(unexpected.is_empty(), "ticks that no pattern names: {unexpected:?}");
    assert!(expected.len() as u64 >= ticks, "{} of {ticks}", expected.len());
    queue.storage().close().await.expect("closed");
    println!("{test}: {} ticks, {kills} kills", expected.len());
}

async fn open(store: &str, place: &Path) -> Queue<Tick> {
    let clock = storage::is_on_files(store).then(|| Arc::new(SharedClock::open(place)));
    let storage = storage::open(store, place, clock).await;
    Queue::new(storage, storage::queue_name(place)).expect("a valid name")
}

/// Moves the clock, or waits, and replaces dead processes.
async fn let_time_pass(herd: &mut Herd<'_>, clock: Option<&SharedClock>, ticks: u64) -> usize {
    let mut kills = 0;
    if let Some(clock) = clock {
        for _ in 0..ticks {
            clock.advance(STEP);
            sleep(PACE).await;
            kills += herd.revive();
        }
        return kills;
    }
    for _ in 0..ticks * 20 {
        sleep(Duration::from_millis(50)).await;
        kills += herd.revive();
    }
    kills
}

/// The ids that the pattern names from the beginning of the schedule until then.
fn expected(status: &queue::schedules::ScheduleStatus, until: queue::Timestamp) -> BTreeSet<String> {
    let spec = status.spec();
    let ticks = spec.timing.after(spec.since).take_while(|tick| *tick <= until);
    ticks.map(|tick| spec.tick_id(tick).expect("a valid id").to_string()).collect()
}

/// The processes of one store.
struct Herd<'a> {
    /// The name of the calling test, which the processes run.
    test: &'static str,
    store: &'a str,
    place: &'a TempDir,
    children: Vec<Child>,
    started: u64,
    is_mortal: bool,
}

impl<'a> Herd<'a> {
    fn new(test: &'static str, store: &'a str, place: &'a TempDir) -> Self {
        let mut herd = Self { test, store, place, children: Vec::new(), started: 0, is_mortal: true };
        for _ in 0..PROCESSES {
            let child = herd.start();
            herd.children.push(child);
        }
        herd
    }

    fn start(&mut self) -> Child {
        self.started += 1;
        // Every number occurs, and neighbours differ: 37 and 60 have no common factor.
        let calls = if self.is_mortal { 1 + self.started * 37 % CALLS_MAX } else { u64::MAX };
        let mut command = Command::new(env::current_exe().expect("this test is a file"));
        command.args(["--exact", self.test, "--nocapture"]);
        command.env(STORE, self.store).env(PLACE, self.place.path()).env(CALLS, calls.to_string());
        command.stdout(Stdio::null()).spawn().expect("this program starts")
    }

    /// Replaces dead processes, and returns how many there were.
    fn revive(&mut self) -> usize {
        let mut dead = 0;
        for at in 0..self.children.len() {
            if let Some(status) = self.children[at].try_wait().expect("a child can be asked") {
                assert!(status.code().is_none(), "a child ended by itself: {status}");
                self.children[at] = self.start();
                dead += 1;
            }
        }
        dead
    }

    /// Lets the processes live from now on. Returns the last moment whose tick must exist.
    async fn no_more_deaths(&mut self, clock: Option<&SharedClock>) -> queue::Timestamp {
        self.is_mortal = false;
        for at in 0..self.children.len() {
            drop(self.children[at].kill());
            drop(self.children[at].wait());
            self.children[at] = self.start();
        }
        let until = clock.map_or_else(|| SystemClock.now(), Clock::now);
        // The leases of a dead process must lapse, which takes time.
        if let Some(clock) = clock {
            for _ in 0..child::LEASE.as_secs() * 3 {
                clock.advance(STEP);
                sleep(PACE).await;
                self.revive();
            }
        }
        until
    }

    /// Waits for all ids, and returns the lives that were handled, by id.
    async fn until_all_are_there(&mut self, expected: &BTreeSet<String>) -> BTreeMap<String, BTreeSet<u64>> {
        for _ in 0..LOOKS_MAX {
            self.revive();
            let seen = child::seen(self.place.path());
            if expected.iter().all(|id| seen.contains_key(id)) {
                return seen;
            }
            sleep(PACE).await;
        }
        let seen = child::seen(self.place.path());
        let missing: Vec<&String> = expected.iter().filter(|id| !seen.contains_key(*id)).take(5).collect();
        panic!("of {} ticks {} are missing: {missing:?}", expected.len(), expected.len() - seen.len());
    }
}

impl Drop for Herd<'_> {
    fn drop(&mut self) {
        for child in &mut self.children {
            drop(child.kill());
            drop(child.wait());
        }
        drop(fs::remove_file(self.place.path().join("log")));
    }
}
