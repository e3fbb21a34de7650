//! Changes of jobs by their ids: one read and one call of the store for all of them.

use super::{ChangeAnswer, Verb};
use crate::{problem::Result, routes::answer, service::App, verbs::jobs::checked_ids, wire::stamp};
use axum::{http::StatusCode, response::Response};
use queue_core::{
    Applied, Changed, Detail, JobId, JobMeta, QueueName, Retention, State, StorageExt,
    lifecycle::{Event, Rejected, decide},
};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

/// What became of each job, in the order of the request.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Changes)]
pub(crate) struct ChangesOut {
    now_ms: i64,
    items: Vec<ChangedOut>,
}

/// What became of one job.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Changed)]
pub(crate) struct ChangedOut {
    id: String,
    /// `done`, `requested`, `unchanged`, `missing` or `conflict`.
    outcome: &'static str,
    /// The state after it; absent if the record is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
}

/// The answer for one job, before it has its id.
type Told = (&'static str, Option<State>);

pub(super) async fn change(
    app: &App,
    queue: &QueueName,
    ids: &[Cow<'_, str>],
    verb: Verb,
    event: Event,
) -> Result<Response> {
    let ids = checked_ids(app, ids)?;
    let read = app.storage.get(queue, &ids, Detail::Meta).await?;
    let mut told: Vec<Option<Told>> = Vec::with_capacity(ids.len());
    let (mut places, mut batch) = (Vec::new(), Vec::new());
    for (at, record) in read.value.iter().enumerate() {
        let decided = record.as_ref().map(|record| decide(&record.meta, event.clone(), &app.policy));
        told.push(match decided {
            None => Some(("missing", None)),
            Some(Err(rejected)) => Some(refused(verb, rejected)),
            Some(Ok(transition)) => {
                places.push(at);
                batch.push(transition);
                None
            }
        });
    }
    let applied = app.storage.apply(batch).await?;
    for (at, answer) in places.into_iter().zip(applied.value) {
        told[at] = Some(match answer {
            Applied::Done(meta) => done(verb, &event, &meta),
            // It changed or was replaced between the read and this call.
            Applied::Stale(_) | Applied::LeaseLost(_) | Applied::Missing => {
                anew(app, queue, &ids[at], verb, &event).await
            }
        });
    }
    let items = ids.iter().zip(told).map(|(id, told)| {
        let (outcome, state) = told.expect("every job has its answer");
        ChangedOut { id: id.as_str().to_owned(), outcome, state: state.map(State::as_str) }
    });
    let changes = ChangesOut { now_ms: stamp(applied.now), items: items.collect() };
    answer(StatusCode::OK, &ChangeAnswer::Changed(changes))
}

async fn anew(app: &App, queue: &QueueName, id: &JobId, verb: Verb, event: &Event) -> Told {
    match app.storage.change(queue, id, event.clone(), &app.policy).await {
        Ok(Changed::Done(meta)) => done(verb, event, &meta),
        Ok(Changed::Rejected(rejected)) => refused(verb, rejected),
        Ok(Changed::Missing) => ("missing", None),
        Ok(Changed::LeaseLost(_)) | Err(_) => ("conflict", None),
    }
}

fn done(verb: Verb, event: &Event, meta: &JobMeta) -> Told {
    let is_removed = matches!(event, Event::Delete | Event::SetRetention(Retention::Remove));
    match (verb, meta.state) {
        (Verb::Cancel, State::Processing) => ("requested", Some(State::Processing)),
        // The record is gone, and had been cancelled if that was asked for.
        (Verb::Cancel, _) => ("done", Some(State::Cancelled)),
        _ if is_removed => ("done", None),
        (_, state) => ("done", Some(state)),
    }
}

fn refused(verb: Verb, rejected: Rejected) -> Told {
    match (verb, rejected) {
        (Verb::Cancel, Rejected::Already(State::Processing)) => ("requested", Some(State::Processing)),
        (Verb::Cancel, Rejected::Already(state)) => ("done", Some(state)),
        (_, rejected) => ("unchanged", Some(rejected.state())),
    }
}
