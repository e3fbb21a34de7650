//! `queue copy` between stores of every kind, and with kills.

use crate::{place, stores};
use queue_e2e::{CommandDirectory, until};
use rustix::process::Signal;
use serde_json::Value;
use std::fmt::Write;

/// Enough for several batches.
const MANY: u64 = 3_000;

/// Jobs in several states, in two queues.
fn fill(place: &CommandDirectory) {
    place.run(&["enqueue", "done", "--id", "done"]).ok();
    place.run(&["work", "--exec", "echo out", "--drain"]).ok();
    place.run(&["enqueue", "bad", "--id", "bad", "--max-attempts", "1"]).ok();
    place.run(&["work", "--exec", "echo boom >&2; exit 1", "--drain"]).code(1);
    for id in ["a", "b", "c"] {
        place.run(&["enqueue", id, "--id", id, "--tag", "t", "--priority", "3"]).ok();
    }
    place.run(&["enqueue", "later", "--id", "later", "--delay", "1h"]).ok();
    place.run(&["cancel", "b"]).ok();
    place.run(&["enqueue", "elsewhere", "--id", "x", "--queue", "other queue"]).ok();
}

fn copy(place: &CommandDirectory, from: &str, to: &str) -> Vec<Value> {
    copy_with(place, from, to, &[])
}

fn copy_with(place: &CommandDirectory, from: &str, to: &str, more: &[&str]) -> Vec<Value> {
    let queues = place.run(&[&["copy", from, to, "--json"], more].concat()).ok().objects();
    for queue in &queues {
        assert_eq!(queue["verified"], true, "{from} to {to}: {queue}");
        assert_eq!(queue["source"], queue["target"]);
    }
    queues
}

fn digests(queues: &[Value]) -> Vec<(String, Value)> {
    let digest = |queue: &Value| (queue["queue"].to_string(), queue["target"]["digest"].clone());
    queues.iter().map(digest).collect()
}

#[test]
fn jobs_stay_the_same_between_every_pair_of_kinds() {
    let place = place();
    fill(&place);
    let froms = stores("from");
    for (number, from) in froms.iter().enumerate() {
        let whole = copy(&place, "sqlite:queue.db", from);
        assert_eq!((whole[0]["stored"].as_u64(), whole[1]["stored"].as_u64()), (Some(6), Some(1)));
        for to in stores(&format!("to{number}")) {
            let copied = copy(&place, from, &to);
            assert_eq!(digests(&copied), digests(&whole), "{from} to {to}");
            let refused = place.run(&["copy", from, &to]).code(2);
            assert!(refused.stderr.contains("add --again"), "{refused:?}");
            let again = copy_with(&place, from, &to, &["--again"]);
            assert_eq!((again[0]["stored"].as_u64(), again[0]["present"].as_u64()), (Some(0), Some(6)));
            place.run(&["verify", "--store", &to]).ok();
            place.run(&["resume", "--store", &to]).ok();
            // A drain would wait for it.
            place.run(&["delete", "later", "--store", &to]).ok();
            place.run(&["work", "--exec", "echo moved", "--drain", "--store", &to]).ok();
            assert_eq!(place.run(&["result", "a", "--store", &to]).ok().text(), "moved\n");
            assert_eq!(place.run(&["result", "done", "--store", &to]).ok().text(), "out\n");
            // What it has done does not come back, with no option but `--again`.
            place.run(&["prune", "--finished-before", "0s", "--store", &to]).ok();
            place.run(&["pause", "--store", &to]).ok();
            for more in [&[][..], &["--add"], &["--queue", "default"]] {
                let refused = place.run(&[&["copy", from, &to], more].concat()).code(2);
                assert!(refused.stderr.contains("nothing was written"), "{refused:?}");
            }
            let left = place.run(&["stats", "--json", "--store", &to]).ok().object();
            assert_eq!(left["total"], 0, "{from} to {to}");
        }
    }
}

#[test]
fn a_copy_that_is_killed_is_finished_by_the_same_command() {
    let place = place();
    let mut lines = String::new();
    for number in 0..MANY {
        writeln!(lines, "job {number}").expect("text can be written to");
    }
    place.run_with(&["enqueue", "--lines", "-"], lines.as_bytes()).ok();
    let total = |store: &str| {
        let stats = place.run(&["stats", "--json", "--store", store]);
        if stats.code == 0 { stats.object()["total"].as_u64().expect("a number") } else { 0 }
    };
    let mut killed = 0;
    for to in ["sqlite:copied.db", "file:copied"] {
        for least in [0, 1, MANY / 3, MANY / 2] {
            let copying = place.start(&["copy", "sqlite:queue.db", to]);
            until("it has come so far", || (least == 0 || total(to) >= least).then_some(()));
            copying.signal(Signal::KILL);
            killed += u32::from(copying.wait().code == 137);
        }
        // The last one may have come to its end before its kill.
        let queues = copy_with(&place, "sqlite:queue.db", to, &["--again"]);
        assert_eq!(queues[0]["target"]["queued"].as_u64(), Some(MANY));
        place.run(&["verify", "--store", to]).ok();
    }
    assert!(killed > 0, "every copy was faster than its kill");
}

#[test]
fn a_dry_run_makes_no_store_and_says_what_a_copy_would_do() {
    let place = place();
    fill(&place);
    let dry = place.run(&["copy", "sqlite:queue.db", "sqlite:new.db", "--dry-run", "--json"]).ok().objects();
    assert_eq!((dry[0]["stored"].as_u64(), dry[0]["dry_run"].as_bool()), (Some(6), Some(true)));
    assert!(!place.path().join("new.db").exists());
    let said = place.run(&["copy", "sqlite:queue.db", "file:new", "--dry-run"]).ok();
    assert!(said.text().contains("A copy would store 7 jobs"), "{said:?}");
    assert!(!place.path().join("new").exists());
    assert_eq!(place.run(&["queues", "--json"]).ok().objects()[0]["paused"], false);
}

#[test]
fn a_copy_says_what_is_wrong_with_its_arguments() {
    let place = place();
    fill(&place);
    for (arguments, code, says) in [
        (&["copy", "sqlite:none.db", "file:to"][..], 2, "FROM"),
        (&["copy", "sqlite:queue.db", "mysql://x"], 2, "TO"),
        (&["copy", "sqlite:queue.db", "memory:"], 2, "inside one program"),
        (&["copy", "sqlite:queue.db"], 2, "<TO>"),
        (&["copy", "sqlite:queue.db", "file:to", "--store", "file:to"], 2, "no --store"),
        (&["copy", "sqlite:queue.db", "file:to", "--wait", "1s", "--give-back"], 2, "cannot be used"),
    ] {
        let ran = place.run(arguments).code(code);
        assert!(ran.stderr.contains(says), "{ran:?}");
    }
}

#[test]
fn a_named_queue_is_copied_and_a_difference_ends_with_one() {
    let place = place();
    fill(&place);
    let said = place.run(&["copy", "sqlite:queue.db", "file:to", "--queue", "other queue"]).ok();
    assert!(said.text().contains("Copied 1 job. Every record"), "{said:?}");
    place.run(&["delete", "x", "--store", "file:to", "--queue", "other queue"]).ok();
    place.run(&["enqueue", "x", "--id", "x", "--store", "file:to", "--queue", "other queue"]).ok();
    let again = ["copy", "sqlite:queue.db", "file:to", "--queue", "other queue", "--again"];
    let said = place.run(&again).code(1);
    assert!(said.text().contains("x is not the same"), "{said:?}");
}
