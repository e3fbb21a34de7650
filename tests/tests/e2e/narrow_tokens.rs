//! `--server` with tokens that do not open the store: which command needs which scope, and that
//! what it prints is the same as over the store.

use crate::{
    place,
    remote_working::{keep, with},
    serving::{Served, token},
};
use queue_e2e::{CommandDirectory, CommandRun};
use serde_json::Value;

/// The tokens of the table, each with its scopes; the file of each has its name.
const TOKENS: [(&str, &[&str]); 5] = [
    ("produce", &["produce"]),
    ("view", &["view"]),
    ("see", &["view", "payload"]),
    ("operate", &["operate"]),
    ("work", &["work"]),
];

/// Each command with the tokens that are enough for it, and the scope that every other one lacks.
/// `show` asks for the job first, and then for what it carries.
const TABLE: [(&[&str], &[&str], &str); 22] = [
    (&["enqueue", "x", "--id", "new"], &["produce"], "produce"),
    (&["enqueue", "--lines", "lines.txt"], &["produce"], "produce"),
    (&["enqueue", "x", "--id", "done", "--wait"], &["produce"], "produce"),
    (&["enqueue", "x", "--id", "put-off", "--debounce", "1h"], &["produce"], "produce"),
    (&["wait", "done"], &["produce"], "produce"),
    (&["result", "done"], &["produce"], "produce"),
    (&["status", "done"], &["view", "see"], "view"),
    (&["show", "done"], &["see"], "view"),
    (&["list"], &["view", "see"], "view"),
    (&["list", "--state", "failed", "--kind", "letter"], &["view", "see"], "view"),
    (&["list", "--state", "due", "--since", "1h"], &["view", "see"], "view"),
    (&["errors"], &["view", "see"], "view"),
    (&["stats"], &["view", "see"], "view"),
    (&["queues"], &["view", "see"], "view"),
    (&["workers"], &["view", "see"], "view"),
    (&["limits", "ls"], &["view", "see"], "view"),
    (&["partitions", "--sort", "fullest"], &["view", "see"], "view"),
    (&["limits", "set", "--each", "--running", "3", "--weight", "1"], &["operate"], "operate"),
    (&["limits", "rm", "--each"], &["operate"], "operate"),
    (&["cancel", "waits"], &["operate"], "operate"),
    (&["pause"], &["operate"], "operate"),
    (&["resume", "--kind", "letter"], &["operate"], "operate"),
];

fn service(place: &CommandDirectory) -> Served {
    place.run(&["token", "rotate-key", "--key-file", "keys.json", "--after", "0s"]).ok();
    for (name, scopes) in TOKENS {
        keep(place, name, &token(place, scopes));
    }
    let all =
        place.run(&["token", "new", "--tokens", "tokens.json", "--queue", "*", "--scope", "store"]).ok();
    keep(place, "store", String::from_utf8_lossy(&all.stdout).trim());
    Served::start(place, &["--tokens", "tokens.json", "--key-file", "keys.json"])
}

/// Jobs in several states.
fn fill(place: &CommandDirectory) {
    let fill = |arguments: &[&str]| place.run(&[arguments, &["--queue", "mail"]].concat()).ok();
    fill(&[
        "enqueue",
        "\"a\\u0000\"",
        "--id",
        "done",
        "--tag",
        "t",
        "--header",
        "k=v",
        "--max-attempts",
        "7",
    ]);
    fill(&["enqueue", "x", "--id", "bad", "--kind", "letter", "--max-attempts", "1", "--expires-in", "1h"]);
    let script = r#"case "$QUEUE_ID" in bad) echo no >&2; exit 3;; *) printf '{"n": 1.50}';; esac"#;
    let worked = place.run(&["work", "--exec", script, "--drain", "--poll", "50ms", "--queue", "mail"]);
    assert_eq!(worked.code, 1, "one failed: {}", worked.stderr);
    fill(&["enqueue", "x", "--id", "waits"]);
    fill(&["enqueue", "x", "--id", "later", "--delay", "1h", "--time-limit", "5s", "--ttl", "forever"]);
    fill(&["pause"]);
}

#[test]
fn each_command_needs_its_scope_and_the_refusal_names_the_one_that_lacks() {
    let place = place();
    let served = service(&place);
    let url = format!("http://{}", served.address());
    fill(&place);
    std::fs::write(place.path().join("lines.txt"), "one\ntwo\n").expect("there is room");
    for (command, enough, scope) in TABLE {
        for (token, scopes) in TOKENS {
            let ran = place.run(&with(&url, token, command));
            if enough.contains(&token) {
                assert_eq!(ran.code, 0, "{command:?} with {token}: {}", ran.stderr);
                continue;
            }
            // Of two scopes the first that lacks is named.
            let lacks = if scopes.contains(&scope) { "payload" } else { scope };
            assert_eq!(ran.code, 2, "{command:?} with {token}: {ran:?}");
            let refusal = format!("the token lacks the scope {lacks}\n");
            assert!(ran.stderr.ends_with(&refusal), "{command:?} with {token}: {}", ran.stderr);
        }
        place.run(&with(&url, "store", command)).ok();
    }
    // What needs the store says so.
    for command in [&["redrive", "--state", "failed"][..], &["verify"], &["prune", "--everything", "--yes"]] {
        let refused = place.run(&with(&url, "produce", command)).code(2);
        assert!(refused.stderr.contains("the token lacks the scope store"), "{command:?} {}", refused.stderr);
    }
    // A queue that the token does not reach, and a reserved one.
    let elsewhere = ["list", "--server", &url, "--token-file", "view", "--queue", "billing"];
    let refused = place.run(&elsewhere).code(2);
    assert!(refused.stderr.contains("the token does not reach this queue"), "{}", refused.stderr);
}

#[test]
fn a_service_without_tokens_serves_the_same_commands_and_speaks_of_no_token() {
    let place = place();
    let served = Served::start(&place, &["--no-auth"]);
    let url = format!("http://{}", served.address());
    fill(&place);
    std::fs::write(place.path().join("lines.txt"), "one\ntwo\n").expect("there is room");
    let at = |command: &[&str]| place.run(&[command, &["--queue", "mail", "--server", &url]].concat());
    for (command, ..) in TABLE {
        at(command).ok();
    }
    place.run_where(("QUEUE_SERVER", &url), &["stats", "--queue", "mail"]).ok();
    for command in
        [&["redrive", "--state", "failed"][..], &["verify"], &["doctor"], &["cancel", "--tag", "t"]]
    {
        let refused = at(command);
        assert_ne!(refused.code, 0, "{command:?}");
        assert!(!refused.stderr.contains("token"), "{command:?} {}", refused.stderr);
        assert!(
            refused.stderr.contains("use `--store` where the store is"),
            "{command:?} {}",
            refused.stderr
        );
    }
}

/// The objects of an answer without what depends on when it was read, and without the series, which
/// only a store has.
fn objects(run: CommandRun) -> Vec<Value> {
    let mut objects = run.ok().objects();
    for object in &mut objects {
        let object = object.as_object_mut().expect("an object");
        let moving = ["now_ms", "wait_ms", "run_ms", "oldest_due_age_ms", "last_hour", "per_minute"];
        for key in moving {
            object.remove(key);
        }
    }
    objects
}

#[test]
fn what_a_command_prints_is_the_same_over_the_service_and_over_the_store() {
    let place = place();
    let served = service(&place);
    let url = format!("http://{}", served.address());
    fill(&place);
    let over = |token: &str, command: &[&str]| {
        objects(place.run(&with(&url, token, &[command, &["--json"]].concat())))
    };
    for command in [
        &["status", "done"][..],
        &["status", "bad"],
        &["show", "done"],
        &["show", "bad"],
        &["show", "later"],
        &["list"],
        &["list", "--oldest-first"],
        &["list", "--state", "failed", "--state", "scheduled"],
        &["list", "--state", "scheduled"],
        &["list", "--tag", "t"],
        &["errors"],
        &["stats"],
        &["queues"],
    ] {
        let (narrow, whole) = (over("see", command), over("store", command));
        assert!(!whole.is_empty(), "{command:?}");
        assert_eq!(narrow, whole, "{command:?}");
    }
    for command in [&["wait", "done"][..], &["result", "done"]] {
        assert_eq!(over("produce", command), over("store", command), "{command:?}");
    }
    for command in [&["result", "bad"][..], &["wait", "nowhere"], &["result", "waits"], &["wait", "bad"]] {
        let [narrow, whole] = ["produce", "store"].map(|token| place.run(&with(&url, token, command)));
        assert_eq!((narrow.code, &narrow.stderr), (whole.code, &whole.stderr), "{command:?}");
        assert_ne!(narrow.code, 0, "{command:?}");
    }
}

#[test]
fn an_enqueue_over_the_service_stores_every_option_and_answers_as_the_store_does() {
    let place = place();
    let served = service(&place);
    let url = format!("http://{}", served.address());
    let options = [
        "--kind",
        "letter",
        "--priority",
        "-3",
        "--delay",
        "1h",
        "--tag",
        "t",
        "--header",
        "k=v",
        "--max-attempts",
        "4",
        "--time-limit",
        "5s",
        "--json",
    ];
    let enqueue = |token: &str, id: &str| {
        let command = [&["enqueue", "{\"n\": 1.50}", "--id", id][..], &options].concat();
        place.run(&with(&url, token, &command)).ok().objects().remove(0)
    };
    let answer = enqueue("produce", "narrow");
    assert_eq!((answer["answer"].as_str(), answer["id"].as_str()), (Some("queued"), Some("narrow")));
    enqueue("store", "whole");
    let shown = |id: &str| {
        let mut shown = objects(place.run(&with(&url, "store", &["show", id, "--json"]))).remove(0);
        let object = shown.as_object_mut().expect("an object");
        for key in ["id", "seq", "created_at_ms", "run_at_ms", "entered_at_ms"] {
            object.remove(key);
        }
        shown
    };
    assert_eq!(shown("narrow"), shown("whole"));
    let again = enqueue("produce", "narrow");
    assert_eq!((again["answer"].as_str(), again["state"].as_str()), (Some("duplicate"), Some("queued")));
    assert!(again.get("payload_differs").is_none(), "a producer may not read payloads: {again}");
    let reserved = ["enqueue", "x", "--server", &url, "--token-file", "produce", "--queue", "queue.mine"];
    let refused = place.run(&reserved).code(2);
    assert!(refused.stderr.contains("belongs to the library"), "{}", refused.stderr);
}

#[test]
fn a_token_to_operate_changes_one_job_and_pauses_as_the_store_does() {
    let place = place();
    let served = service(&place);
    let url = format!("http://{}", served.address());
    fill(&place);
    let over = |command: &[&str]| place.run(&with(&url, "operate", command));
    let seen = |id: &str| objects(place.run(&with(&url, "store", &["status", id, "--json"]))).remove(0);
    assert_eq!(over(&["redrive", "bad"]).ok().text(), "queued bad\n");
    assert_eq!(seen("bad")["state"], "queued");
    let refused = over(&["redrive", "done"]).code(1);
    assert!(refused.stderr.contains("is completed; only failed"), "{refused:?}");
    assert_eq!(over(&["promote", "later"]).ok().text(), "later is due now\n");
    assert_eq!(seen("later")["scheduled"], false);
    assert_eq!(over(&["delete", "later"]).ok().text(), "deleted later\n");
    over(&["delete", "later"]).code(3);
    over(&["resume"]).ok();
    over(&["pause", "--kind", "letter"]).ok();
    let queues = place.run(&with(&url, "store", &["queues"])).ok();
    assert!(queues.text().contains("letter") && !queues.text().contains("paused,"), "{queues:?}");
    // How long a pause lasts is counted by the time of the store, which a viewer may ask for.
    let refused = over(&["pause", "--for", "10m"]).code(2);
    assert!(refused.stderr.contains("the token lacks the scope view"), "{refused:?}");
}
