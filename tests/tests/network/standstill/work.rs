//! `queue work --server` while the store behind the service stands still.

use super::{
    still,
    stores::{drop_schema, hold_files, hold_postgres, hold_sqlite, let_go_of_sqlite, own_redis, stop},
};
use crate::{served::Served, server};
use queue::sqlx::PgPool;
use queue_e2e::until;
use rustix::process::Signal;
use std::{fs, time::Duration};
use tokio::time::sleep;

const JOBS: usize = 12;
const CONCURRENCY: usize = 4;
/// Notes its start, and ends once the file `hold` is removed.
const SCRIPT: &str = "echo $$ >> starts; while [ -e hold ]; do sleep 0.05; done; printf done";

/// Has a worker start commands, holds the store, lets the commands end, and lets the store go on
/// later.
async fn outlast<H>(served: Served, hold: impl AsyncFnOnce() -> H, let_go: impl AsyncFnOnce(H)) {
    let file = |name: &str| served.path().join(name);
    let starts = || fs::read_to_string(file("starts")).unwrap_or_default().lines().count();
    for n in 0..JOBS {
        served.command(&["enqueue", "x", "--id", &n.to_string()]).wait().ok();
    }
    fs::write(file("hold"), "").expect("there is room");
    let lease = format!("{}ms", (still() / 4).max(Duration::from_secs(1)).as_millis());
    let concurrency = CONCURRENCY.to_string();
    let work = ["work", "--exec", SCRIPT, "--drain", "--lease", &lease, "--concurrency", &concurrency];
    let worker = served.command(&work);
    until("the first commands run", || (starts() == CONCURRENCY).then_some(()));
    let kept = hold().await;
    fs::remove_file(file("hold")).expect("it was made before");
    sleep(still()).await;
    let_go(kept).await;
    assert_eq!(worker.wait().ok().text(), format!("completed {JOBS} jobs\n"));
    assert_eq!(starts(), JOBS);
}

#[tokio::test]
async fn what_its_commands_have_done_by_then_is_not_done_again() {
    let served = Served::start();
    let database = served.path().join("queue.db");
    outlast(served, async || hold_sqlite(&database), async |held| let_go_of_sqlite(&held)).await;
}

#[tokio::test]
async fn what_its_commands_have_done_while_files_were_held_is_not_done_again() {
    let served = Served::start_on("file:jobs");
    let directory = served.path().join("jobs");
    let let_go = async |lock: fs::File| lock.unlock().expect("ends");
    outlast(served, async || hold_files(&directory), let_go).await;
}

#[tokio::test]
async fn what_its_commands_have_done_while_postgres_was_locked_is_not_done_again() {
    let Some(url) = server::url("postgres", "QUEUE_TEST_POSTGRES_URL") else { return };
    let schema = format!("still_served_{}", std::process::id());
    let pool = PgPool::connect(&url).await.expect("connects");
    let sign = if url.contains('?') { '&' } else { '?' };
    let served = Served::start_on(&format!("{url}{sign}schema={schema}"));
    let hold = async || hold_postgres(&pool, &schema).await;
    outlast(served, hold, async |held| held.rollback().await.expect("ends")).await;
    drop_schema(&pool, &schema).await;
}

#[tokio::test]
async fn what_its_commands_have_done_while_redis_stood_still_is_not_done_again() {
    let Some((_place, process, url)) = own_redis() else { return };
    until("it answers", || std::net::TcpStream::connect(&url["redis://".len()..]).ok());
    let served = Served::start_on(&url);
    outlast(served, async || stop(&process), async |process| process.signal(Signal::CONT)).await;
}
