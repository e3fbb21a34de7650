//! Operations: one change to all jobs that a filter selects, run as a job of a reserved queue.
//!
//! An operation survives the process that started it, and its record says what it has done. The
//! jobs that it is about are fixed when it starts: all with a `seq` up to the newest one of that
//! moment, as long as they stay where the filter found them. It goes through them page by page.
//! Before it sends the changes of a page, it stores which jobs the page has and at which revision
//! each was seen, so that a runner that takes over a page sends the very same changes: each applies
//! at most once.
//!
//! Invariants kept here: no job is changed twice by one operation; `done + skipped + failed` is the
//! number of jobs that the operation met; a job that has moved since it was met is left alone.
//!
//! Absent on purpose: a table, a verb of the store, a leader.

mod action;
mod operation_id;
mod page;
mod progress;
mod run;
mod spec;
mod wire;

pub use action::Action;
pub use operation_id::{InvalidOperationId, OperationId};
pub use progress::{OperationCounts, OperationProgress};
pub use spec::{OperationSpec, SpecError};

pub(crate) use run::advance;

use queue_core::{ListQuery, Result, Span, Storage};

/// The queue of all operations of a store.
pub const OPERATIONS_QUEUE: &str = "queue.operations";
/// The kind of an operation's job.
pub const OPERATION_KIND: &str = queue_core::LibraryJob::OPERATION_KIND;
/// The most jobs that an operation meets by default.
pub const OPERATION_JOBS_MAX: u64 = 100_000;
/// The most jobs that a dry run counts.
pub const DRY_RUN_MAX: u64 = 10_000;
/// How long the record of an operation is kept once it is over: 90 days.
pub const OPERATION_KEPT: Span = Span::from_secs(90 * 24 * 3600);
/// The most jobs of a page that a dry run reads.
const PAGE: usize = 500;

/// Counts the jobs that an operation would meet, and changes nothing. It stops at one more than
/// `max`; jobs that move meanwhile are counted where they were read.
///
/// # Errors
/// The errors of [`Storage::list`].
pub async fn count_members(store: &dyn Storage, spec: &OperationSpec, max: u64) -> Result<u64> {
    let mut query = spec.query(PAGE);
    let mut count = 0;
    loop {
        let page = store.list(query.clone()).await?;
        count += page.jobs.iter().filter(|job| spec.is_member(job)).count() as u64;
        let is_past = page.jobs.last().is_some_and(|job| spec.is_past(job));
        query = ListQuery { after: page.next, ..query };
        if count > max || is_past || query.after.is_none() {
            return Ok(count.min(max + 1));
        }
    }
}
