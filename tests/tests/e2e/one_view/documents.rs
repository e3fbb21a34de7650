//! One job is one document: the command and `/v1` show the same keys with the same values. The
//! clients return what `/v1` answers.

use super::{Faces, STORED};
use serde_json::{Map, Value};

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

impl Faces<'_> {
    fn get(&self, head: &str) -> Map<String, Value> {
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
