//! Workers: remote ones announce themselves, operators see all and ask them to drain.

use super::claim::worker_id;
use crate::{
    access::Scope,
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
    wire::stamp,
};
use axum::{http::StatusCode, response::Response};
use queue_core::{Detail, Duty, QueueName, WorkerId, WorkerInfo};
use queue_view::{AboutWorker, WorkerView};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, sync::Arc, time::Duration};
use utoipa::ToSchema;

const TTL_MS: u64 = 30_000;
const TTL_MS_MAX: u64 = 3_600_000;
/// The most queues and the most kinds that a worker may report.
const NAMES_MAX: usize = 100;
const TEXT_BYTES_MAX: usize = 255;

/// What a worker reports about itself.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AnnounceRequest)]
pub(crate) struct AnnounceIn<'a> {
    /// The name of this run of the worker, as in its claims.
    #[serde(borrow)]
    worker: Cow<'a, str>,
    #[serde(borrow, default)]
    queues: Vec<Cow<'a, str>>,
    /// How many jobs it runs at once.
    #[serde(default)]
    concurrency: u32,
    /// How many jobs it holds now.
    #[serde(default)]
    held: u32,
    /// Host and process, as free text.
    #[serde(borrow, default)]
    host: Cow<'a, str>,
    #[serde(borrow, default)]
    version: Cow<'a, str>,
    /// The kinds that it has handlers for; any if absent.
    #[serde(borrow, default)]
    kinds: Option<Vec<Cow<'a, str>>>,
    /// It is listed for this long; 30000 if absent. 0 retires it.
    ttl_ms: Option<u64>,
}

/// What the worker is to do.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnnounceAnswer)]
pub(crate) struct AnnounceOut {
    /// Claim nothing more, finish what runs, and end.
    drain: bool,
}

/// The workers that are present.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WorkersAnswer)]
pub(crate) struct WorkersOut {
    now_ms: i64,
    workers: Vec<WorkerView>,
}

/// A worker that is asked to drain.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DrainRequest)]
pub(crate) struct DrainIn<'a> {
    /// The whole id, as the list of workers has it.
    #[serde(borrow)]
    worker: Cow<'a, str>,
}

/// Whether there is such a worker.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DrainAnswer)]
pub(crate) struct DrainOut {
    is_present: bool,
}

/// `POST /v1/workers`
pub(crate) async fn announce(app: Arc<App>, call: Call) -> Result<Response> {
    let request: AnnounceIn<'_> = call.json()?;
    let id = worker_id(call.principal()?.token_id(), &request.worker)?;
    let ttl_ms = request.ttl_ms.unwrap_or(TTL_MS);
    if ttl_ms > TTL_MS_MAX {
        return Err(Problem::invalid(format!("ttl_ms: at most {TTL_MS_MAX}, not {ttl_ms}")));
    }
    let info = request.info(&call, id.clone())?;
    let duty = app.storage.announce(info, Duration::from_millis(ttl_ms)).await?;
    app.duties.note(&id, duty);
    answer(StatusCode::OK, &AnnounceOut { drain: duty == Duty::Drain })
}

/// `GET /v1/workers`: those that work on a queue that the token may see.
pub(crate) async fn list(app: Arc<App>, call: Call) -> Result<Response> {
    let workers = app.storage.workers().await?;
    let may_see = |queue: &QueueName| call.may(Scope::View, queue);
    let seen = workers.into_iter().filter(|worker| worker.queues.iter().any(may_see));
    // A read of no job returns the time of the store, in which workers report when they started.
    let probe = QueueName::from_static("queue.probe");
    let now = app.storage.get(&probe, &[], Detail::Meta).await?.now;
    let workers = seen.map(|worker| WorkerView::seen(&worker, now, may_see)).collect();
    answer(StatusCode::OK, &WorkersOut { now_ms: stamp(now), workers })
}

/// `POST /v1/workers:drain`: the caller needs the scope in every queue of the worker.
pub(crate) async fn drain(app: Arc<App>, call: Call) -> Result<Response> {
    let DrainIn { worker } = call.json()?;
    let id = WorkerId::new(worker).map_err(|invalid| Problem::from(invalid).at("worker"))?;
    let workers = app.storage.workers().await?;
    let principal = call.principal()?;
    if !workers.iter().any(|worker| worker.id == id && principal.covers(worker)) {
        return answer(StatusCode::OK, &DrainOut { is_present: false });
    }
    let duty = app.storage.set_duty(&id, Duty::Drain).await?;
    if duty.is_some() {
        // A claim of this worker that waits here ends now, and not with its next announcement.
        app.duties.note(&id, Duty::Drain);
    }
    answer(StatusCode::OK, &DrainOut { is_present: duty.is_some() })
}

impl AnnounceIn<'_> {
    fn info(&self, call: &Call, id: WorkerId) -> Result<WorkerInfo> {
        let kinds = self.kinds.as_deref().unwrap_or_default();
        if self.queues.len() > NAMES_MAX || kinds.len() > NAMES_MAX {
            return Err(Problem::invalid(format!("queues, kinds: at most {NAMES_MAX} of each")));
        }
        if self.host.len() > TEXT_BYTES_MAX || self.version.len() > TEXT_BYTES_MAX {
            return Err(Problem::invalid(format!("host, version: at most {TEXT_BYTES_MAX} bytes")));
        }
        let queues = self.queues.iter().map(QueueName::new).collect::<Result<Vec<_>, _>>();
        let queues = queues.map_err(|invalid| Problem::from(invalid).at("queues"))?;
        if let Some(queue) = queues.iter().find(|queue| !call.may(Scope::Work, queue)) {
            let detail = format!("queues: the token may not work on {queue:?}");
            return Err(Problem::new(crate::problem::ProblemKind::Forbidden, detail));
        }
        let mut about = AboutWorker::default();
        self.version.as_ref().clone_into(&mut about.version);
        self.host.as_ref().clone_into(&mut about.host);
        about.kinds =
            self.kinds.as_ref().map(|kinds| kinds.iter().map(|kind| kind.as_ref().to_owned()).collect());
        let written = serde_json::to_vec(&about).map_err(|error| Problem::unwritable(&error))?;
        if written.len() > WorkerInfo::ABOUT_BYTES_MAX {
            // The kinds are the only part that can be so long.
            about.kinds = None;
        }
        let mut info = WorkerInfo::new(id);
        info.queues = queues;
        (info.concurrency, info.held) = (self.concurrency, self.held);
        self.host.as_ref().clone_into(&mut info.host);
        info.about = serde_json::to_vec(&about).map_err(|error| Problem::unwritable(&error))?.into();
        Ok(info)
    }
}
