//! The commands that change jobs and queues: `cancel`, `redrive`, `delete`, `prune`, `pause` and
//! `resume`.

use crate::place;
use queue_e2e::until;
use serde_json::json;

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
    assert_eq!(place.run(&["redrive", "--all-failed", "--json"]).ok().object()["done"], 2);
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

#[test]
fn amend_changes_what_it_names_of_a_job_that_waits_and_nothing_else() {
    let place = place();
    place.run(&["enqueue", "{\"to\": \"ada\"}", "--id", "a", "--priority", "3"]).ok();
    let seen = place.run(&["status", "a", "--json"]).ok().object();
    assert_eq!(place.run(&["amend", "a", "--payload", "{\"to\": \"bob\"}"]).ok().text(), "amended a\n");
    assert_eq!(place.run(&["show", "a", "--payload"]).ok().text(), "{\"to\": \"bob\"}");
    let changed = place.run(&["show", "a", "--json"]).ok().object();
    assert_eq!((&changed["priority"], &changed["seq"]), (&3.into(), &seen["seq"]));
    place.run(&["amend", "a", "--priority", "-5", "--delay", "1h", "--ttl", "forever", "--json"]).ok();
    let changed = place.run(&["status", "a", "--json"]).ok().object();
    assert_eq!((&changed["priority"], &changed["scheduled"]), (&(-5).into(), &true.into()));
    place.run(&["amend", "a", "--at", "2020-01-01T00:00:00Z"]).ok();
    assert_eq!(place.run(&["status", "a", "--json"]).ok().object()["scheduled"], false);
    place.run(&["work", "--exec", "cat", "--drain"]).ok();
    assert_eq!(place.run(&["result", "a"]).ok().text(), "{\"to\": \"bob\"}");
    let finished = place.run(&["status", "a", "--json"]).ok().object();
    assert_eq!(finished["purge_at_ms"], serde_json::Value::Null, "it is kept for ever");
    assert!(place.run(&["amend", "a", "--priority", "1"]).code(1).stderr.contains("is completed"));
}

#[test]
fn amend_holds_under_the_revision_that_its_caller_saw() {
    let place = place();
    place.run(&["enqueue", "{}", "--id", "a"]).ok();
    let revision = || place.run(&["status", "a", "--json"]).ok().object()["revision"].to_string();
    let seen = revision();
    place.run(&["amend", "a", "--priority", "1", "--revision", &seen]).ok();
    let late = place.run(&["amend", "a", "--priority", "2", "--revision", &seen]).code(1);
    assert!(late.stderr.contains("has changed meanwhile"), "{late:?}");
    assert_eq!(place.run(&["status", "a", "--json"]).ok().object()["priority"], 1);
    place.run(&["amend", "a", "--priority", "2", "--revision", &revision()]).ok();
}

#[test]
fn amend_refuses_what_the_handlers_of_the_job_could_not_read() {
    let place = place();
    place.run(&["enqueue", "{}", "--id", "a"]).ok();
    let refused = place.run(&["amend", "a", "--payload", "no JSON"]).code(2);
    assert!(refused.stderr.contains("--content-type"), "{refused:?}");
    assert_eq!(place.run(&["show", "a", "--payload"]).ok().text(), "{}");
    place.run_with(&["amend", "a", "--payload", "-", "--content-type", "text/plain"], b"no JSON").ok();
    assert_eq!(place.run(&["show", "a", "--payload"]).ok().text(), "no JSON");
    for wrong in [&["amend", "a"][..], &["amend", "a", "--content-type", "text/plain"], &["amend"]] {
        place.run(wrong).code(2);
    }
    place.run(&["amend", "a", "--delay", "1h", "--at", "2030-01-01T00:00:00Z"]).code(2);
    place.run(&["amend", "nobody", "--priority", "1"]).code(3);
}

/// Each of them took the schedule as if it were a job.
#[test]
fn a_schedule_is_changed_by_its_own_command_and_by_none_of_jobs() {
    let place = place();
    place.run(&["schedule", "add", "nightly", "{}", "--every", "1h"]).ok();
    let schedule = "queue.schedule:nightly";
    for command in [
        &["delete", schedule][..],
        &["cancel", schedule],
        &["promote", schedule],
        &["redrive", schedule],
        &["amend", schedule, "--payload", "{}"],
        &["amend", schedule, "--priority", "1"],
        &["bulk", "delete", "--state", "scheduled", "--kind", "queue.schedule", "--yes"],
    ] {
        let refused = place.run(command).code(2);
        assert!(refused.stderr.contains("`queue schedule`"), "{command:?}: {refused:?}");
    }
    let seen = place.run(&["status", schedule, "--json"]).ok().object();
    assert_eq!((&seen["state"], &seen["revision"]), (&"queued".into(), &1.into()), "{seen}");
}

#[test]
fn a_pause_for_a_time_is_shown_with_its_end_and_a_resume_ends_it_before() {
    let place = place();
    place.run(&["migrate"]).ok();
    let paused = place.run(&["pause", "--for", "1h", "--json"]).ok().object();
    assert!(paused["until_ms"].is_u64(), "{paused}");
    for command in ["stats", "queues"] {
        let shown = place.run(&[command, "--json"]).ok().object();
        assert_eq!(shown["paused_until_ms"], paused["until_ms"], "{command}");
    }
    let queues = place.run(&["queues"]).ok();
    assert!(queues.text().contains("paused until 20"), "{queues:?}");
    assert_eq!(
        place.run(&["pause", "--until", "2126-12-24T18:00:00+01:00"]).ok().text(),
        "paused default until 2126-12-24T17:00:00Z\n",
        "the last pause counts"
    );
    place.run(&["resume"]).ok();
    assert_eq!(place.run(&["stats", "--json"]).code(3).text(), "", "nothing is left of it");
    place.run(&["pause", "--for", "0s"]).code(2);
    place.run(&["pause", "--for", "1h", "--until", "2126-12-24T18:00:00Z"]).code(2);
    place.run(&["pause", "--until", "tomorrow"]).code(2);
    place.run(&["pause", "--until", "2001-01-01T00:00:00Z"]).code(2);
}

#[test]
fn jobs_of_a_paused_kind_wait_while_others_are_done() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--kind", "mail"]).ok();
    place.run(&["enqueue", "y", "--id", "b", "--kind", "report"]).ok();
    assert_eq!(place.run(&["pause", "--kind", "mail"]).ok().text(), "paused kind mail of default\n");
    assert!(
        place
            .run(&["stats"])
            .ok()
            .text()
            .contains("The kind mail is paused until `queue resume --kind mail`")
    );
    let kinds = &place.run(&["queues", "--json"]).ok().object()["paused_kinds"];
    assert_eq!(*kinds, serde_json::json!([{"kind": "mail", "until_ms": null}]));
    let worker = place.start(&["work", "--exec", "cat", "--drain"]);
    place.run(&["wait", "b"]).ok();
    assert_eq!(place.run(&["status", "a", "--json"]).ok().object()["state"], "queued");
    assert_eq!(place.run(&["resume", "--kind", "mail"]).ok().text(), "resumed kind mail of default\n");
    assert_eq!(worker.wait().ok().text(), "completed 2 jobs\n", "it waited for the kind too");
    place.run(&["pause", "--kind", "mail", "--worker", "w"]).code(2);
}

#[test]
fn a_waiting_job_tells_which_pauses_it_waits_for() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--kind", "mail"]).ok();
    place.run(&["enqueue", "y", "--id", "b", "--kind", "report"]).ok();
    assert!(!place.run(&["status", "a"]).ok().text().contains("paused"));
    place.run(&["pause", "--kind", "mail"]).ok();
    for command in ["status", "show"] {
        let told = place.run(&[command, "a"]).ok();
        assert!(told.text().contains("its kind, until it is resumed"), "{told:?}");
        assert!(!place.run(&[command, "b"]).ok().text().contains("paused"), "another kind");
        let job = place.run(&[command, "a", "--json"]).ok().object();
        assert_eq!(job["pauses"], json!([{"of": "kind", "until_ms": null}]));
    }
    assert!(place.run(&["show", "a"]).ok().text().contains("due, but paused"));

    place.run(&["pause", "--kind", "mail", "--until", "2126-12-24T18:00:00Z"]).ok();
    place.run(&["pause", "--until", "2127-01-01T00:00:00Z"]).ok();
    let told = place.run(&["status", "a"]).ok();
    for words in ["its kind, until 2126-12-24T18:00:00Z", "its queue, until 2127-01-01T00:00:00Z"] {
        assert!(told.text().contains(words), "{words}: {told:?}");
    }
    let job = place.run(&["status", "a", "--json"]).ok().object();
    let pauses = json!([
        {"of": "queue", "until_ms": 4_954_435_200_000_i64},
        {"of": "kind", "until_ms": 4_953_808_800_000_i64},
    ]);
    assert_eq!(job["pauses"], pauses);

    place.run(&["cancel", "a"]).ok();
    let job = place.run(&["status", "a", "--json"]).ok().object();
    assert_eq!(job["pauses"], json!([]), "it waits no more");
}
