//! The views: each makes a bounded number of calls of the store, and a sheet of what they answer.

mod errors;
mod job;
mod jobs;
mod operations;
mod overview;
mod queue;
mod schedules;
mod workers;

use super::{place::Place, sheet::Sheet, source::Source};
use crate::exit::CliError;

/// Reads what a view shows.
pub(super) async fn read(place: &Place, source: &Source) -> Result<Sheet, CliError> {
    match place {
        Place::Overview => overview::read(source).await,
        Place::Queue(queue) => queue::read(queue, source).await,
        Place::Jobs { queue, filter, pages } => jobs::read(queue, filter, pages.last(), source).await,
        Place::Job { queue, id, is_open } => job::read(queue, id, *is_open, source).await,
        Place::Errors(queue) => errors::read(queue, source).await,
        Place::Schedules(queue) => schedules::read(queue, source).await,
        Place::Workers => workers::all(source).await,
        Place::Worker(id) => workers::one(id, source).await,
        Place::Operations { pages } => operations::read(pages.last(), source).await,
    }
}
