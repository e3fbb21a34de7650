//! Listings of jobs, page by page.

use crate::{
    problem::{Problem, Result},
    routes::{Call, answer},
    service::App,
    wire::stamp,
};
use axum::{http::StatusCode, response::Response};
use queue_core::{Cursor, Direction};
use queue_view::{JobFilter, JobView};
use serde::Serialize;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

const LIMIT: usize = 50;

/// A page of jobs: the parts of [`JobFilter`] that are given, and which page.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it is the description of the pairs that `Asked` reads")]
pub(crate) struct ListParams {
    /// `due`, `scheduled`, `parked`, `gated`, `queued`, `processing`, `lapsed`, `failing`,
    /// `completed`, `failed` or `cancelled`; may be repeated; all jobs if absent.
    state: Option<Vec<String>>,
    /// Jobs of this kind.
    kind: Option<String>,
    /// Jobs with this tag.
    tag: Option<String>,
    /// Jobs that this worker holds.
    worker: Option<String>,
    /// Jobs of this partition.
    partition: Option<String>,
    /// Jobs whose id begins so.
    id_prefix: Option<String>,
    /// Jobs that came into their state at this store time or later.
    since_ms: Option<i64>,
    /// Jobs that came into their state before this store time.
    until_ms: Option<i64>,
    /// `oldest` or `newest` first; `oldest` if absent. Due, scheduled and lapsed jobs alone have an
    /// order of their own.
    #[param(inline)]
    order: Option<Order>,
    /// `next` of the page before.
    after: Option<String>,
    /// The most jobs, 1 to 1000; 50 if absent.
    limit: Option<usize>,
}

/// Which end of the list comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "it is the description of a parameter")]
pub(crate) enum Order {
    Oldest,
    Newest,
}

/// What a caller asks for.
#[derive(Debug, Default)]
struct Asked {
    filter: JobFilter,
    order: Option<Direction>,
    after: Option<Cursor>,
    limit: Option<usize>,
}

/// A page of jobs.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ListAnswer)]
pub(crate) struct ListOut<'a> {
    now_ms: i64,
    jobs: Vec<JobView<'a>>,
    /// The cursor of the next page; `null` at the end. A page may be empty and not be the last.
    next: Option<String>,
    /// How many jobs were looked at for this page.
    looked_at: u64,
}

/// `GET /v1/queues/{queue}/jobs`
pub(crate) async fn list(app: Arc<App>, call: Call) -> Result<Response> {
    let queue = call.queue()?;
    let asked = Asked::of(&call.query::<Vec<(String, String)>>()?)?;
    let limit = asked.limit.unwrap_or(LIMIT);
    let most = app.limits.jobs_per_call_max;
    if limit == 0 || limit > most {
        return Err(Problem::invalid(format!("limit: 1 to {most}, not {limit}")));
    }
    let listing = asked.filter.listing(queue, asked.order)?;
    let page = listing.page(&*app.storage, asked.after, limit).await?;
    let out = ListOut {
        now_ms: stamp(page.now),
        jobs: page.jobs.iter().map(|job| JobView::of(job, page.now)).collect(),
        next: page.next.map(|Cursor(text)| text),
        looked_at: page.looked_at,
    };
    answer(StatusCode::OK, &out)
}

impl Asked {
    fn of(pairs: &[(String, String)]) -> Result<Self> {
        let mut asked = Self::default();
        let mut parts = Vec::new();
        for (name, text) in pairs {
            match name.as_str() {
                "order" => once(name, &mut asked.order, direction(text)?)?,
                "after" => once(name, &mut asked.after, Cursor(text.clone()))?,
                "limit" => {
                    let limit = text.parse().map_err(|_| Problem::invalid("limit: a number of jobs"))?;
                    once(name, &mut asked.limit, limit)?;
                }
                part => parts.push((part, text.as_str())),
            }
        }
        Ok(Self { filter: JobFilter::from_parts(parts)?, ..asked })
    }
}

fn once<T>(name: &str, place: &mut Option<T>, value: T) -> Result<()> {
    match place.replace(value) {
        Some(_) => Err(Problem::invalid(format!("{name} is given twice"))),
        None => Ok(()),
    }
}

fn direction(text: &str) -> Result<Direction> {
    match text {
        "oldest" => Ok(Direction::OldestFirst),
        "newest" => Ok(Direction::NewestFirst),
        _ => Err(Problem::invalid("order: oldest or newest")),
    }
}
