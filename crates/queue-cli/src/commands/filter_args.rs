//! The arguments that say which jobs a change of many is about.

use crate::{
    exit::CliError,
    parse,
    session::{Jobs, before},
};
use clap::Args;
use queue::{
    Kind, WorkerId,
    operations::{Action, OPERATION_JOBS_MAX, Operation, Standing},
    queue_core::{Detail, Tag},
};
use std::time::Duration;

/// Which jobs are changed. Jobs that are scheduled or parked are meant only where `--state` names
/// them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which jobs")]
pub(super) struct FilterArgs {
    /// Only jobs that stand so; may be repeated [possible: queued, scheduled, parked, processing,
    /// failing, completed, failed, cancelled]
    #[arg(long, value_name = "STATE")]
    state: Vec<Standing>,
    /// Only jobs of this kind
    #[arg(long)]
    kind: Option<Kind>,
    /// Only jobs with this tag
    #[arg(long)]
    tag: Option<Tag>,
    /// Only jobs that this worker holds
    #[arg(long, value_name = "ID")]
    worker: Option<WorkerId>,
    /// Only jobs whose id begins with this text
    #[arg(long, value_name = "TEXT")]
    id_prefix: Option<String>,
    /// Only jobs that entered their state within this time, such as `1h`
    #[arg(long, value_name = "TIME", value_parser = parse::duration)]
    since: Option<Duration>,
    /// Only jobs that entered their state at least this long ago
    #[arg(long, value_name = "TIME", value_parser = parse::duration)]
    until: Option<Duration>,
    /// Change at most this many jobs
    #[arg(long, value_name = "N", default_value_t = OPERATION_JOBS_MAX)]
    cap: u64,
    /// Count the jobs, up to 10,000, and change nothing
    #[arg(long)]
    pub(super) dry_run: bool,
}

impl FilterArgs {
    /// Whether nothing says which jobs are meant.
    pub(super) fn is_empty(&self) -> bool {
        self.state.is_empty()
            && self.kind.is_none()
            && self.tag.is_none()
            && self.worker.is_none()
            && self.id_prefix.is_none()
            && self.since.is_none()
            && self.until.is_none()
    }

    /// Refuses a filter beside the id of one job, and neither of them.
    pub(super) fn check_beside<T>(&self, id: Option<&T>, is_named: bool) -> Result<(), CliError> {
        match (id.is_some(), self.is_empty() && !is_named) {
            (true, true) if self.dry_run => {
                Err(CliError::invalid("--dry-run counts the jobs of a filter; name one"))
            }
            (true, false) => Err(CliError::invalid("name one job, or say which jobs, not both")),
            (false, true) => Err(CliError::invalid("name a job, or say which jobs; see --help")),
            _ => Ok(()),
        }
    }

    /// The operation. Where no state is named, `standings` are meant.
    pub(super) async fn operation(
        &self,
        jobs: &Jobs,
        action: Action,
        standings: &[Standing],
    ) -> Result<Operation, CliError> {
        let named = if self.state.is_empty() { standings } else { &self.state };
        let mut operation = Operation::on(jobs.name(), action).jobs_max(self.cap);
        operation = named.iter().fold(operation, |operation, standing| operation.standing(*standing));
        if let Some(kind) = &self.kind {
            operation = operation.kind(kind.as_str());
        }
        if let Some(tag) = &self.tag {
            operation = operation.tag(tag.as_str());
        }
        if let Some(worker) = &self.worker {
            operation = operation.worker(worker.as_str());
        }
        if let Some(prefix) = &self.id_prefix {
            operation = operation.id_prefix(prefix);
        }
        if self.since.is_none() && self.until.is_none() {
            return Ok(operation);
        }
        let now = jobs.storage().get(jobs.name(), &[], Detail::Meta).await?.now;
        if let Some(since) = self.since {
            operation = operation.since(before(now, since));
        }
        Ok(match self.until {
            Some(until) => operation.until(before(now, until)),
            None => operation,
        })
    }
}
