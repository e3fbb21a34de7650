//! The commands that change jobs and queues: `cancel`, `redrive`, `delete`, `prune`, `pause` and
//! `resume`.

use crate::place;
use queue_e2e::until;

#[test]
fn cancel_takes_a_waiting_job_back_and_says_why_it_cannot_take_others() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    assert_eq!(place.run(&["cancel", "a"]).ok().text(), "cancelled a\n");
    assert_eq!(place.run(&["cancel", "a", "--json"]).ok().object()["answer"], "cancelled");
    place.run(&["enqueue", "x", "--id", "b"]).ok();
    place.run(&["work", "--exec", "cat", "--drain"]).ok();
    assert_eq!(place.run(&["cancel", "b", "--json"]).code(1).object()["answer"], "completed");
    place.run(&["cancel", "c"]).code(3);
}

#[test]
fn redrive_runs_failed_jobs_again() {
    let place = place();
    for id in ["a", "b", "c"] {
        place.run(&["enqueue", "x", "--id", id]).ok();
    }
    place.run(&["work", "--exec", "exit 65", "--drain"]).code(1);
    assert_eq!(place.run(&["redrive", "a"]).ok().text(), "queued a\n");
    assert!(place.run(&["redrive", "a"]).code(1).stderr.contains("is queued"));
    place.run(&["redrive", "nobody"]).code(3);
    assert_eq!(place.run(&["redrive", "--all-failed", "--json"]).ok().object()["redriven"], 2);
    let drained = place.run(&["work", "--exec", "cat", "--drain"]).ok();
    assert_eq!(drained.text(), "completed 3 jobs\n");
}

#[test]
fn delete_removes_a_job_and_frees_its_id() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    assert_eq!(place.run(&["delete", "a"]).ok().text(), "deleted a\n");
    place.run(&["delete", "a"]).code(3);
    assert_eq!(place.run(&["enqueue", "x", "--id", "a"]).ok().text(), "queued a\n");
}

#[test]
fn prune_removes_what_it_is_told_to() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "done"]).ok();
    place.run(&["work", "--exec", "cat", "--drain"]).ok();
    place.run(&["enqueue", "x", "--id", "waiting"]).ok();
    assert_eq!(place.run(&["prune"]).ok().text(), "removed 0 jobs\n");
    assert_eq!(place.run(&["prune", "--finished-before", "1day"]).ok().text(), "removed 0 jobs\n");
    assert_eq!(place.run(&["prune", "--finished-before", "0s", "--json"]).ok().object()["removed"], 1);
    place.run(&["status", "done"]).code(3);
    assert_eq!(place.run(&["prune", "--everything", "--yes"]).ok().text(), "removed 1 job\n");
    place.run(&["prune", "--finished-before", "300years"]).code(2);
    place.run(&["prune", "--everything", "--finished-before", "0s"]).code(2);
}

#[test]
fn a_paused_queue_gives_nothing_until_it_is_resumed() {
    let place = place();
    place.run(&["migrate"]).ok();
    assert_eq!(place.run(&["pause"]).ok().text(), "paused default\n");
    assert!(place.run(&["stats"]).ok().text().contains("The queue is paused"));
    assert_eq!(place.run(&["stats", "--json"]).ok().object()["paused"], true);
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    let worker = place.start(&["work", "--exec", "cat", "--drain"]);
    until("the worker is there", || {
        (place.run(&["stats", "--json"]).ok().object()["workers"] != serde_json::json!([])).then_some(())
    });
    assert_eq!(place.run(&["status", "a", "--json"]).ok().object()["state"], "queued");
    assert_eq!(place.run(&["resume"]).ok().text(), "resumed default\n");
    assert_eq!(worker.wait().ok().text(), "completed 1 job\n");
}
