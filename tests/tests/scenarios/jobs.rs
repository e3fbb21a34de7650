//! What a producer does, by the client of this library, and answers in the words of the protocol.

use super::steps::Scenario;
use queue::{
    Certainty, Change, Error, ErrorKind, JobId, JobOptions, Outcome, Payload, Raw, Result, WaitOptions,
    queue_core::{ContentType, Enqueued, Failure, NewJob, OnWaiting, Seq, lifecycle::OnProcessing},
    view::{FailureGroups, JobDetails, JobReading},
};
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::time::sleep;

/// How long a wait lasts that names no end.
const WAIT_MS: u64 = 60_000;
/// How often an enqueue is sent in all, and how soon again.
const SENDS_MAX: usize = 100;
const AGAIN_AFTER: Duration = Duration::from_millis(20);

pub(crate) async fn enqueue(scenario: &Scenario, said: &Value) -> Result<Value> {
    let answers = store(scenario, vec![new_job(scenario, said)?], false).await?;
    let mut answer = answers.into_iter().next().unwrap_or_default();
    if said["id"].is_null() && answer["outcome"] == "duplicate" {
        // No other program has an id that was drawn here, so an earlier sending has stored the job.
        answer["outcome"] = json!("queued");
    }
    Ok(answer)
}

pub(crate) async fn enqueue_many(scenario: &Scenario, said: &Value) -> Result<Value> {
    let jobs = said["jobs"].as_array().into_iter().flatten();
    let jobs = jobs.map(|job| new_job(scenario, job)).collect::<Result<Vec<_>>>()?;
    Ok(Value::Array(store(scenario, jobs, said["atomic"] == true).await?))
}

async fn store(scenario: &Scenario, jobs: Vec<NewJob>, atomic: bool) -> Result<Vec<Value>> {
    let ids: Vec<JobId> = jobs.iter().map(|job| job.id.clone()).collect();
    let groups = if atomic { vec![jobs] } else { jobs.into_iter().map(|job| vec![job]).collect() };
    let stored = stored(scenario, groups).await?;
    Ok(ids.iter().zip(stored.iter().flatten()).map(|(id, enqueued)| answer(id, enqueued)).collect())
}

/// A call that may succeed later is sent again by its caller, which is the runner here: ids make it
/// harmless, and the library itself sends nothing twice.
async fn stored(scenario: &Scenario, groups: Vec<Vec<NewJob>>) -> Result<Vec<Vec<Enqueued>>> {
    for _ in 1..SENDS_MAX {
        match scenario.storage.enqueue(scenario.jobs.name(), groups.clone()).await {
            Err(error) if error.is_transient() => sleep(AGAIN_AFTER).await,
            ended => return Ok(ended?.value),
        }
    }
    Ok(scenario.storage.enqueue(scenario.jobs.name(), groups).await?.value)
}

fn answer(id: &JobId, enqueued: &Enqueued) -> Value {
    let seq = enqueued.seq().map(Seq::get);
    match enqueued {
        Enqueued::Queued { .. } => json!({"id": id.as_str(), "seq": seq, "outcome": "queued"}),
        Enqueued::Duplicate { state, .. } => {
            json!({"id": id.as_str(), "seq": seq, "outcome": "duplicate", "state": state.as_str()})
        }
        Enqueued::Completed { result, .. } => {
            let mut said = json!({"id": id.as_str(), "seq": seq, "outcome": "completed"});
            if let Some(result) = result {
                shown(&mut said, "result", result);
            }
            said
        }
        Enqueued::Orphaned => json!({"id": id.as_str(), "outcome": "orphaned"}),
    }
}

/// A job from the fields of the protocol.
pub(crate) fn new_job(scenario: &Scenario, said: &Value) -> Result<NewJob> {
    let id = match said["id"].as_str() {
        Some(id) => JobId::new(id)?,
        None => queue::IdSource::next_id(&queue::TimeOrderedIds::default()),
    };
    let kind = said["kind"].as_str().unwrap_or("default");
    let jobs = scenario.jobs.of_kind(queue::Kind::new(kind)?);
    let mut job = jobs.new_job(id, &Raw(payload(said)?), &options(said))?;
    job.awaited = said["awaited"] == true;
    Ok(match said["on_waiting"].as_str() {
        Some("replace") => job.with_on_waiting(OnWaiting::Replace { max_wait: None }),
        _ => job,
    })
}

pub(crate) fn payload(said: &Value) -> Result<Payload> {
    if let Some(encoded) = said["payload_base64"].as_str() {
        let content_type = said["content_type"].as_str().unwrap_or("application/octet-stream");
        return Ok(Payload::new(from_base64(encoded), ContentType::new(content_type)?));
    }
    let text = said["payload_text"].as_str().map_or_else(|| said["payload"].to_string(), str::to_owned);
    Ok(Payload::new(text, ContentType::from_static("application/json")))
}

pub(crate) fn options(said: &Value) -> JobOptions {
    let millis = |name: &str| said[name].as_u64().map(Duration::from_millis);
    let mut options = JobOptions::new();
    for (name, value) in said["headers"].as_object().into_iter().flatten() {
        options = options.header(name, value.as_str().unwrap_or_default());
    }
    for tag in said["tags"].as_array().into_iter().flatten() {
        options = options.tag(tag.as_str().unwrap_or_default());
    }
    if let Some(partition) = said["partition"].as_str() {
        options = options.partition(partition);
    }
    if let Some(limit) = said["max_attempts"].as_u64() {
        options = options.max_attempts(u32::try_from(limit).unwrap_or(u32::MAX));
    }
    if let Some(priority) = said["priority"].as_i64() {
        options = options.priority(i16::try_from(priority).expect("a priority"));
    }
    if let Some(limit) = millis("time_limit_ms") {
        options = options.time_limit(limit);
    }
    if let Some(delay) = millis("delay_ms") {
        options = options.delay(delay);
    }
    if let Some(limit) = said["max_stalls"].as_u64() {
        options = options.max_stalls(u32::try_from(limit).unwrap_or(u32::MAX));
    }
    if let Some(kept) = millis("keep_completed") {
        options = options.keep_completed(kept);
    }
    if let Some(kept) = millis("keep_failed") {
        options = options.keep_failed(kept);
    }
    if let Some(kind) = said["on_failure"].as_str() {
        options = options.on_failure(kind);
    }
    if said["on_failed"] == "replace" {
        options = options.on_failed(queue::OnFailed::Replace);
    }
    match millis("expires_in_ms") {
        Some(span) => options.expires_in(span),
        None => options,
    }
}

pub(crate) async fn wait(scenario: &Scenario, said: &Value) -> Result<Value> {
    let id = said["id"].as_str().unwrap_or_default();
    let deadline = Duration::from_millis(said["timeout_ms"].as_u64().unwrap_or(WAIT_MS));
    let mut options = WaitOptions::from(deadline);
    if let Some(seq) = said["seq"].as_u64() {
        options = options.life(Seq::new(seq));
    }
    let outcome = scenario.jobs.wait(id, options).await?;
    // The life of the answer is the one that was asked about.
    let of = |outcome: &str| json!({"id": id, "seq": said["seq"], "outcome": outcome});
    Ok(match outcome {
        Outcome::Completed(Raw(result)) => {
            let mut said = of("completed");
            shown(&mut said, "result", &result);
            said
        }
        Outcome::Failed { reason, error } => {
            let mut said = of("failed");
            said["reason"] = json!(reason.as_str());
            said["error"] = error.as_ref().map_or(Value::Null, failure);
            said
        }
        Outcome::Cancelled { .. } => of("cancelled"),
        Outcome::Superseded => of("superseded"),
        Outcome::Expired => of("expired"),
        Outcome::Unknown => of("unknown"),
        Outcome::TimedOut { state, .. } => {
            let mut said = of("pending");
            said["state"] = state.map_or(Value::Null, |state| json!(state.as_str()));
            said
        }
    })
}

pub(crate) async fn cancel(scenario: &Scenario, said: &Value) -> Result<Value> {
    let processing =
        if said["processing"] == "request" { OnProcessing::Request } else { OnProcessing::Leave };
    let mut answers = Vec::new();
    for id in said["ids"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let (outcome, state) = match cancelled(scenario, id, processing).await? {
            Change::Done => ("done", Some("cancelled")),
            Change::Requested => ("requested", Some("processing")),
            Change::NotAllowed(state) => ("unchanged", Some(state.as_str())),
            _ => ("missing", None),
        };
        answers.push(json!({"id": id, "outcome": outcome, "state": state}));
    }
    Ok(Value::Array(answers))
}

pub(crate) async fn job(scenario: &Scenario, said: &Value) -> Result<Option<Value>> {
    let id = JobId::new(said["id"].as_str().unwrap_or_default())?;
    let found = JobReading::read(&*scenario.storage, scenario.jobs.name(), &id).await?;
    Ok(found.map(|reading| json!(JobDetails::of(&reading))))
}

pub(crate) async fn failures(scenario: &Scenario) -> Result<Value> {
    let found = FailureGroups::read(&*scenario.storage, scenario.jobs.name(), None).await?;
    Ok(json!(found.groups))
}

/// As for [`stored`]: a job that is cancelled stays so, however often that is asked.
async fn cancelled(scenario: &Scenario, id: &str, processing: OnProcessing) -> Result<Change> {
    for _ in 1..SENDS_MAX {
        match scenario.jobs.cancel_with(id, processing).await {
            Err(error) if error.is_transient() => sleep(AGAIN_AFTER).await,
            ended => return ended,
        }
    }
    scenario.jobs.cancel_with(id, processing).await
}

pub(crate) fn problem(error: &Error) -> Value {
    let kind = match error.kind() {
        ErrorKind::Invalid => "invalid",
        ErrorKind::Conflict => "conflict",
        ErrorKind::Unavailable => "unavailable",
        ErrorKind::Closed => "closed",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::Corrupt => "corrupt",
        _ => "internal",
    };
    let certainty = if error.certainty() == Certainty::Unknown { "unknown" } else { "not_applied" };
    json!({"kind": kind, "certainty": certainty, "detail": error.message()})
}

/// What is not there is `None` to this library; scenarios call it a problem.
pub(crate) fn not_found() -> Value {
    json!({"kind": "not_found", "certainty": "not_applied"})
}

pub(crate) fn failure(failure: &Failure) -> Value {
    let details = failure.details().and_then(|details| serde_json::from_slice::<Value>(details).ok());
    json!({"name": failure.name(), "message": failure.message(), "details": details})
}

/// Adds data in the form in which scenarios speak of it.
pub(crate) fn shown(said: &mut Value, name: &str, payload: &Payload) {
    let fields: &mut Map<String, Value> = said.as_object_mut().expect("an object");
    let text = String::from_utf8_lossy(&payload.bytes).into_owned();
    if payload.content_type.as_str() == "application/json" {
        fields.insert(name.to_owned(), serde_json::from_str(&text).unwrap_or_default());
        fields.insert(format!("{name}_text"), json!(text));
    } else {
        fields.insert(format!("{name}_base64"), json!(to_base64(&payload.bytes)));
        fields.insert("content_type".to_owned(), json!(payload.content_type.as_str()));
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn to_base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let bits =
            part.iter().fold(0, |bits: u32, byte| (bits << 8) | u32::from(*byte)) << (8 * (3 - part.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= part.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

fn from_base64(text: &str) -> Vec<u8> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for digit in text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte)) {
        bits = (bits << 6) | u32::try_from(digit).expect("below 64");
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    bytes
}
