//! Commands whose standard output is on a full disk.

use crate::place;

/// A command that changes something, and what its error says of the change. Each relies on those
/// before it.
const CHANGES: [(&[&str], &str); 19] = [
    (&["migrate"], "created an empty"),
    (&["enqueue", "x", "--id", "y"], "queued y"),
    (&["enqueue", "--lines", "lines"], "queued 2 jobs"),
    (
        &["enqueue", "--lines", "lines", "--ids", "fresh", "--json"],
        "after 2 stored lines: the change was made",
    ),
    (&["amend", "y", "--delay", "1h"], "amended y"),
    (&["promote", "y"], "y"),
    (&["cancel", "y"], "cancelled y"),
    (&["redrive", "y"], "y"),
    (&["delete", "y", "--json"], "\\\"id\\\":\\\"y\\\""),
    (&["bulk", "prioritize", "3", "--state", "queued"], "4 jobs"),
    (&["pause"], "paused default"),
    (&["resume"], "resumed default"),
    (&["schedule", "add", "nightly", "--every", "1h"], "created nightly"),
    (&["schedule", "pause", "nightly"], "paused nightly"),
    (&["schedule", "resume", "nightly"], "resumed nightly"),
    (&["schedule", "run", "nightly"], "queued nightly"),
    (&["schedule", "rm", "nightly"], "removed nightly"),
    (&["prune", "--everything", "--yes"], "removed "),
    (&["man", "pages"], "wrote manual pages"),
];

/// Commands that change nothing.
const READS: [&[&str]; 8] = [
    &["--help"],
    &["help", "enqueue"],
    &["--version"],
    &["stats"],
    &["queues", "--json"],
    &["schedule", "next", "--every", "1h"],
    &["bulk", "cancel", "--dry-run", "--state", "queued"],
    &["completions", "bash"],
];

#[test]
fn a_change_whose_answer_cannot_be_written_says_that_it_was_made() {
    let place = place();
    std::fs::write(place.path().join("lines"), "a\nb\n").unwrap();
    for (arguments, made) in CHANGES {
        let ran = place.run_on_full_disk(arguments);
        let said = &ran.stderr;
        assert_eq!(ran.code, 7, "{arguments:?}: {said}");
        assert!(said.contains("the change was made") && said.contains(made), "{arguments:?}: {said}");
        assert!(said.contains("No space left") && said.lines().count() == 1, "{arguments:?}: {said}");
    }
    let stats = place.run(&["stats"]).code(3);
    assert!(stats.stderr.contains("no job"), "the last change removed all jobs: {}", stats.stderr);
}

#[test]
fn a_token_whose_secret_cannot_be_written_is_named_and_not_shown() {
    let place = place();
    let new = ["token", "new", "--tokens", "tokens", "--scope", "work", "--queue", "mail"];
    let ran = place.run_on_full_disk(&new).code(7);
    let listed = place.run(&["token", "ls", "--tokens", "tokens", "--json"]).ok().object();
    let id = listed["id"].as_str().expect("text");
    assert!(ran.stderr.contains(&format!("added {id}; revoke it")), "{}", ran.stderr);
    assert!(!ran.stderr.contains(&format!("{id}_")), "{}", ran.stderr);
    let revoked = place.run_on_full_disk(&["token", "revoke", "--tokens", "tokens", id]).code(7);
    assert!(revoked.stderr.contains(id), "{}", revoked.stderr);
}

#[test]
fn a_copy_is_a_change_unless_it_is_a_dry_run() {
    let place = place();
    place.run(&["enqueue", "x"]).ok();
    let copy = ["copy", "sqlite:queue.db", "sqlite:other.db"];
    place.run_on_full_disk(&[&copy[..], &["--dry-run"]].concat()).code(5);
    let ran = place.run_on_full_disk(&copy).code(7);
    assert!(ran.stderr.contains("Copied 1 job."), "{}", ran.stderr);
}

#[test]
fn a_command_that_only_reads_may_be_run_again() {
    let place = place();
    place.run(&["enqueue", "x"]).ok();
    for arguments in READS {
        let ran = place.run_on_full_disk(arguments);
        assert_eq!(ran.code, 5, "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("the change was made"), "{arguments:?}: {}", ran.stderr);
    }
}
