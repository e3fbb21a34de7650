//! Workers that are listed, and asked to end from another shell.

use crate::place;
use queue_e2e::until;
use serde_json::Value;

#[test]
fn a_worker_tells_what_it_runs_and_drains_when_it_is_asked() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "long"]).ok();
    place.run(&["enqueue", "y", "--id", "next"]).ok();
    let exec = "touch started; while [ ! -e go ]; do sleep 0.05; done; cat";
    let worker = place.start(&["work", "--exec", exec, "--concurrency", "1", "--json"]);
    until("it runs", || place.path().join("started").exists().then_some(()));
    // The worker announces what it holds within ten seconds.
    let shown = until("it tells of its job", || {
        let workers = place.run(&["workers", "--json"]).ok().objects();
        workers.into_iter().find(|worker| worker["about"]["jobs"][0]["id"] == "long")
    });
    assert_eq!((&shown["draining"], &shown["concurrency"]), (&Value::from(false), &Value::from(1)));
    assert_eq!(shown["about"]["queues"][0]["name"], "default");
    assert!(shown["up_ms"].is_u64() && shown["about"]["pid"].is_u64(), "{shown}");
    let id = shown["id"].as_str().expect("a name");
    let asked = place.run(&["drain", id, "--json"]).ok().object();
    assert_eq!((&asked["worker"], &asked["answer"]), (&id.into(), &"asked".into()));
    let table = place.run(&["workers"]).ok();
    assert!(table.text().contains("drains") && table.text().contains("1 of 1"), "{table:?}");
    until("it heard", || String::from_utf8_lossy(&worker.stdout()).contains("draining").then_some(()));
    std::fs::write(place.path().join("go"), "").expect("there is room");
    let ended = worker.wait().ok();
    assert!(String::from_utf8_lossy(&ended.stdout).contains("\"completed\":1"), "{ended:?}");
    assert_eq!(place.run(&["status", "next", "--json"]).ok().object()["state"], "queued");
    assert_eq!(place.run(&["workers", "--json"]).ok().objects(), Vec::<Value>::new());
    let gone = place.run(&["drain", id]).code(3);
    assert_eq!(gone.stderr, format!("error: there is no worker {id:?} in this store\n"));
}

#[test]
fn a_worker_pauses_when_it_is_asked_and_goes_on_when_it_is_resumed() {
    let place = place();
    place.run(&["migrate"]).ok();
    let worker = place.start(&["work", "--exec", "cat", "--json"]);
    let shown = until("it announces itself", || place.run(&["workers", "--json"]).ok().objects().pop());
    let id = shown["id"].as_str().expect("a name");
    assert_eq!(place.run(&["pause", "--worker", id]).ok().text(), format!("asked {id} to pause\n"));
    let table = place.run(&["workers"]).ok();
    assert!(table.text().contains("pauses"), "{table:?}");
    let says = |what: &str| String::from_utf8_lossy(&worker.stdout()).contains(what).then_some(());
    until("it heard", || says("\"paused\""));
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    assert_eq!(place.run(&["status", "a", "--json"]).ok().object()["state"], "queued");
    assert_eq!(place.run(&["resume", "--worker", id]).ok().text(), format!("asked {id} to work\n"));
    until("it goes on", || says("\"resumed\""));
    place.run(&["wait", "a"]).ok();
    place.run(&["drain", id]).ok();
    let refused = place.run(&["resume", "--worker", id]);
    assert!([1, 3].contains(&refused.code), "it drains, or is gone: {refused:?}");
    worker.wait().ok();
    place.run(&["pause", "--worker", id]).code(3);
}
