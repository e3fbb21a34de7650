//! What the option `--all-queues` of a command reads and shows.

use crate::{
    exit::CliError,
    output::{self, Column},
    session::Jobs,
};
use queue::queue_core::{QueueFilter, QueueName, QueueStatus, StorageExt};

/// The most queues that are asked for.
const QUEUES_MAX: usize = 500;

/// The queues of applications, in the order of their names.
pub(super) async fn of(jobs: &Jobs) -> Result<Vec<QueueStatus>, CliError> {
    let page = jobs.storage().first_queues_of(&QueueFilter::all().without_reserved(), QUEUES_MAX).await?;
    if page.next.is_some() {
        output::note(format!("only the first {QUEUES_MAX} queues are looked at; name another with --queue"));
    }
    Ok(page.queues)
}

/// The columns of a listing of one queue behind the name of the queue.
pub(super) fn with_queue(columns: &[Column]) -> Vec<Column> {
    [Column::text("QUEUE")].into_iter().chain(columns.iter().copied()).collect()
}

/// The cells of a row behind the name of its queue.
pub(super) fn cells(queue: &QueueName, row: Vec<String>) -> Vec<String> {
    [queue.to_string()].into_iter().chain(row).collect()
}

pub(super) fn note_left_out(queues: usize) {
    if queues > 0 {
        output::note(format!("{queues} more queues were not read; name one with --queue"));
    }
}
