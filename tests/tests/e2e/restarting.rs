//! A service that is started again: what was handed out before is settled after it.

use crate::{
    place,
    remote_working::{keep, with},
    serving::{Served, token},
};
use queue_e2e::{CommandDirectory, CommandRun, until};
use serde_json::Value;
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
};

const ACCESS: [&str; 2] = ["--tokens", "tokens.json"];
const JOB: &str = r#"{"jobs":[{"id":"a","payload":1}]}"#;
const CLAIM: &str = r#"{"worker":"w","claim_id":"5f0c6a0e9b1d4c7f8a2b3c4d5e6f7081","limit":5}"#;
const NEXT_CLAIM: &str = r#"{"worker":"w","claim_id":"5f0c6a0e9b1d4c7f8a2b3c4d5e6f7082","limit":5}"#;

/// What the server says of an item with this receipt.
fn settled(server: &Served, token: &str, receipt: &Value) -> Value {
    let items = format!(r#"{{"items":[{{"receipt":{receipt},"complete":{{}}}}]}}"#);
    server.call(token, "POST /v1/settle", &items).1["items"][0].clone()
}

/// The receipt of the only job that is due.
fn claimed(server: &Served, token: &str) -> Value {
    assert_eq!(server.call(token, "POST /v1/queues/mail/jobs", JOB).0, 200);
    let (status, claimed) = server.call(token, "POST /v1/queues/mail/claim", CLAIM);
    assert_eq!(status, 200, "{claimed}");
    claimed["jobs"][0]["receipt"].clone()
}

#[test]
fn a_job_that_is_held_over_a_restart_of_the_service_is_settled_and_runs_once() {
    for (store, key_file) in [("sqlite:jobs.db", "jobs.db.keys.json"), ("file:jobs", "jobs.keys.json")] {
        let place = place();
        let token = token(&place, &["produce", "work", "view"]);
        let options = [&ACCESS[..], &["--store", store]].concat();
        let first = Served::start(&place, &options);
        let receipt = claimed(&first, &token);
        first.kill();
        let again = Served::start(&place, &options);
        assert_eq!(settled(&again, &token, &receipt)["outcome"], "done", "{store}");
        let (_, job) = again.call(&token, "GET /v1/queues/mail/jobs/a", "");
        assert_eq!((&job["state"], &job["epoch"]), (&Value::from("completed"), &Value::from(1)), "{store}");
        let (_, none) = again.call(&token, "POST /v1/queues/mail/claim", NEXT_CLAIM);
        assert_eq!(none["jobs"].as_array().map(Vec::len), Some(0), "{none}");
        let made = fs::metadata(place.path().join(key_file)).expect("it is beside the store");
        assert_eq!(made.mode() & 0o777, 0o600);
    }
}

#[test]
fn a_server_says_where_its_keys_are_and_takes_no_file_that_others_can_read() {
    let place = place();
    let listening = |arguments: &[&str]| {
        let process = place
            .start(&[&["serve", "--create", "--no-auth", "--listen", "127.0.0.1:0"], arguments].concat());
        let told = until("it told of its keys", || {
            Some(process.stderr()).filter(|told| told.contains("keys of") || told.contains("key made up"))
        });
        process.kill();
        told
    };
    assert!(listening(&[]).contains("queue.db.keys.json"));
    assert!(listening(&["--store", "memory:"]).contains("warning"));
    let path = place.path().join("queue.db.keys.json");
    let before = fs::read(&path).expect("it was made");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("ours");
    let refused = place.run(&["serve", "--no-auth", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("chmod 600"), "{}", refused.stderr);
    assert_eq!(fs::read(&path).expect("it stays"), before);
}

#[test]
fn a_receipt_of_another_key_is_refused_with_what_to_do() {
    let place = place();
    let token = token(&place, &["produce", "work"]);
    let first = Served::start(&place, &ACCESS);
    let receipt = claimed(&first, &token);
    first.kill();
    fs::remove_file(place.path().join("queue.db.keys.json")).expect("it is beside the store");
    let other = Served::start(&place, &ACCESS);
    let item = settled(&other, &token, &receipt);
    let problem = &item["problem"];
    assert_eq!((&item["outcome"], &problem["reason"]), (&"refused".into(), &"other_key".into()), "{item}");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("--key-file")), "{item}");
    let extend = format!(r#"{{"items":[{{"receipt":{receipt},"by_ms":30000}}]}}"#);
    let (_, extended) = other.call(&token, "POST /v1/extend", &extend);
    assert_eq!(extended["items"][0]["problem"]["reason"], "other_key", "{extended}");
}

/// A worker with a command that ends once the service is there again, after `between`.
fn over_a_restart(place: &CommandDirectory, token: &str, between: impl FnOnce()) -> (Served, CommandRun) {
    keep(place, "work.token", token);
    let first = Served::start(place, &ACCESS);
    let address = first.address().to_owned();
    let url = format!("http://{address}");
    assert_eq!(first.call(token, "POST /v1/queues/mail/jobs", JOB).0, 200);
    let script = "echo run >> runs; while [ ! -e go ]; do sleep 0.05; done";
    let worker = place.start(&with(&url, "work.token", &["work", "--exec", script, "--drain"]));
    until("it started", || place.path().join("runs").exists().then_some(()));
    first.kill();
    between();
    let again = Served::start_at(place, &address, &ACCESS);
    write(place, "go");
    (again, worker.wait())
}

#[test]
fn a_worker_whose_outcome_was_refused_says_so_and_ends_with_five() {
    let place = place();
    let token = token(&place, &["produce", "work"]);
    let remove = || fs::remove_file(place.path().join("queue.db.keys.json")).expect("it is there");
    let (_served, ended) = over_a_restart(&place, &token, remove);
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    let refused = ended.stderr.lines().find(|line| line.contains("an outcome was refused"));
    assert!(refused.is_some_and(|line| line.contains("--key-file") && !line.contains("trying again")));
    assert!(ended.stderr.contains("could not store the outcome of a; it will run again"), "{}", ended.stderr);
}

#[test]
fn a_command_that_runs_over_a_restart_of_the_service_runs_once() {
    let place = place();
    let token = token(&place, &["produce", "work", "view"]);
    let (again, ended) = over_a_restart(&place, &token, || ());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(fs::read_to_string(place.path().join("runs")).expect("it ran"), "run\n");
    let (_, job) = again.call(&token, "GET /v1/queues/mail/jobs/a", "");
    assert_eq!((&job["state"], &job["stalls"]), (&"completed".into(), &0.into()), "{job}");
}

#[test]
fn a_server_whose_store_was_moved_away_and_back_ends_to_be_started_again() {
    let place = place();
    let served = Served::start(&place, &["--no-auth"]);
    let ready = |served: &Served| served.call("none", "GET /readyz", "");
    assert_eq!(ready(&served).0, 200);
    let (here, away) = (place.path().join("queue.db"), place.path().join("away.db"));
    fs::rename(&here, &away).expect("ours");
    // It looks once a second whether its files are in their place, also without calls.
    until("the store has closed", || served.stderr().contains("store_closed").then_some(()));
    fs::rename(&away, &here).expect("ours");
    let ended = served.wait();
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    assert!(ended.stderr.contains("open the store again"), "{}", ended.stderr);
    assert_eq!(ready(&Served::start(&place, &["--no-auth"])).0, 200);
}

fn write(place: &CommandDirectory, name: &str) {
    fs::write(place.path().join(name), "").expect("there is room");
}
