//! Waits for the outcome of a job.

use super::claim::{too_many, wait};
use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
    wire::{life_of, stamp},
};
use axum::{http::StatusCode, response::Response};
use queue::{Outcome, Queue, Raw, WaitOptions};
use queue_core::{Detail, Failure, JobId, QueueName, Seq, State, Timestamp};
use queue_view::SentData;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{borrow::Cow, sync::Arc, time::Duration};
use utoipa::{IntoParams, ToSchema};

/// A wait by the id of the path.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct WaitQuery {
    /// The life that the wait is about, from the answer to the enqueue; below 2^63.
    seq: Option<u64>,
    /// How long the answer may take; 0 if absent.
    #[serde(default)]
    wait_ms: u64,
}

/// A wait by an id in the body.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WaitRequest)]
pub(crate) struct WaitIn<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    /// The life that the wait is about, from the answer to the enqueue; below 2^63.
    seq: Option<u64>,
    /// How long the answer may take; 0 if absent.
    #[serde(default)]
    wait_ms: u64,
}

/// The outcome of a job.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = OutcomeAnswer)]
pub(crate) struct OutcomeOut<'a> {
    now_ms: i64,
    id: &'a str,
    /// The life that the answer is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    /// `completed`, `failed`, `cancelled`, `superseded`, `expired`, `unknown` or `pending`.
    outcome: &'static str,
    /// With `pending`: the state when it was last read.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    /// With `completed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<&'a str>,
    /// Why it is Failed, or Cancelled without a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// The last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<FullError<'a>>,
}

/// A failure with its details.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FullError<'a> {
    /// What programs match on.
    name: &'a str,
    /// What people read.
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    details: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details_base64: Option<String>,
}

impl<'a> FullError<'a> {
    fn of(failure: &'a Failure, details: Option<&'a [u8]>) -> Self {
        let details = details.map_or_else(SentData::default, SentData::of_bytes);
        Self {
            name: failure.name(),
            message: failure.message(),
            details: details.json,
            details_base64: details.base64,
        }
    }
}

/// `GET /v1/queues/{queue}/jobs/{id}/outcome`
pub(crate) async fn by_path(app: Arc<App>, call: Call) -> Result<Response> {
    let WaitQuery { seq, wait_ms } = call.query()?;
    let id = call.id()?;
    outcome(&app, call, id, seq, wait_ms).await
}

/// `POST /v1/queues/{queue}/jobs:wait`
pub(crate) async fn by_body(app: Arc<App>, call: Call) -> Result<Response> {
    let WaitIn { id, seq, wait_ms } = call.json()?;
    let id = JobId::new(id).map_err(|invalid| Problem::from(invalid).at("id"))?;
    outcome(&app, call, id, seq, wait_ms).await
}

async fn outcome(app: &App, call: Call, id: JobId, seq: Option<u64>, wait_ms: u64) -> Result<Response> {
    let queue = call.open_queue()?;
    let deadline = wait(app, wait_ms)?;
    let _waits = match deadline {
        Duration::ZERO => None,
        _ => Some(call.principal()?.begin_wait().ok_or_else(too_many)?),
    };
    // As for a claim, it keeps no buffer while this waits.
    drop(call);
    let begun = seq.map(life_of).transpose()?;
    let (life, now) = life(app, &queue, &id, begun).await?;
    let Some(life) = life else {
        let plain = OutcomeOut { now_ms: stamp(now), id: id.as_str(), ..OutcomeOut::default() };
        return answer(StatusCode::OK, &OutcomeOut { outcome: "unknown", ..plain });
    };
    let jobs: Queue<Raw, Raw> = Queue::new(app.storage.clone(), &queue)?;
    let waiting = jobs.wait(&id, WaitOptions::from(deadline).life(life));
    // A closing service sends the client to another one.
    let ended = tokio::select! {
        ended = waiting => ended?,
        () = app.tasks.closing() => Outcome::TimedOut { state: None, error: None },
    };
    told(app, &queue, &id, life, &ended).await
}

/// The life that the wait is about: the one that was named, or the one that is there.
async fn life(
    app: &App,
    queue: &QueueName,
    id: &JobId,
    named: Option<Seq>,
) -> Result<(Option<Seq>, Timestamp)> {
    let read = app.storage.get(queue, std::slice::from_ref(id), Detail::Meta).await?;
    let found = read.value.into_iter().flatten().next().map(|record| record.meta.seq);
    Ok((named.or(found), read.now))
}

async fn told(app: &App, queue: &QueueName, id: &JobId, life: Seq, ended: &Outcome<Raw>) -> Result<Response> {
    // A read of no job returns the time of the store.
    let now = app.storage.get(queue, &[], Detail::Meta).await?.now;
    let plain =
        OutcomeOut { now_ms: stamp(now), id: id.as_str(), seq: Some(life.get()), ..OutcomeOut::default() };
    let (status, out) = match ended {
        Outcome::Completed(Raw(result)) => {
            let SentData { json, base64, content_type } = SentData::of(result);
            let out = OutcomeOut { result: json, result_base64: base64, content_type, ..plain };
            (StatusCode::OK, OutcomeOut { outcome: "completed", ..out })
        }
        Outcome::Failed { reason, error } => {
            let error = error.as_ref().map(|error| FullError::of(error, error.details().map(|all| &all[..])));
            (StatusCode::OK, OutcomeOut { outcome: "failed", reason: Some(reason.as_str()), error, ..plain })
        }
        Outcome::Cancelled { reason } => {
            let reason = reason.map(queue_core::Reason::as_str);
            (StatusCode::OK, OutcomeOut { outcome: "cancelled", reason, ..plain })
        }
        Outcome::Superseded => (StatusCode::OK, OutcomeOut { outcome: "superseded", ..plain }),
        Outcome::Expired => (StatusCode::OK, OutcomeOut { outcome: "expired", ..plain }),
        Outcome::Unknown => (StatusCode::OK, OutcomeOut { outcome: "unknown", ..plain }),
        Outcome::TimedOut { state, .. } => {
            let state = state.map(State::as_str);
            (StatusCode::ACCEPTED, OutcomeOut { outcome: "pending", state, ..plain })
        }
    };
    answer(status, &out)
}
