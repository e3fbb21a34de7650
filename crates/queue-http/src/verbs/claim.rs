//! Claim: takes due jobs, and waits for some.

use crate::{
    access::Principal,
    claims::{self, Ask, Handover},
    problem::{Problem, ProblemKind, Result},
    receipt,
    routes::Call,
    service::App,
    wire::{millis, stamp},
};
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use queue_core::{Claimed, ClaimedJob, Duty, Error, Headers, LeaseToken, Span, WorkerId};
use queue_view::{ErrorView, SentData};
use serde::{Deserialize, Serialize, ser::SerializeMap};
use serde_json::value::RawValue;
use std::{borrow::Cow, sync::Arc, time::Duration};
use utoipa::ToSchema;

const LEASE_MS: u64 = 30_000;
const BYTES_MAX: usize = 4 << 20;
/// The longest name of a worker; the id of its token goes before it.
const WORKER_BYTES_MAX: usize = 128;

/// A request for due jobs.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ClaimRequest)]
pub(crate) struct ClaimIn<'a> {
    /// The name of this run of the worker, fresh for every start; 1 to 128 bytes.
    #[serde(borrow)]
    worker: Cow<'a, str>,
    /// 32 hexadecimal digits, drawn for this claim alone.
    #[serde(borrow)]
    claim_id: Cow<'a, str>,
    /// The most jobs; 1 if absent.
    limit: Option<usize>,
    /// How long the jobs are held unless extended; 30000 if absent.
    lease_ms: Option<u64>,
    /// How long the answer may take if no job is due.
    #[serde(default)]
    wait_ms: u64,
    /// The most bytes of payloads, but at least one job comes; 4 MiB if absent.
    bytes_max: Option<usize>,
    /// The answer to this claim was lost: answers what is held under it, and leases nothing.
    #[serde(default)]
    repeat: bool,
}

/// Jobs that are now held by the worker.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClaimAnswer)]
pub(crate) struct ClaimOut<'a> {
    now_ms: i64,
    /// In the order in which they should start.
    jobs: Vec<ClaimedOut<'a>>,
    /// When the next job may be due; `null`: only after an enqueue.
    next_due_in_ms: Option<u64>,
    /// The queue or the worker is paused.
    paused: bool,
    /// An operator asks this worker to claim nothing more and to end.
    drain: bool,
    /// How long the request had waited in the service when its jobs were leased, or less.
    waited_ms: u64,
}

/// A job that is now held.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClaimedJob)]
pub(crate) struct ClaimedOut<'a> {
    queue: &'a str,
    id: &'a str,
    seq: u64,
    epoch: u64,
    /// Counted from one; repeats after a release.
    attempt: u32,
    kind: &'a str,
    priority: i16,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    payload: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<&'a str>,
    #[serde(serialize_with = "as_object")]
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    headers: &'a Headers,
    tags: Vec<&'a str>,
    /// The partition in which it took its turn; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<&'a str>,
    created_at_ms: i64,
    run_at_ms: i64,
    lease_expires_at_ms: i64,
    /// How long the lease lasts from the moment at which it was granted.
    lease_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_limit_ms: Option<i64>,
    cancel_requested: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    progress: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<ErrorView<'a>>,
    /// Proof of holding the job.
    receipt: String,
}

fn as_object<S: serde::Serializer>(headers: &Headers, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(headers.len()))?;
    for (name, value) in headers.iter() {
        map.serialize_entry(name, value)?;
    }
    map.end()
}

/// A claim as it was asked for. It keeps nothing of the request.
struct Asked {
    principal: Principal,
    ask: Ask,
    tokens: Vec<LeaseToken>,
    wait: Duration,
    repeat: bool,
}

/// `POST /v1/queues/{queue}/claim`
pub(crate) async fn claim(app: Arc<App>, call: Call) -> Result<Response> {
    let asked = Asked::of(&app, &call)?;
    // It is part of the connection's buffer, which would need a second one while this waits.
    drop(call);
    let Asked { principal, ask, tokens, wait, repeat } = asked;
    let worker = ask.worker.clone();
    let handover = if repeat {
        claims::repeat(&app, &principal, ask, &tokens, wait).await?
    } else {
        let _waits = match wait {
            Duration::ZERO => None,
            _ => Some(principal.begin_wait().ok_or_else(too_many)?),
        };
        let claimed = match app.duty_of(&worker).await {
            Duty::Drain => claims::rest_at_the_end(&app, &ask, wait).await,
            Duty::Pause => claims::rest(&app, &ask, wait).await,
            _ => claims::claim(&app, ask, wait).await,
        };
        claimed.map_err(|error| Problem::from(error).given_back())?
    };
    deliver(&app, handover, app.duties.last_of(&worker) == Duty::Drain)
}

impl Asked {
    fn of(app: &App, call: &Call) -> Result<Self> {
        let queue = call.open_queue()?;
        let principal = call.principal()?.clone();
        let request: ClaimIn<'_> = call.json()?;
        let worker = worker_id(principal.token_id(), &request.worker)?;
        let claim_id = claim_id(&request.claim_id)?;
        let wait = wait(app, request.wait_ms)?;
        let tokens = claims::tokens(&app.keys, principal.token_id(), &queue, &worker, claim_id);
        let ask = request.ask(app, queue, worker, tokens[0])?;
        Ok(Self { principal, ask, tokens, wait, repeat: request.repeat })
    }
}

fn deliver(app: &App, handover: Handover, drain: bool) -> Result<Response> {
    let waited_ms = millis(handover.waited);
    let (claimed, taken) = handover.into_parts();
    let body = written(app, &claimed, drain, waited_ms)?;
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(Handover::deliver(Some(taken), response))
}

fn written(app: &App, claimed: &Claimed, drain: bool, waited_ms: u64) -> Result<Vec<u8>> {
    let jobs = claimed.jobs.iter().map(|job| ClaimedOut::of(app, job, claimed)).collect::<Result<_>>()?;
    let next_due_in_ms = claimed.free_at().map(|at| millis(at.since(claimed.now)));
    let paused = claimed.pause.is_on();
    let answer = ClaimOut { now_ms: stamp(claimed.now), jobs, next_due_in_ms, paused, drain, waited_ms };
    serde_json::to_vec(&answer).map_err(|error| Problem::unwritable(&error))
}

impl ClaimIn<'_> {
    fn ask(
        &self,
        app: &App,
        queue: queue_core::QueueName,
        worker: WorkerId,
        token: LeaseToken,
    ) -> Result<Ask> {
        let limits = &app.limits;
        let limit = self.limit.unwrap_or(1);
        let most = limits.jobs_per_call_max.min(app.storage.capabilities().limits.batch_max);
        if limit == 0 || limit > most {
            return Err(Problem::invalid(format!("limit: 1 to {most}, not {limit}")));
        }
        let lease = lease("lease_ms", app, self.lease_ms.unwrap_or(LEASE_MS))?;
        let bytes_max = self.bytes_max.unwrap_or(BYTES_MAX).min(limits.claim_bytes_max);
        Ok(Ask { queue, worker, token, limit, lease, bytes_max })
    }
}

/// The id of a remote worker. It begins with the id of the token, so a caller cannot claim under
/// the name of another caller's worker.
pub(super) fn worker_id(token_id: &str, worker: &str) -> Result<WorkerId> {
    if worker.len() > WORKER_BYTES_MAX {
        return Err(Problem::invalid(format!("worker: at most {WORKER_BYTES_MAX} bytes")));
    }
    WorkerId::new(worker).map_err(|invalid| Problem::from(invalid).at("worker"))?;
    // The first slash must end the id of the token, which may contain slashes itself.
    let token_id = token_id.replace('%', "%25").replace('/', "%2F");
    WorkerId::new(format!("{token_id}/{worker}")).map_err(|invalid| Problem::from(invalid).at("worker"))
}

fn claim_id(text: &str) -> Result<u128> {
    let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = is_hex.then(|| u128::from_str_radix(text, 16).ok()).flatten();
    number.ok_or_else(|| Problem::invalid("claim_id: 32 hexadecimal digits, drawn for this claim alone"))
}

/// The length of a lease within the limits.
pub(super) fn lease(what: &'static str, app: &App, millis: u64) -> Result<Span> {
    let least = app.limits.lease_ms_min;
    let most = app.limits.lease_ms_max;
    if millis < least || millis > most {
        return Err(Problem::invalid(format!("{what}: {least} to {most}, not {millis}")));
    }
    crate::wire::span(what, millis)
}

/// The length of a wait within the limit.
pub(super) fn wait(app: &App, millis: u64) -> Result<Duration> {
    let most = app.limits.wait_ms_max;
    if millis > most {
        return Err(Problem::invalid(format!("wait_ms: at most {most}, not {millis}")));
    }
    Ok(if app.tasks.is_closing() { Duration::ZERO } else { Duration::from_millis(millis) })
}

pub(super) fn too_many() -> Problem {
    Problem::new(ProblemKind::TooMany, "too many calls of this token wait already")
}

impl<'a> ClaimedOut<'a> {
    fn of(app: &App, job: &'a ClaimedJob, claimed: &Claimed) -> Result<Self> {
        let ClaimedJob { record, token } = job;
        let meta = &record.meta;
        let body = record.body.as_ref().ok_or_else(|| Error::without_body("claim"))?;
        let payload = SentData::of(&body.payload);
        let progress = meta.progress().map_or_else(SentData::default, SentData::of_bytes);
        let expires_at = meta.lease.as_ref().map_or(claimed.now, |lease| lease.expires_at);
        Ok(Self {
            queue: meta.queue.as_str(),
            id: meta.id.as_str(),
            seq: meta.seq.get(),
            epoch: meta.epoch,
            attempt: meta.attempt(),
            kind: meta.kind.as_str(),
            priority: meta.priority,
            payload: payload.json,
            payload_base64: payload.base64,
            content_type: payload.content_type,
            headers: &body.headers,
            tags: meta.tags.iter().map(queue_core::Tag::as_str).collect(),
            partition: meta.partition.as_ref().map(queue_core::Partition::as_str),
            created_at_ms: stamp(meta.created_at),
            run_at_ms: stamp(meta.run_at),
            lease_expires_at_ms: stamp(expires_at),
            lease_ms: millis(expires_at.since(claimed.now)),
            time_limit_ms: meta.terms.time_limit.map(Span::as_millis),
            cancel_requested: meta.cancel_requested,
            progress: progress.json,
            progress_base64: progress.base64,
            last_error: meta.last_error.as_ref().map(ErrorView::from),
            receipt: receipt::seal(&app.keys, meta, &body.headers, *token),
        })
    }
}
