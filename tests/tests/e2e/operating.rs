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

#[test]
fn all_queues_are_paused_and_resumed_and_a_copy_says_how() {
    let place = place();
    for queue in ["mail", "post"] {
        place.run(&["enqueue", "x", "--queue", queue]).ok();
    }
    place.run(&["cancel", "--kind", "none", "--queue", "mail"]).ok();
    assert_eq!(place.run(&["pause", "--all-queues"]).ok().text(), "paused mail\npaused post\n");
    assert_eq!(place.run(&["resume", "--all-queues"]).ok().text(), "resumed mail\nresumed post\n");
    let copied = place.run(&["copy", "sqlite:queue.db", "sqlite:a copy.db"]).ok();
    assert!(copied.text().contains("queue resume --all-queues --store 'sqlite:a copy.db'"), "{copied:?}");
    // The queue in which operations run was paused by the copy too.
    let resumed = place.run(&["resume", "--all-queues", "--store", "sqlite:a copy.db"]).ok();
    assert_eq!(resumed.text(), "resumed mail\nresumed post\nresumed queue.operations\n");
    assert!(place.run(&["resume", "--all-queues", "--store", "sqlite:a copy.db"]).ok().text().is_empty());
}

#[test]
fn a_name_that_no_queue_has_is_said() {
    let place = place();
    place.run(&["enqueue", "x", "--queue", "email"]).ok();
    let listed = place.run(&["list", "--queue", "emial"]).ok();
    assert_eq!(listed.stderr, "there is no queue emial; there are: email\n");
    assert_eq!(place.run(&["list", "--queue", "email", "--state", "failed"]).ok().stderr, "");
    let paused = place.run(&["pause", "--queue", "emial"]).ok();
    assert!(paused.stderr.contains("warning: there is no queue emial; there are: email"), "{paused:?}");
    assert_eq!(place.run(&["pause", "--queue", "email"]).ok().stderr, "");
}

#[test]
fn changes_of_many_jobs_name_the_option_that_is_missing() {
    let place = place();
    for id in ["a", "b"] {
        place.run(&["enqueue", "x", "--id", id, "--tag", "t", "--delay", "1h"]).ok();
    }
    for more in [&["--dry-run"][..], &[]] {
        let cancelled = place.run(&[&["cancel", "--tag", "t"], more].concat()).ok();
        assert_eq!(cancelled.stderr, "2 scheduled jobs match too; add --state scheduled\n", "{cancelled:?}");
    }
    let refused = place.run(&["delete", "--tag", "t", "--yes"]).code(2);
    assert!(refused.stderr.contains("add --state, such as --state failed"), "{refused:?}");
    let cancelled = place.run(&["cancel", "--tag", "t", "--state", "scheduled"]).ok();
    assert_eq!((cancelled.text(), cancelled.stderr.as_str()), ("cancelled 2 jobs\n", ""));
}
