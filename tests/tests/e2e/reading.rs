//! The commands that read: `result`, `wait`, `status`, `list` and `stats`.

use crate::place;
use queue_e2e::CommandDirectory;

/// One job in each of four states: completed `done`, failed `bad`, cancelled `off`, queued `new`.
fn four_jobs() -> CommandDirectory {
    let place = place();
    place.run(&["enqueue", "x", "--id", "done"]).ok();
    place.run(&["enqueue", "y", "--id", "bad", "--kind", "odd"]).ok();
    place
        .run(&["work", "--exec", "test $QUEUE_ID = done || { echo broken >&2; exit 65; }; cat", "--drain"])
        .code(1);
    place.run(&["enqueue", "z", "--id", "off"]).ok();
    place.run(&["cancel", "off"]).ok();
    place.run(&["enqueue", "z", "--id", "new"]).ok();
    place
}

#[test]
fn result_and_wait_tell_every_outcome_by_exit_code() {
    let place = four_jobs();
    for (id, code, words, outcome) in [
        ("done", 0, "", "completed"),
        ("bad", 1, "failed (terminal): Exit65: exit status: 65: broken", "failed"),
        ("off", 1, "was cancelled", "cancelled"),
        ("new", 4, "is queued, not finished", "unfinished"),
        ("nobody", 3, "is not in the queue \"default\"", "unknown"),
    ] {
        for command in [&["result", id][..], &["wait", id, "--timeout", "0s"]] {
            let ran = place.run(command).code(code);
            assert_eq!(ran.text(), if id == "done" { "x" } else { "" });
            assert!(ran.stderr.contains(words), "{id}: {ran:?}");
            let object = place.run(&[command, &["--json"]].concat()).code(code).object();
            assert_eq!((&object["id"], &object["outcome"]), (&id.into(), &outcome.into()));
        }
    }
}

#[test]
fn status_shows_a_job_to_people_and_programs() {
    let place = four_jobs();
    let text = place.run(&["status", "bad"]).ok();
    for words in ["failed (terminal)", "odd", "1 of 25", "broken"] {
        assert!(text.text().contains(words), "{text:?}");
    }
    let job = place.run(&["status", "bad", "--json"]).ok().object();
    assert_eq!((&job["state"], &job["reason"]), (&"failed".into(), &"terminal".into()));
    assert_eq!(job["error"]["message"], "exit status: 65: broken");
    let ran = place.run(&["status", "nobody"]).code(3);
    assert_eq!(ran.stderr, "error: there is no job \"nobody\" in the queue \"default\"\n");
    let ran = place.run(&["status", "nobody", "--json"]).code(3);
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(error["exit"], 3);
}

#[test]
fn list_filters_and_stops_at_its_limit() {
    let place = four_jobs();
    let ids = |arguments: &[&str]| {
        let listed = place.run(&[&["list", "--json"], arguments].concat()).ok().objects();
        listed.iter().map(|job| job["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&[]), ["new", "off", "bad", "done"]);
    assert_eq!(ids(&["--oldest-first"]), ["done", "bad", "off", "new"]);
    assert_eq!(ids(&["--state", "failed", "--state", "queued"]), ["new", "bad"]);
    assert_eq!(ids(&["--kind", "odd"]), ["bad"]);
    assert_eq!(ids(&["--limit", "2"]), ["new", "off"]);
    assert_eq!(ids(&["--state", "due"]), ["new"]);
    assert_eq!(ids(&["--state", "scheduled"]), Vec::<String>::new());
    assert_eq!(ids(&["--id-prefix", "o"]), ["off"]);
    assert_eq!(ids(&["--state", "failed", "--since", "1h"]), ["bad"]);
    assert_eq!(ids(&["--state", "failed", "--until", "1h"]), Vec::<String>::new());
    assert_eq!(ids(&["--worker", "nobody"]), Vec::<String>::new());
    place.run(&["list", "--state", "due", "--oldest-first"]).code(2);
    place.run(&["list", "--since", "1h", "--until", "2h"]).code(2);
    let table = place.run(&["list", "--limit", "2", "--oldest-first"]).ok();
    let lines: Vec<&str> = table.text().lines().collect();
    assert!(lines[0].starts_with("ID") && lines[1].starts_with("done  ") && lines.len() == 3, "{table:?}");
    assert!(table.stderr.contains("raise --limit"), "{table:?}");
}

#[test]
fn stats_count_every_state() {
    let place = four_jobs();
    let stats = place.run(&["stats", "--json"]).ok().object();
    for (state, count) in [
        ("completed", 1),
        ("failed", 1),
        ("cancelled", 1),
        ("queued", 1),
        ("processing", 0),
        ("failing", 0),
        ("total", 4),
    ] {
        assert_eq!(stats[state], count, "{state}: {stats}");
    }
    assert!(place.run(&["stats"]).ok().text().contains("total"));
}

#[test]
fn stats_of_a_queue_that_is_not_there_say_so() {
    let place = four_jobs();
    let ran = place.run(&["stats", "--queue", "defualt"]).code(3);
    assert_eq!(
        ran.stderr,
        "error: there is no queue \"defualt\" in this store: it has no job and no worker, and is not paused\n"
    );
    let ran = place.run(&["stats", "--queue", "defualt", "--json"]).code(3);
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!((&error["exit"], ran.stdout.is_empty()), (&3.into(), true));
}

#[test]
fn stats_show_the_workers_that_are_present() {
    let place = place();
    place.run(&["migrate"]).ok();
    let worker = place.start(&["work", "--exec", "cat", "--concurrency", "7"]);
    let shown = queue_e2e::until("the worker announces itself", || {
        let stats = place.run(&["stats", "--json"]);
        (stats.code == 0).then(|| stats.object()["workers"][0].clone()).filter(serde_json::Value::is_object)
    });
    assert_eq!(shown["concurrency"], 7);
    assert!(place.run(&["stats"]).ok().text().contains("WORKER"));
    worker.kill();
}
