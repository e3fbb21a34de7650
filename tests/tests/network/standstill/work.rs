//! `queue work --server` while the store behind the service stands still.

use super::{
    still,
    stores::{hold_sqlite, let_go_of_sqlite},
};
use crate::served::Served;
use queue_e2e::until;
use std::{fs, time::Duration};
use tokio::time::sleep;

const JOBS: usize = 12;
const CONCURRENCY: usize = 4;
/// Notes its start, and ends once the file `hold` is gone.
const SCRIPT: &str = "echo $$ >> starts; while [ -e hold ]; do sleep 0.05; done; printf done";

#[tokio::test]
async fn what_its_commands_have_done_by_then_is_not_done_again() {
    let served = Served::start();
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
    let held = hold_sqlite(&file("queue.db"));
    fs::remove_file(file("hold")).expect("it was made before");
    sleep(still()).await;
    let_go_of_sqlite(&held);
    assert_eq!(worker.wait().ok().text(), format!("completed {JOBS} jobs\n"));
    assert_eq!(starts(), JOBS);
}
