//! `SIGKILL` of random processes among those that share one namespace, with everything that the
//! contract has going on in them.
//!
//! The test starts itself again as the processes, each of which puts on tape what it asks before it
//! does (I1, I21).

use crate::{
    rounds,
    server::{Fsync, Server},
};
use queue_core::{Rng, SeededRng, Storage};
use queue_redis::{RedisOptions, RedisStorage};
use queue_testkit::history::{Herd, Load, LoadParams, Params, Recorder, Tape, Tapes};
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

const THIS: &str = "processes::processes_that_are_killed_lose_nothing";
const URL: &str = "QUEUE_TEST_PART_URL";
const NUMBER: &str = "QUEUE_TEST_PART_NUMBER";
const TAPE: &str = "QUEUE_TEST_PART_TAPE";
const PROCESSES: usize = 4;
/// Kills on one server before another one is taken, which keeps histories short.
const KILLS: usize = 10;
/// What all processes together must have put on tape between two kills, and at most as much again.
const BYTES: u64 = 50_000;

async fn open(url: &str) -> Arc<dyn Storage> {
    Arc::new(RedisStorage::open(RedisOptions::new(url).expect("a URL")).await.expect("it opens"))
}

/// This very test again, as one of the processes.
fn part(url: &str, number: usize, tape: &Path) -> Command {
    let mut command = Command::new(env::current_exe().expect("this test is a file"));
    command.args(["--exact", THIS, "--nocapture"]).stdout(Stdio::null());
    command.env(URL, url).env(NUMBER, number.to_string()).env(TAPE, tape);
    command
}

/// Does everything that the contract has, for ever.
async fn work(url: &str) {
    let number: usize = env::var(NUMBER).expect("it comes with the URL").parse().expect("a number");
    let tape = PathBuf::from(env::var_os(TAPE).expect("it comes with the URL"));
    let tape = Tape::create(&tape).expect("there is room for a recording");
    let store: Arc<dyn Storage> = Arc::new(tape.wrap(open(url).await));
    let tasks = Params { producers: 1, workers: 2, meddlers: 1, ..Params::default() };
    let params = LoadParams { name: number.to_string(), tasks, waiters: 1, seed: number as u64 };
    Load::start(vec![store], tape.recorder().clone(), params).go_on_for_ever().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_are_killed_lose_nothing() {
    if let Ok(url) = env::var(URL) {
        return work(&url).await;
    }
    for seed in 0..rounds() as u64 {
        let server = Server::start(Fsync::Never).await;
        let (folder, rng) = (tempfile::tempdir().expect("a directory"), SeededRng::new(seed));
        let (tapes, url) = (Tapes::in_folder(&folder), server.url());
        let mut herd = {
            let tapes = tapes.clone();
            Herd::start(PROCESSES, move |number| part(&url, number, &tapes.path(number)))
        };
        for _ in 0..KILLS {
            tapes.wait_for_more(BYTES + rng.next_u64() % BYTES).await;
            herd.kill_one(&rng);
        }
        herd.kill_all();
        let histories = tapes.read(herd.started()).expect("they are tapes");
        let nobody = Params { producers: 0, workers: 0, meddlers: 0, ..Params::default() };
        let end = LoadParams { name: "the-end".to_owned(), tasks: nobody, waiters: 0, seed };
        let stores = vec![open(&server.url()).await];
        let report = Load::start(stores, Arc::new(Recorder::new()), end).finish_with(histories).await;
        let (events, completions) = (report.history.events().len(), report.completions());
        println!("seed {seed}: {KILLS} kills, {events} events, {completions} completions");
        assert!(completions > 0, "nothing was done at all");
        report.assert_clean();
    }
}
