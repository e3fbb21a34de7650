//! `kill -9` in the middle of a load: whatever was acknowledged is there afterwards (I1, I21).
//!
//! The test starts itself again as the process to be killed. A power cut is another matter: the
//! page cache survives this.

mod common;

use common::{Place, assert_sound, claim, complete, job, queue, settle};
use queue_core::{Detail, JobId, State, Storage, StorageExt};
use queue_sqlite::{SqliteOptions, SqliteStorage};
use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};
use tokio::task::JoinSet;

const CHILD: &str = "QUEUE_SQLITE_CRASH_CHILD";
/// Acknowledgements to see before the kill.
const LINES: usize = 400;
const TASKS: u64 = 4;

#[test]
fn nothing_acknowledged_is_missing_after_a_kill() {
    if let Some(path) = std::env::var_os(CHILD) {
        return load_for_ever(Path::new(&path));
    }
    let place = Place::new();
    for round in 0..3 {
        let acknowledged = run_and_kill(&place, round);
        assert!(acknowledged.len() >= LINES / 2, "the load ran");
        check(&place, &acknowledged);
    }
}

/// What the child said it had been told, by id: whether the job was completed.
fn run_and_kill(place: &Place, round: usize) -> HashMap<String, bool> {
    let mut child = Command::new(std::env::current_exe().expect("this test is a file"))
        .args(["--exact", "nothing_acknowledged_is_missing_after_a_kill", "--nocapture"])
        .env(CHILD, place.path())
        .env("ROUND", round.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut acknowledged = HashMap::new();
    let mut note = |line: String| {
        if let Some(id) = line.strip_prefix("queued ") {
            acknowledged.entry(id.to_owned()).or_insert(false);
        } else if let Some(id) = line.strip_prefix("completed ") {
            acknowledged.insert(id.to_owned(), true);
        }
    };
    lines.by_ref().take(LINES).map_while(Result::ok).for_each(&mut note);
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    // What was acknowledged between the last line read and the kill counts too; a torn last line
    // does not.
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    rest.into_iter().rev().skip(1).for_each(note);
    acknowledged
}

#[tokio::main(flavor = "current_thread")]
async fn check(place: &Place, acknowledged: &HashMap<String, bool>) {
    let store = place.open().await;
    assert_sound(&store).await;
    for (id, completed) in acknowledged {
        let id = JobId::new(id).expect("a valid id");
        let found = store.get_one(&queue(), &id, Detail::Full).await.expect("it reads");
        let record = found.unwrap_or_else(|| panic!("{id} was acknowledged and is missing"));
        if *completed {
            assert_eq!(record.meta.state, State::Completed, "{id}");
            assert!(record.result().is_some(), "{id}");
        }
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn load_for_ever(path: &Path) {
    let store = Arc::new(SqliteStorage::open(SqliteOptions::new(path)).await.expect("it opens"));
    let round = std::env::var("ROUND").expect("the parent says which");
    let tasks: JoinSet<()> = (0..TASKS).map(|task| load(store.clone(), round.clone(), task)).collect();
    tasks.join_all().await;
}

async fn load(store: Arc<SqliteStorage>, round: String, task: u64) {
    for n in 0.. {
        let id = format!("{round}-{task}-{n}");
        store.enqueue(&queue(), vec![vec![job(&id)]]).await.expect("it enqueues");
        say(&format!("queued {id}"));
        for job in claim(&*store, 1).await.jobs {
            settle(&*store, &job.record.meta, complete(job.token)).await;
            say(&format!("completed {}", job.record.meta.id));
        }
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // The parent stops reading when it has seen enough.
    drop(writeln!(out, "{line}").and_then(|()| out.flush()));
}
