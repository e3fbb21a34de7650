//! What waiting jobs are amended by, as columns, and the lanes that their new priorities need.

use super::columns::{Item, column, revision};
use crate::{
    call::{BoundQuery, CallConnection, intern_priorities},
    verb_error::VerbError,
};
use queue_core::{
    QueueName, SharedTerms,
    lifecycle::{Amend, Patch, RunAt, Transition},
};
use std::collections::BTreeMap;

/// Sees to it that claims look at the new priorities. A queue that never had a job gets no number
/// by it: nothing of it can be amended.
pub(super) async fn intern_new_priorities(
    connection: &mut CallConnection<'_>,
    batch: &[Transition],
) -> Result<(), VerbError> {
    let mut priorities: BTreeMap<&QueueName, Vec<i16>> = BTreeMap::new();
    for sent in batch {
        if let Some(priority) = amend(sent).and_then(|to| to.priority) {
            priorities.entry(&sent.queue).or_default().push(priority);
        }
    }
    for (name, priorities) in priorities {
        if connection.find_queue(name).await?.is_some() {
            intern_priorities(connection, name, priorities).await?;
        }
    }
    Ok(())
}

/// Binds what follows the key in `amend.sql`.
pub(super) fn bind(query: BoundQuery, items: &[Item<'_>]) -> BoundQuery {
    fn of<T>(items: &[Item<'_>], value: impl Fn(&Amend) -> Option<T>) -> Vec<Option<T>> {
        column(items, |(_, sent)| amend(sent).and_then(&value))
    }
    query
        .bind(column(items, |(_, sent)| revision(sent)))
        .bind(of(items, |to| to.priority))
        .bind(of(items, |to| delay(to.run_at)))
        .bind(of(items, |to| to.terms.as_ref().map(SharedTerms::to_bytes)))
        .bind(of(items, |to| to.payload.as_ref().map(|payload| payload.content_type.as_str().to_owned())))
        .bind(of(items, |to| to.payload.as_ref().map(|payload| payload.bytes.to_vec())))
}

fn amend(sent: &Transition) -> Option<&Amend> {
    match &sent.patch {
        Patch::Amend(amend) => Some(amend),
        _ => None,
    }
}

/// Milliseconds from now until a job is due that does not keep its due time.
fn delay(run_at: RunAt) -> Option<i64> {
    match run_at {
        RunAt::Keep => None,
        RunAt::Soonest => Some(0),
        RunAt::After(span) => Some(span.as_millis()),
    }
}
