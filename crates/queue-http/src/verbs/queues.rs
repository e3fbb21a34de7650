//! Queues: which there are, how many jobs they have, and their pause.

use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
    wire::stamp,
};
use axum::{http::StatusCode, response::Response};
use queue_core::{Detail, Kind, Pause, QueueName, QueuesQuery, StorageExt};
use queue_view::QueueView;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, sync::Arc};
use utoipa::{IntoParams, ToSchema};

const LIMIT: usize = 100;

/// A page of queues.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct QueuesParams {
    /// The name behind which the page begins.
    after: Option<String>,
    /// The most queues, 1 to 1000; 100 if absent.
    limit: Option<usize>,
}

/// A page of queues.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QueuesAnswer)]
pub(crate) struct QueuesOut<'a> {
    queues: Vec<QueueView<'a>>,
    /// The name behind which the next page begins; `null` at the end.
    next: Option<String>,
    /// Whether the call ended before the end of the list, because it looks at 10000 queues at most:
    /// only for patterns that begin with a star, or with what very many queues begin with. Ask for
    /// more with `after`.
    is_cut: bool,
}

/// What to pause, and for how long.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PauseRequest)]
pub(crate) struct PauseIn<'a> {
    /// One kind; all of the queue if absent.
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    /// How long, at least 1; until it is resumed if absent.
    for_ms: Option<u64>,
}

/// What to resume.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ResumeRequest)]
pub(crate) struct ResumeIn<'a> {
    /// One kind; the queue if absent, whose paused kinds stay so.
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
}

/// Whether the queue, or the kind, is paused now.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PausedOut {
    paused: bool,
    /// When the pause ends by itself.
    until_ms: Option<i64>,
}

/// A body without fields.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Empty {}

/// `GET /v1/queues`
pub(crate) async fn list(app: Arc<App>, call: Call) -> Result<Response> {
    let QueuesParams { after, limit } = call.query()?;
    let limit = limit.unwrap_or(LIMIT);
    if limit == 0 || limit > QueuesQuery::LIMIT_MAX {
        return Err(Problem::invalid(format!("limit: 1 to {}, not {limit}", QueuesQuery::LIMIT_MAX)));
    }
    let after =
        after.map(QueueName::new).transpose().map_err(|invalid| Problem::from(invalid).at("after"))?;
    let query = after.map_or_else(|| QueuesQuery::all(limit), |after| QueuesQuery::after(&after, limit));
    let page = app.storage.queues_of(&call.principal()?.seen_queues(), query).await?;
    let has_more = page.next.is_some();
    // A name that the token may not see is no place to go on from: the answer would tell it.
    let last = page.queues.last().map(|status| status.name.to_string());
    let next = last.filter(|_| has_more && page.queues.len() == limit);
    let is_cut = has_more && next.is_none();
    answer(
        StatusCode::OK,
        &QueuesOut { queues: page.queues.iter().map(QueueView::of).collect(), next, is_cut },
    )
}

/// `GET /v1/queues/{queue}`
pub(crate) async fn one(app: Arc<App>, call: Call) -> Result<Response> {
    let queue = call.queue()?;
    let status = app.storage.status_of(&queue).await?;
    let status = status.ok_or_else(|| Problem::not_found("there is no such queue"))?;
    answer(StatusCode::OK, &QueueView::of(&status))
}

/// `POST /v1/queues/{queue}/pause`
pub(crate) async fn pause(app: Arc<App>, call: Call) -> Result<Response> {
    let PauseIn { kind, for_ms } = call.json()?;
    let pause = match for_ms {
        None => Pause::UntilResumed,
        Some(0) => return Err(Problem::invalid("for_ms: at least 1")),
        Some(millis) => {
            // A read of no job returns the time of the store.
            let read = app.storage.get(&call.open_queue()?, &[], Detail::Meta).await?;
            Pause::Until(read.now + crate::wire::span("for_ms", millis)?)
        }
    };
    set_paused(&app, &call, kind.as_deref(), pause).await
}

/// `POST /v1/queues/{queue}/resume`
pub(crate) async fn resume(app: Arc<App>, call: Call) -> Result<Response> {
    let ResumeIn { kind } = call.json()?;
    set_paused(&app, &call, kind.as_deref(), Pause::Off).await
}

async fn set_paused(app: &App, call: &Call, kind: Option<&str>, pause: Pause) -> Result<Response> {
    let queue = call.open_queue()?;
    let kind = kind.map(Kind::new).transpose().map_err(|invalid| Problem::from(invalid).at("kind"))?;
    app.storage.set_paused(&queue, kind.as_ref(), pause).await?;
    answer(StatusCode::OK, &PausedOut { paused: pause.is_on(), until_ms: pause.until().map(stamp) })
}
