//! Changes of jobs that the caller does not hold: by ids at once, by a filter as an operation.

mod by_filter;
mod by_ids;

pub(crate) use by_filter::StartedOut;

use crate::{
    problem::{Problem, Result},
    routes::Call,
    service::App,
    wire::{KeepIn, span},
};
use axum::response::Response;
use by_filter::{DryRunOut, FilterIn};
use by_ids::ChangesOut;
use queue::operations::Action;
use queue_core::lifecycle::{Amendment, Event, OnProcessing};
use queue_view::JobFilter;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, sync::Arc};
use utoipa::ToSchema;

/// Jobs to change: `ids` or `filter`, and what the action asks for.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ChangeRequest)]
pub(crate) struct ChangeIn<'a> {
    #[serde(borrow)]
    ids: Option<Vec<Cow<'a, str>>>,
    #[schema(value_type = Option<FilterIn>)]
    filter: Option<JobFilter>,
    /// With `filter`: the name of the operation among those on this queue, without a slash;
    /// drawn if absent.
    #[serde(borrow)]
    operation: Option<Cow<'a, str>>,
    /// With `filter`: the most jobs that it meets; 100000 if absent.
    jobs_max: Option<u64>,
    /// With `filter`: counts, and changes nothing.
    #[serde(default)]
    dry_run: bool,
    /// For `cancel`: what it does to jobs that run.
    processing: Option<ProcessingIn>,
    /// For `retain`: how long the records are kept from now.
    keep: Option<KeepIn>,
    /// For `reschedule`: due this long after now.
    delay_ms: Option<u64>,
    /// For `prioritize`.
    priority: Option<i16>,
}

/// What a cancel does to jobs that run.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = OnProcessing)]
pub(crate) enum ProcessingIn {
    /// Nothing.
    Leave,
    /// Their workers are asked to stop.
    Request,
}

/// The outcome of each job, or the counts of a dry run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ChangeAnswer {
    /// With `ids`.
    Changed(ChangesOut),
    /// With `filter` and `dry_run`.
    Counted(DryRunOut),
}

/// The verb of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Cancel,
    Redrive,
    Promote,
    Delete,
    Retain,
    Reschedule,
    Prioritize,
}

/// `POST /v1/queues/{queue}/jobs:cancel`
pub(crate) async fn cancel(app: Arc<App>, call: Call) -> Result<Response> {
    change(&app, &call, Verb::Cancel).await
}

/// `POST /v1/queues/{queue}/jobs:redrive`
pub(crate) async fn redrive(app: Arc<App>, call: Call) -> Result<Response> {
    change(&app, &call, Verb::Redrive).await
}

/// `POST /v1/queues/{queue}/jobs:promote`
pub(crate) async fn promote(app: Arc<App>, call: Call) -> Result<Response> {
    change(&app, &call, Verb::Promote).await
}

/// `POST /v1/queues/{queue}/jobs:delete`
pub(crate) async fn delete(app: Arc<App>, call: Call) -> Result<Response> {
    change(&app, &call, Verb::Delete).await
}

/// `POST /v1/queues/{queue}/jobs:retain`
pub(crate) async fn retain(app: Arc<App>, call: Call) -> Result<Response> {
    change(&app, &call, Verb::Retain).await
}

/// `POST /v1/queues/{queue}/jobs:reschedule`
pub(crate) async fn reschedule(app: Arc<App>, call: Call) -> Result<Response> {
    change(&app, &call, Verb::Reschedule).await
}

/// `POST /v1/queues/{queue}/jobs:prioritize`
pub(crate) async fn prioritize(app: Arc<App>, call: Call) -> Result<Response> {
    change(&app, &call, Verb::Prioritize).await
}

async fn change(app: &App, call: &Call, verb: Verb) -> Result<Response> {
    let queue = call.open_queue()?;
    let mut request: ChangeIn<'_> = call.json()?;
    request.check_options(verb)?;
    match (request.ids.take(), request.filter.take()) {
        (Some(ids), None) => {
            if request.operation.is_some() || request.jobs_max.is_some() || request.dry_run {
                return Err(Problem::invalid("operation, jobs_max and dry_run go with a filter"));
            }
            by_ids::change(app, &queue, &ids, &request.event(verb)?).await
        }
        (None, Some(filter)) => by_filter::change(app, &queue, filter, &request, request.action(verb)?).await,
        _ => Err(Problem::invalid("give ids or filter")),
    }
}

impl ChangeIn<'_> {
    /// Refuses options of another verb, which would be dropped in silence.
    fn check_options(&self, verb: Verb) -> Result<()> {
        let given = [
            ("processing", self.processing.is_some(), Verb::Cancel),
            ("keep", self.keep.is_some(), Verb::Retain),
            ("delay_ms", self.delay_ms.is_some(), Verb::Reschedule),
            ("priority", self.priority.is_some(), Verb::Prioritize),
        ];
        match given.into_iter().find(|(_, is_given, of)| *is_given && *of != verb) {
            Some((name, ..)) => Err(Problem::invalid(format!("{name}: it is no option of this call"))),
            None => Ok(()),
        }
    }

    fn processing(&self) -> OnProcessing {
        match self.processing {
            Some(ProcessingIn::Request) => OnProcessing::Request,
            Some(ProcessingIn::Leave) | None => OnProcessing::Leave,
        }
    }

    fn event(&self, verb: Verb) -> Result<Event> {
        match verb {
            Verb::Reschedule => {
                let millis = self.delay_ms.ok_or_else(|| Problem::invalid("delay_ms: it is missing"))?;
                Ok(Event::Reschedule { delay: span("delay_ms", millis)? })
            }
            Verb::Prioritize => {
                let priority = self.priority.ok_or_else(|| Problem::invalid("priority: it is missing"))?;
                Ok(Event::Amend(Amendment::of_priority(priority)))
            }
            _ => Ok(self.action(verb)?.event()),
        }
    }

    fn action(&self, verb: Verb) -> Result<Action> {
        Ok(match verb {
            Verb::Cancel => Action::Cancel { processing: self.processing() },
            Verb::Redrive => Action::REDRIVE,
            Verb::Promote => Action::Promote,
            Verb::Delete => Action::Delete,
            Verb::Retain => {
                let keep = self.keep.ok_or_else(|| Problem::invalid("keep: it is missing"))?;
                Action::Retain(keep.retention().map_err(|problem| problem.at("keep"))?)
            }
            Verb::Reschedule => return Err(Problem::invalid("jobs are rescheduled by ids alone")),
            Verb::Prioritize => {
                let priority = self.priority.ok_or_else(|| Problem::invalid("priority: it is missing"))?;
                Action::Prioritize(priority)
            }
        })
    }
}
