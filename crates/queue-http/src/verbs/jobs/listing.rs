//! Listings of jobs, page by page.

use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
    wire::{ShownJob, stamp},
};
use axum::{http::StatusCode, response::Response};
use queue_core::{Cursor, Direction, Kind, ListFilter, ListQuery, State, Tag, Timestamp, Walk, WorkerId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

const LIMIT: usize = 50;

/// A page of jobs.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListParams {
    /// A state, or `due`, `scheduled` or `lapsed`; all jobs if absent.
    state: Option<String>,
    /// `oldest` or `newest` first; `oldest` if absent.
    #[param(inline)]
    order: Option<Order>,
    /// Jobs of this kind.
    kind: Option<String>,
    /// Jobs with this tag.
    tag: Option<String>,
    /// Jobs that this worker holds.
    worker: Option<String>,
    /// Jobs whose id begins so.
    id_prefix: Option<String>,
    /// Jobs that came into their state at this store time or later.
    since_ms: Option<i64>,
    /// Jobs that came into their state before this store time.
    until_ms: Option<i64>,
    /// `next` of the page before.
    after: Option<String>,
    /// The most jobs, 1 to 1000; 50 if absent.
    limit: Option<usize>,
}

/// Which end of the list comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    Oldest,
    Newest,
}

/// A page of jobs.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ListAnswer)]
pub(crate) struct ListOut<'a> {
    now_ms: i64,
    jobs: Vec<ShownJob<'a>>,
    /// The cursor of the next page; `null` at the end. A page may be empty and not be the last.
    next: Option<String>,
    /// How many jobs were looked at for this page.
    looked_at: u64,
}

/// `GET /v1/queues/{queue}/jobs`
pub(crate) async fn list(app: Arc<App>, call: Call) -> Result<Response> {
    let queue = call.queue()?;
    let params: ListParams = call.query()?;
    let limit = params.limit.unwrap_or(LIMIT);
    let most = app.limits.jobs_per_call_max;
    if limit == 0 || limit > most {
        return Err(Problem::invalid(format!("limit: 1 to {most}, not {limit}")));
    }
    let after = params.after.clone().map(Cursor);
    let (walk, filter) = params.parts()?;
    let query = ListQuery { after, ..ListQuery::new(queue, walk, limit).matching(filter) };
    let page = app.storage.list(query).await?;
    let out = ListOut {
        now_ms: stamp(page.now),
        jobs: page.jobs.iter().map(|job| ShownJob::of(job, page.now)).collect(),
        next: page.next.map(|Cursor(text)| text),
        looked_at: page.looked_at,
    };
    answer(StatusCode::OK, &out)
}

impl ListParams {
    /// The index that leads to the fewest other jobs, and what is left out of it.
    fn parts(self) -> Result<(Walk, ListFilter)> {
        let direction = match self.order {
            Some(Order::Newest) => Direction::NewestFirst,
            Some(Order::Oldest) | None => Direction::OldestFirst,
        };
        let tag = self.tag.map(Tag::new).transpose().map_err(|invalid| Problem::from(invalid).at("tag"))?;
        let mut filter = ListFilter {
            kind: self
                .kind
                .map(Kind::new)
                .transpose()
                .map_err(|invalid| Problem::from(invalid).at("kind"))?,
            worker: self
                .worker
                .map(WorkerId::new)
                .transpose()
                .map_err(|invalid| Problem::from(invalid).at("worker"))?,
            tag: tag.clone(),
            id_prefix: self.id_prefix,
            entered: range(self.since_ms, self.until_ms),
            ..ListFilter::default()
        };
        let own_order = match self.state.as_deref() {
            Some("due") => Some(Walk::Due),
            Some("scheduled") => Some(Walk::Scheduled),
            Some("lapsed") => Some(Walk::Lapsed),
            _ => None,
        };
        if let Some(walk) = own_order {
            if self.order.is_some() {
                return Err(Problem::invalid(
                    "order: due, scheduled and lapsed jobs have an order of their own",
                ));
            }
            return Ok((walk, filter));
        }
        let state = self.state.map(|state| state.parse::<State>()).transpose();
        let state = state.map_err(|_| {
            Problem::invalid(
                "state: queued, processing, failing, completed, failed, cancelled, due, scheduled or lapsed",
            )
        })?;
        let walk = match (tag, state) {
            (Some(tag), state) => {
                filter.states = state.into_iter().collect();
                Walk::Tagged(tag, direction)
            }
            (None, Some(state)) => Walk::State(state, direction),
            (None, None) => Walk::All(direction),
        };
        Ok((walk, filter))
    }
}

fn range(since: Option<i64>, until: Option<i64>) -> Option<std::ops::Range<Timestamp>> {
    if since.is_none() && until.is_none() {
        return None;
    }
    let begin = Timestamp::from_millis(since.unwrap_or(0));
    let end = Timestamp::from_millis(until.unwrap_or(i64::MAX));
    Some(begin..end)
}
