//! `SIGKILL` of random processes among those that share one schema: with everything that the
//! contract has, judged by the checker of the test kit (I1, I21), and with handlers and producers
//! whose own writes commit together with their jobs (I18).
//!
//! The tests start themselves again as the processes. `QUEUE_TEST_FAULT_ROUNDS=50` runs more of
//! them, with [`KILLS`] kills each.

#[path = "../common/mod.rs"]
mod common;
mod effects;
#[path = "../load/mod.rs"]
mod load;
mod part;
#[path = "../storm/mod.rs"]
mod storm;

use common::Place;
use part::Part;
use queue_core::{Rng, SeededRng};
use queue_testkit::history::{Herd, Load, LoadParams, Params, Recorder, Tapes};
use std::sync::Arc;
use storm::rounds;

const THIS: &str = "processes_that_are_killed_lose_nothing";
const PROCESSES: usize = 4;
/// Kills on one schema before another one is taken, which keeps histories short.
const KILLS: usize = 10;
/// What all processes together must have put on tape between two kills, and at most as much again.
const BYTES: u64 = 50_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_are_killed_lose_nothing() {
    if let Some(part) = Part::of_this_process() {
        return part.load().await;
    }
    for seed in 0..rounds() {
        let Some(place) = Place::new().await else { return };
        // Nobody meets a schema that is half made.
        let store = Arc::new(place.open().await);
        let (folder, rng) = (tempfile::tempdir().expect("a directory"), SeededRng::new(seed));
        let (tapes, schema) = (Tapes::in_folder(&folder), place.schema.name.clone());
        let part = {
            let tapes = tapes.clone();
            move |number| Part { schema: schema.clone(), number, tape: tapes.path(number) }
        };
        let mut herd = Herd::start(PROCESSES, move |number| part(number).command(THIS));
        for _ in 0..KILLS {
            tapes.wait_for_more(BYTES + rng.next_u64() % BYTES).await;
            herd.kill_one(&rng);
        }
        herd.kill_all();
        let histories = tapes.read(herd.started()).expect("they are tapes");
        let nobody = Params { producers: 0, workers: 0, meddlers: 0, ..Params::default() };
        let end = LoadParams { name: "the-end".to_owned(), tasks: nobody, waiters: 0, seed };
        let report = Load::start(vec![store], Arc::new(Recorder::new()), end).finish_with(histories).await;
        let (events, completions) = (report.history.events().len(), report.completions());
        println!("seed {seed}: {KILLS} kills, {events} events, {completions} completions");
        assert!(completions > 0, "nothing was done at all");
        report.assert_clean();
        place.remove().await;
    }
}
