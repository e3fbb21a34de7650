//! `queue enqueue --lines` that is interrupted before the end of its input, and run again.

use crate::place;
use queue_e2e::{CommandDirectory, until};
use rustix::process::Signal;
use std::{
    fs::{self, File},
    io::Write,
    process::Command,
};

/// A pipe that does not end while this is held.
fn pipe(place: &CommandDirectory) -> File {
    let path = place.path().join("lines");
    assert!(Command::new("mkfifo").arg(&path).status().expect("the system has mkfifo").success());
    File::options().read(true).write(true).open(path).expect("it was just made")
}

fn total(place: &CommandDirectory) -> u64 {
    let stats = place.run(&["stats", "--json"]);
    if stats.code == 0 { stats.object()["total"].as_u64().expect("a number") } else { 0 }
}

#[test]
fn an_interrupted_run_says_how_many_lines_are_stored_and_the_next_stores_the_rest() {
    let place = place();
    let mut lines = pipe(&place);
    lines.write_all(b"a\nb\na\n").expect("somebody reads");
    let first = place.start(&["enqueue", "--lines", "lines"]);
    until("three lines are stored", || (total(&place) == 3).then_some(()));
    first.signal(Signal::INT);
    let ran = first.wait().code(130);
    let told = "error: after 3 stored lines: interrupted; run the same command again to store the rest; nothing is stored twice\n";
    assert_eq!(ran.stderr, told);
    lines.write_all(b"a\nb\na\nc\n").expect("the pipe is open");
    let second = place.start(&["enqueue", "--lines", "lines", "--json"]);
    until("the fourth is stored", || (total(&place) == 4).then_some(()));
    second.signal(Signal::TERM);
    let ran = second.wait().code(130);
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).expect("an object");
    assert!(
        error["error"].as_str().expect("text").starts_with("after 4 stored lines: interrupted"),
        "{error}"
    );
    let answers: Vec<_> = ran.objects().iter().map(|object| object["answer"].clone()).collect();
    assert_eq!(answers, ["duplicate", "duplicate", "duplicate", "queued"]);
}

#[test]
fn the_same_file_again_stores_nothing_and_appended_lines_alone() {
    let place = place();
    let path = place.path().join("jobs.txt");
    fs::write(&path, "a\nb\na\n").unwrap();
    let run = |arguments: &[&str]| place.run(&[&["enqueue", "--lines"], arguments].concat()).ok();
    assert_eq!(run(&["jobs.txt"]).text(), "queued 3 jobs, 0 duplicates, skipped 0 empty lines\n");
    let again = run(&["./jobs.txt"]);
    assert_eq!(again.text(), "queued 0 jobs, 3 duplicates, skipped 0 empty lines\n");
    assert!(again.stderr.contains("--ids fresh stores them again"), "{again:?}");
    fs::write(&path, "a\nb\na\n\na\n").unwrap();
    assert_eq!(run(&["jobs.txt"]).text(), "queued 1 job, 3 duplicates, skipped 1 empty line\n");
    assert_eq!(
        run(&["jobs.txt", "--kind", "mail"]).text(),
        "queued 4 jobs, 0 duplicates, skipped 1 empty line\n"
    );
    assert_eq!(
        run(&["jobs.txt", "--ids", "fresh"]).text(),
        "queued 4 jobs, 0 duplicates, skipped 1 empty line\n"
    );
    // Another file with the same beginning is other work.
    fs::copy(&path, place.path().join("other.txt")).unwrap();
    assert_eq!(run(&["other.txt"]).text(), "queued 4 jobs, 0 duplicates, skipped 1 empty line\n");
}

#[test]
fn standard_input_again_stores_nothing_twice() {
    let place = place();
    for (expected, input) in [("queued 2 jobs, 0", "a\nb\n"), ("queued 1 job, 2", "a\nb\nc\n")] {
        let ran = place.run_with(&["enqueue", "--lines", "-"], input.as_bytes()).ok();
        assert!(ran.text().starts_with(expected), "{ran:?}");
    }
    assert!(place.run(&["enqueue", "x", "--ids", "line"]).code(2).stderr.contains("--lines"));
}
