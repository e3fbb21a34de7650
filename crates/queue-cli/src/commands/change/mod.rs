//! Commands that change jobs: one by its id, or all that a filter selects as an operation.

pub(crate) mod amend;
pub(crate) mod bulk;
pub(crate) mod bulk_report;
pub(crate) mod cancel;
pub(crate) mod confirm;
pub(crate) mod delete;
pub(crate) mod filter_args;
pub(crate) mod operation;
mod operation_wait;
pub(crate) mod operations;
pub(crate) mod promote;
pub(crate) mod prune;
pub(crate) mod redrive;
