//! Changes of many jobs as operations: `bulk`, `operations`, and the filters of other commands.

use crate::place;
use queue_e2e::{CommandDirectory, Process, until};

/// How many jobs the operation of the kill test is about at first: enough pages for several kills.
const JOBS: usize = 6_000;

fn enqueue(place: &CommandDirectory, count: usize) {
    let lines = (0..count).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
    place.run_with(&["enqueue", "--lines", "-", "--ids", "payload"], lines.as_bytes()).ok();
}

fn cancelled(place: &CommandDirectory, count: usize) {
    enqueue(place, count);
    place.run(&["cancel", "--state", "queued", "--cap", "1000000"]).ok();
}

/// How many jobs an operation is through with; none before it began.
fn met(place: &CommandDirectory, operation: &str) -> u64 {
    let found = place.run(&["operations", "--json"]).ok().objects();
    let ours = found.into_iter().find(|object| object["operation"] == format!("default/{operation}"));
    let count = |object: &serde_json::Value, name: &str| object[name].as_u64().expect("a count");
    ours.map_or(0, |object| {
        ["done", "gone", "skipped", "failed"].map(|name| count(&object, name)).iter().sum()
    })
}

/// Kills the program of an operation up to three times, each time it got further. Whether it was
/// killed in the middle at all: it may have been through before the test saw it.
fn is_killed_in_the_middle(place: &CommandDirectory, redrive: &[&str], operation: &str, jobs: u64) -> bool {
    let mut seen = 0;
    for kills in 0..3 {
        let runner: Process = place.start(redrive);
        let further = |met: &u64| *met > seen || *met == jobs;
        seen = until("the operation gets further", || Some(met(place, operation)).filter(further));
        runner.kill();
        if seen == jobs {
            return kills > 0;
        }
        place.run(&["cancel", "--id-prefix", "59"]).ok();
    }
    true
}

#[test]
fn an_operation_whose_program_is_killed_goes_on_and_changes_each_job_once() {
    let mut jobs = JOBS;
    // Twice as many jobs where the program was too quick to be killed.
    for operation in ["again", "once more", "and again", "at last"] {
        let place = place();
        cancelled(&place, jobs);
        let redrive = ["bulk", "redrive", "--state", "cancelled", "--name", operation, "--lease", "1s"];
        // Jobs are claimed while they are redriven, and some are cancelled again at once.
        let worker = place.start(&["work", "--exec", "true", "--concurrency", "2"]);
        let is_killed = is_killed_in_the_middle(&place, &redrive, operation, jobs as u64);
        let ended = place
            .run(&["bulk", "run", &format!("default/{operation}"), "--lease", "1s", "--json"])
            .ok()
            .object();
        drop(worker);
        assert_eq!(
            (&ended["state"], &ended["failed"], &ended["in_flight"]),
            (&"completed".into(), &0.into(), &0.into())
        );
        let [done, gone, skipped] =
            ["done", "gone", "skipped"].map(|name| ended[name].as_u64().expect("a count"));
        assert_eq!(done + gone + skipped, jobs as u64, "each job that was there is counted once");
        // A second start under the same id does nothing.
        let again = place.run(&[&redrive[..], &["--json"]].concat()).ok().object();
        assert_eq!(again["done"], ended["done"]);
        if is_killed {
            return;
        }
        jobs *= 2;
    }
    panic!("its program was never killed in the middle");
}

#[test]
fn a_filter_says_which_jobs_and_a_dry_run_counts_them() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "due", "--tag", "t"]).ok();
    place.run(&["enqueue", "x", "--id", "later", "--tag", "t", "--delay", "1h"]).ok();
    let counted = place.run(&["cancel", "--tag", "t", "--dry-run", "--json"]).ok().object();
    assert_eq!((&counted["jobs"], &counted["has_more"]), (&1.into(), &false.into()));
    assert_eq!(place.run(&["promote", "--state", "scheduled", "--dry-run"]).ok().text(), "1 job\n");
    assert_eq!(place.run(&["cancel", "--tag", "t"]).ok().text(), "cancelled 1 job\n");
    assert!(place.run(&["status", "later"]).ok().text().contains("scheduled"), "it waits for its time");
    assert_eq!(place.run(&["promote", "--state", "scheduled"]).ok().text(), "promoted 1 job\n");
    assert_eq!(place.run(&["bulk", "prioritize", "-3", "--state", "queued"]).ok().text(), "changed 1 job\n");
    assert_eq!(place.run(&["delete", "--state", "cancelled", "--yes", "--json"]).ok().object()["done"], 1);
    assert_eq!(place.run(&["operations", "--json"]).ok().objects().len(), 4);
    place.run(&["delete"]).code(2);
    place.run(&["delete", "due", "--tag", "t"]).code(2);
    place.run(&["bulk", "redrive"]).code(2);
    place.run(&["bulk", "redrive", "--state", "queued"]).code(2);
    place.run(&["bulk", "stop", "default/nobody"]).code(3);
}
