//! `queue events`, and answers that are repeated with `--watch`.

use crate::{place, stores};
use queue_e2e::{Process, until};
use rustix::process::Signal;
use serde_json::Value;

/// The output so far, without an incomplete last line.
fn objects(process: &Process) -> Vec<Value> {
    let text = String::from_utf8(process.stdout()).expect("text");
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    whole.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn changes_made_by_other_processes_are_followed() {
    let place = place();
    for store in &stores("watched") {
        place.run(&["migrate", "--store", store]).ok();
        let following = place.start(&["events", "--follow", "--json", "--store", store]);
        let told = |what: &str, id: &str| {
            until(what, || {
                objects(&following)
                    .iter()
                    .any(|event| event["id"] == id && event["event"] == what)
                    .then_some(())
            });
        };
        until("it follows", || {
            objects(&following).first().filter(|event| event["event"] == "following").map(|_| ())
        });
        place.run(&["enqueue", "x", "--id", "a", "--store", store]).ok();
        told("changed", "a");
        place.run(&["delete", "a", "--store", store]).ok();
        told("gone", "a");
        following.signal(Signal::INT);
        following.wait().ok();
        place.run(&["verify", "--store", store]).ok();
    }
}

#[test]
fn a_watched_answer_comes_again_until_it_is_interrupted() {
    let place = place();
    place.run(&["migrate"]).ok();
    for (command, path) in [(&["stats"][..], "total"), (&["list"], "id")] {
        let watching = place.start(&[command, &["--watch=100ms", "--json"]].concat());
        if command == ["stats"] {
            until("it shows an empty queue", || {
                objects(&watching).iter().any(|seen| seen["total"] == 0).then_some(())
            });
            place.run(&["enqueue", "x", "--id", "a"]).ok();
        }
        until("it shows the job", || {
            objects(&watching).iter().any(|seen| seen[path] == 1 || seen[path] == "a").then_some(())
        });
        watching.signal(Signal::INT);
        watching.wait().ok();
    }
    let watching = place.start(&["stats", "--watch=100ms"]);
    until("it shows a second table", || {
        let text = String::from_utf8(watching.stdout()).expect("text");
        (text.matches("STATE").count() > 1).then_some(())
    });
    watching.signal(Signal::TERM);
    watching.wait().ok();
    assert!(place.run(&["stats", "--watch=1ms"]).code(2).stderr.contains("at least 100ms"));
}

#[test]
fn the_last_hour_is_in_a_watched_answer_and_in_the_object() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--kind", "mail"]).ok();
    place.run(&["work", "--exec", "true", "--drain"]).ok();
    let hour = place.run(&["stats", "--json"]).ok().object()["last_hour"].clone();
    assert_eq!((&hour["kinds"][0]["kind"], &hour["kinds"][0]["completed"]), (&"mail".into(), &1.into()));
    assert_eq!(hour["slots"][0]["completed"], 1);
    let attempts_by_run_time = hour["slots"][0]["run_buckets"].as_array().expect("a list");
    assert_eq!(attempts_by_run_time.iter().filter_map(serde_json::Value::as_u64).sum::<u64>(), 1);
    assert_eq!(hour["unreadable_entries"], 0);
    assert!(!place.run(&["stats"]).ok().text().contains("completed a minute"));

    let watching = place.start(&["stats", "--watch=100ms"]);
    until("it shows the work of the last hour", || {
        let text = String::from_utf8(watching.stdout()).expect("text");
        (text.contains("completed a minute") && text.contains("run, p50 / p95 / p99")).then_some(())
    });
    watching.signal(Signal::INT);
    watching.wait().ok();
}
