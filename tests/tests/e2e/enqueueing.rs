//! The command `queue enqueue`: ids, lines of a file, waiting for results, and the options of a
//! job.

use crate::place;
use std::fs;

#[test]
fn an_id_that_is_present_is_answered_and_not_stored_again() {
    let place = place();
    let first = place.run(&["enqueue", "one", "--id", "a"]).ok();
    assert_eq!(first.text(), "queued a\n");
    assert_eq!(place.run(&["enqueue", "one", "--id", "a"]).ok().text(), "duplicate a (queued)\n");
    let other = place.run(&["enqueue", "two", "--id", "a"]).ok();
    assert_eq!(other.text(), "duplicate a (queued); the stored payload differs\n");
    for (payload, differs) in [("one", false), ("two", true)] {
        let job = place.run(&["enqueue", payload, "--id", "a", "--json"]).ok().object();
        assert_eq!((&job["answer"], &job["state"]), (&"duplicate".into(), &"queued".into()));
        assert_eq!(job["payload_differs"], differs, "{payload}");
    }
    place.run(&["work", "--exec", "cat", "--drain"]).ok();
    assert_eq!(place.run(&["result", "a"]).ok().text(), "one");
    assert!(place.run(&["enqueue", "three", "--id", "a"]).ok().text().starts_with("duplicate a (completed"));
}

#[test]
fn ids_are_fresh_or_come_from_the_payload() {
    let place = place();
    let id = |arguments: &[&str]| {
        let arguments = [&["enqueue", "--json"], arguments].concat();
        place.run(&arguments).ok().object()["id"].as_str().expect("an id").to_owned()
    };
    assert_ne!(id(&["x"]), id(&["x"]));
    assert_eq!(id(&["x"]).len(), 32);
    assert_eq!(id(&["x", "--ids", "payload"]), "x");
    let content = id(&["abc", "--ids", "content"]);
    assert_eq!(content, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

#[test]
fn each_line_is_a_job_and_empty_lines_are_skipped() {
    let place = place();
    fs::write(place.path().join("lines"), "a\n\nb\r\na\n").unwrap();
    let arguments = ["enqueue", "--lines", "lines", "--ids", "payload"];
    assert_eq!(place.run(&arguments).ok().text(), "queued 2 jobs, 1 duplicate, skipped 1 empty line\n");

    let objects =
        place.run_with(&["enqueue", "--lines", "-", "--ids", "payload", "--json"], b"b\nc").ok().objects();
    let ids: Vec<_> =
        objects.iter().map(|object| (&object["line"], &object["id"], &object["answer"])).collect();
    assert_eq!(ids[0], (&1.into(), &"b".into(), &"duplicate".into()));
    assert_eq!(ids[1], (&2.into(), &"c".into(), &"queued".into()));
    assert_eq!(objects[2], serde_json::json!({"accepted": 1, "duplicates": 1, "skipped": 0}));
}

#[test]
fn many_lines_go_in_many_batches() {
    let place = place();
    let lines = "a line\n".repeat(30_000);
    let ran = place.run_with(&["enqueue", "--lines", "-"], lines.as_bytes()).ok();
    assert_eq!(ran.text(), "queued 30\u{202f}000 jobs, 0 duplicates, skipped 0 empty lines\n");
    assert_eq!(place.run(&["stats", "--json"]).ok().object()["queued"], 30_000);
}

#[test]
fn lines_before_a_bad_one_stay_and_the_error_counts_them() {
    let place = place();
    let mut input = "fine\n".repeat(2000).into_bytes();
    input.extend(vec![b'x'; (1 << 20) + 1]);
    let ran = place.run_with(&["enqueue", "--lines", "-"], &input).code(2);
    assert!(ran.stderr.contains("after 2\u{202f}000 stored lines: line 2001 is longer"), "{ran:?}");
    let ran = place.run_with(&["enqueue", "--lines", "-", "--ids", "payload"], b"a\nb\tc\n").code(2);
    assert!(ran.stderr.contains("line 2") && ran.stderr.contains("control characters"), "{ran:?}");
}

#[test]
fn a_call_waits_and_writes_the_result() {
    let place = place();
    place.run(&["migrate"]).ok();
    let worker = place.start(&["work", "--exec", "tr a-z A-Z"]);
    assert_eq!(place.run(&["enqueue", "hello", "--wait"]).ok().text(), "HELLO");
    assert_eq!(
        place.run_with(&["enqueue", "-", "--wait"], b"from \xff stdin").ok().stdout,
        b"FROM \xff STDIN"
    );
    let object = place.run(&["enqueue", "hi", "--id", "x", "--wait", "--json"]).ok().object();
    assert_eq!(
        object,
        serde_json::json!({"id": "x", "outcome": "completed", "content_type": "text/plain", "result": "HI"})
    );
    worker.kill();
}

#[test]
fn a_call_that_fails_or_takes_too_long_says_so_in_its_exit_code() {
    let place = place();
    // There is no result, whether or not the store answers the enqueue before the deadline.
    place.run(&["enqueue", "x", "--wait", "--timeout", "100ms"]).code(4);
    let worker = place.start(&["work", "--exec", "echo no >&2; exit 65"]);
    let ran = place.run(&["enqueue", "x", "--wait", "--timeout", "1h"]).code(1);
    assert!(ran.stderr.contains("failed (terminal): Exit65: exit status: 65: no"), "{ran:?}");
    worker.kill();
}

#[test]
fn options_end_up_in_the_record() {
    let place = place();
    let options = [
        "--kind",
        "mail",
        "--delay",
        "1h",
        "--priority",
        "-7",
        "--max-attempts",
        "9",
        "--max-stalls",
        "unlimited",
    ];
    place.run(&[&["enqueue", "x", "--id", "a"], &options[..]].concat()).ok();
    let job = place.run(&["status", "a", "--json"]).ok().object();
    assert_eq!(
        (&job["kind"], &job["priority"], &job["scheduled"]),
        (&"mail".into(), &(-7).into(), &true.into())
    );
    assert_eq!((&job["max_attempts"], &job["max_stalls"]), (&9.into(), &"unlimited".into()));
    assert_eq!(job["run_at_ms"].as_i64().unwrap() - job["created_at_ms"].as_i64().unwrap(), 3_600_000);
}

#[test]
fn a_failed_job_blocks_its_id_unless_it_shall_be_replaced() {
    let place = place();
    place.run(&["enqueue", "1", "--id", "a"]).ok();
    place.run(&["work", "--exec", "exit 65", "--drain"]).code(1);
    assert_eq!(
        place.run(&["enqueue", "2", "--id", "a"]).ok().text(),
        "duplicate a (failed); the stored payload differs\n"
    );
    assert_eq!(place.run(&["enqueue", "2", "--id", "a", "--on-failed", "replace"]).ok().text(), "queued a\n");
}

#[test]
fn results_live_as_long_as_their_job_says() {
    let place = place();
    for (id, ttl) in [("none", "none"), ("forever", "forever"), ("day", "1day")] {
        place.run(&["enqueue", "x", "--id", id, "--ttl", ttl]).ok();
    }
    place.run(&["work", "--exec", "cat", "--drain"]).ok();
    place.run(&["status", "none"]).code(3);
    assert!(place.run(&["status", "forever", "--json"]).ok().object()["purge_at_ms"].is_null());
    let day = place.run(&["status", "day", "--json"]).ok().object();
    assert_eq!(day["purge_at_ms"].as_i64().unwrap() - day["finished_at_ms"].as_i64().unwrap(), 86_400_000);
}

#[test]
fn a_debounced_job_takes_the_place_of_one_that_waits() {
    let place = place();
    let debounced = ["--id", "a", "--debounce", "1h", "--max-wait", "2h"];
    for payload in ["one", "two"] {
        let ran = place.run(&[&["enqueue", payload], &debounced[..]].concat()).ok();
        assert_eq!(ran.text(), "queued a\n");
    }
    assert_eq!(place.run(&["show", "a", "--payload"]).ok().text(), "two");
    assert_eq!(place.run(&["stats", "--json"]).ok().object()["scheduled"], 1);
}

#[test]
fn a_job_that_fails_for_good_is_followed_by_one_of_the_kind_that_was_named() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--on-failure", "alert"]).ok();
    assert!(place.run(&["status", "a"]).ok().text().contains("a job of kind alert follows"));
    assert_eq!(place.run(&["status", "a", "--json"]).ok().object()["on_failure"], "alert");
    place.run(&["work", "--exec", "exit 65", "--drain"]).code(1);
    let alerts = place.run(&["list", "--kind", "alert", "--json"]).ok();
    assert!(alerts.text().contains("on-failure@"), "{}", alerts.text());
}
