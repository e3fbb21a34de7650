//! A job as a whole: its payload, its result, and making it due.

use crate::place;
use queue::{JobOptions, Queue, open};
use serde_json::json;

#[test]
fn a_payload_is_shown_byte_for_byte_in_every_state() {
    let place = place();
    place.run_with(&["enqueue", "-", "--id", "a"], b"one\n\x1b[31m\xff\0").ok();
    let read = || place.run(&["show", "a", "--payload"]).ok().stdout;
    assert_eq!(read(), b"one\n\x1b[31m\xff\0");
    place.run(&["work", "--exec", "exit 65", "--drain"]).code(1);
    assert_eq!(read(), b"one\n\x1b[31m\xff\0");
    let object = place.run(&["show", "a", "--payload", "--json"]).ok().object();
    assert_eq!(
        object,
        json!({"id": "a", "payload": {"content_type": "text/plain", "base64": "b25lChtbMzFt/wA="}})
    );
    place.run(&["show", "b", "--payload"]).code(3);
    place.run(&["show", "b"]).code(3);
    place.run(&["show", "a", "--raw"]).code(2);
}

#[test]
fn a_job_is_shown_with_all_that_belongs_to_it() {
    let place = place();
    place.run(&["enqueue", "hello", "--id", "a"]).ok();
    place.run(&["work", "--exec", "tr a-z A-Z", "--drain"]).ok();
    let shown = place.run(&["show", "a"]).ok();
    for words in ["completed", "text/plain, 5 bytes: hello", "text/plain, 5 bytes: HELLO"] {
        assert!(shown.text().contains(words), "no {words:?} in\n{}", shown.text());
    }
    let object = place.run(&["show", "a", "--json"]).ok().object();
    assert_eq!((&object["state"], &object["payload"]["text"]), (&"completed".into(), &"hello".into()));
    assert_eq!(
        (&object["result"]["text"], &object["result"]["content_type"]),
        (&"HELLO".into(), &"text/plain".into())
    );
}

#[test]
fn json_is_marked_as_json_unless_another_type_is_named() {
    let place = place();
    for (payload, arguments, content_type) in [
        ("{\"to\": \"ada\"}", &[][..], "application/json"),
        ("[1,2]", &[], "application/json"),
        ("\"ada\"", &[], "application/json"),
        ("ada", &[], "text/plain"),
        ("{to: ada}", &[], "text/plain"),
        ("{}", &["--content-type", "text/x-braces"], "text/x-braces"),
    ] {
        place.run(&[&["enqueue", payload, "--id", payload], arguments].concat()).ok();
        let object = place.run(&["show", payload, "--json"]).ok().object();
        assert_eq!(object["payload"]["content_type"], content_type, "{payload}");
    }
    place.run_with(&["enqueue", "--lines", "-", "--ids", "payload"], b"{\"n\":1}\nplain\n").ok();
    for (id, content_type) in [("{\"n\":1}", "application/json"), ("plain", "text/plain")] {
        let object = place.run(&["show", id, "--json"]).ok().object();
        assert_eq!(object["payload"]["content_type"], content_type, "{id}");
    }
}

#[tokio::test]
async fn a_program_reads_the_json_that_a_shell_enqueued() {
    let place = place();
    place.run(&["enqueue", "{\"n\": 1}", "--id", "a"]).ok();
    let jobs: Queue<serde_json::Value> = Queue::new(open(&place.url()).await.unwrap(), "default").unwrap();
    assert_eq!(jobs.payload("a").await.unwrap(), Some(json!({"n": 1})));
    jobs.enqueue_with("b", json!([1, "two"]), JobOptions::new()).await.unwrap();
    assert_eq!(place.run(&["show", "b", "--payload"]).ok().text(), "[1,\"two\"]");
}

#[test]
fn a_delayed_job_is_made_due() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--delay", "1h"]).ok();
    assert_eq!(place.run(&["status", "a", "--json"]).ok().object()["scheduled"], true);
    assert_eq!(place.run(&["promote", "a"]).ok().text(), "a is due now\n");
    assert_eq!(place.run(&["status", "a", "--json"]).ok().object()["scheduled"], false);
    place.run(&["work", "--exec", "cat", "--drain"]).ok();
    assert!(place.run(&["promote", "a"]).code(1).stderr.contains("is completed"));
    place.run(&["promote", "b"]).code(3);
}

#[test]
fn a_sound_store_is_verified() {
    let place = place();
    for store in ["sqlite:queue.db", "file:jobs"] {
        place.run(&["enqueue", "x", "--store", store]).ok();
        assert_eq!(place.run(&["verify", "--store", store]).ok().text(), "The store is sound.\n");
        let object = place.run(&["verify", "--store", store, "--json"]).ok().object();
        assert_eq!(object, json!({"sound": true, "findings": []}));
    }
}

#[test]
fn what_does_not_add_up_is_told_and_changes_nothing() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    let file = rusqlite::Connection::open(place.path().join("queue.db")).unwrap();
    file.execute("UPDATE queue_count SET jobs = jobs + 1 WHERE slot = 0", []).unwrap();
    let ran = place.run(&["verify"]).code(6);
    assert!(ran.text().ends_with("The store is damaged: 1 finding above.\n"), "{ran:?}");
    let object = place.run(&["verify", "--json"]).code(6).object();
    assert_eq!((&object["sound"], object["findings"].as_array().map(Vec::len)), (&false.into(), Some(1)));
}

#[test]
fn a_dump_is_words_or_objects() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--store", "file:jobs"]).ok();
    let words = place.run(&["dump", "jobs"]).ok();
    assert!(words.text().contains("    put default/\"a\" life 1 kind default queued"), "{}", words.text());
    let entries = place.run(&["dump", "jobs", "--json"]).ok().objects();
    let put = entries.iter().find(|entry| entry["entry"] == "change").expect("a job was put");
    assert!(
        put["words"].as_str().is_some_and(|words| words.starts_with("put default/\"a\" life 1")),
        "{put}"
    );
    assert!(put["record"].is_u64() && put["offset"].is_u64(), "{put}");
}
