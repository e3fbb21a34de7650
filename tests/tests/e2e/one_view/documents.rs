//! A job, a queue, what workers counted of it, a worker, a schedule and an operation are one
//! document each: the command and `/v1` show the same keys with the same values. The clients return
//! what `/v1` answers.

use super::{COUNTED, Faces, STORED, WORKER};
use serde_json::{Map, Value, json};

/// What grows while one face is asked after the other.
const GROWING: [&str; 3] = ["now_ms", "wait_ms", "run_ms"];

pub(super) fn every_job_is_one_document(faces: &Faces<'_>) {
    let listed = faces.run(&["list", "--json", "--limit", "1000"].map(str::to_owned)).ok().objects();
    for job in STORED {
        let path = format!("GET /v1/queues/mail/jobs/{}", job.id);
        let v1 = faces.get(&path);
        let shown = faces.run(&["show", job.id, "--json"].map(str::to_owned)).ok().object();
        let mut whole = v1.clone();
        whole.extend(faces.get(&format!("{path}/body")));
        assert_eq!(still(object(shown)), still(whole), "queue show {}", job.id);
        let status = faces.run(&["status", job.id, "--json"].map(str::to_owned)).ok().object();
        assert_eq!(still(object(status)), still(v1.clone()), "queue status {}", job.id);

        let row = listed.iter().find(|row| row["id"] == job.id).expect("it is listed");
        let mut row_of_v1 = v1;
        for key in ["pauses", "attempt_log"] {
            row_of_v1.remove(key);
        }
        assert_eq!(still(object(row.clone())), still(row_of_v1), "queue list {}", job.id);
    }
}

/// A schedule and an operation that the command makes, the worker of the service that runs the
/// operation, and what a worker counted of a queue.
pub(super) fn everything_else_is_one_document(faces: &Faces<'_>) {
    faces.command_of(&["schedule", "add", "nightly", "report", "--cron", "0 3 * * *", "--json"]);
    let listed = faces.command_of(&["schedule", "ls", "--json"]).remove(0);
    let answer = faces.get("GET /v1/queues/mail/schedules");
    assert_eq!((&listed, &answer["unreadable"]), (&answer["schedules"][0], &json!([])));
    let shown = faces.command_of(&["schedule", "show", "nightly", "--json"]).remove(0);
    assert_eq!(object(shown), faces.get("GET /v1/queues/mail/schedules/nightly"));

    let promoted = faces.command_of(&["promote", "--state", "parked", "--json"]).remove(0);
    assert_eq!((&promoted["done"], &promoted["is_over"]), (&json!(1), &json!(true)));
    let listed = faces.command_of(&["operations", "--json"]);
    assert_eq!(listed, [promoted]);
    assert_eq!(json!(listed), faces.get("GET /v1/operations")["operations"]);

    // Not the worker of the server, which runs operations.
    let [present] = faces.command_of(&["workers", "--json"]).try_into().expect("one worker");
    assert_eq!(present["id"], WORKER);
    let answer = faces.get("GET /v1/workers");
    assert_eq!(
        [still_up(present)],
        *answer["workers"].as_array().expect("workers").iter().cloned().map(still_up).collect::<Vec<_>>()
    );

    faces.command_of(&["pause", "--kind", "report", "--for", "1h", "--json"]);
    let queue = faces.get("GET /v1/queues/mail");
    let listed = faces.command_of(&["queues", "--json"]);
    let listed = listed.into_iter().find(|queue| queue["queue"] == "mail").expect("it is listed");
    assert_eq!(still_due(object(listed)), still_due(queue.clone()));
    let mut stats = object(faces.command_of(&["stats", "--json"]).remove(0));
    stats.retain(|key, _| queue.contains_key(key));
    assert_eq!(still_due(stats), still_due(queue));

    let mut counted =
        faces.command_of(&["stats", "--queue", COUNTED, "--json"]).remove(0)["last_hour"].take();
    let mut answer = faces.get(&format!("GET /v1/queues/{COUNTED}/stats"));
    assert_eq!(counted["slots"][0]["completed"], 1);
    counted["now_ms"] = true.into();
    answer["now_ms"] = true.into();
    assert_eq!(object(counted), answer);
}

/// A queue, with `true` in place of what grows.
fn still_due(mut queue: Map<String, Value>) -> Map<String, Value> {
    for key in ["now_ms", "oldest_due_age_ms"] {
        assert!(queue[key].is_u64(), "{key} of {queue:?}");
        queue[key] = true.into();
    }
    queue
}

/// A worker that says when its run began, with `true` in place of how long that was ago.
fn still_up(mut worker: Value) -> Value {
    assert!(worker["up_ms"].is_u64(), "{worker}");
    worker["up_ms"] = true.into();
    worker
}

impl Faces<'_> {
    /// The objects that a command prints.
    fn command_of(&self, arguments: &[&str]) -> Vec<Value> {
        let named = arguments.contains(&"--queue");
        let all: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        if named { self.run_anywhere(&all) } else { self.run(&all) }.ok().objects()
    }

    pub(super) fn get(&self, head: &str) -> Map<String, Value> {
        let (status, answer) = self.served.call(&self.token, head, "");
        assert_eq!(status, 200, "{head}: {answer}");
        object(answer)
    }
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("an object, not {value}") };
    object
}

/// The document, with `true` in place of a length that grows.
fn still(mut document: Map<String, Value>) -> Map<String, Value> {
    for key in GROWING {
        let value = document.get_mut(key).unwrap_or_else(|| panic!("there is no {key}"));
        if value.is_number() {
            *value = true.into();
        }
    }
    document
}
