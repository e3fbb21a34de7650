//! The arguments that say which jobs are shown or changed.

use crate::{
    exit::CliError,
    parse,
    session::{Jobs, before},
};
use clap::Args;
use queue::{
    Kind, WorkerId,
    operations::{Action, OPERATION_JOBS_MAX, Operation},
    queue_core::{Detail, Partition, Tag, Timestamp},
    view::{JobFilter, Standing},
};
use std::time::Duration;

/// Which jobs: those that match every part that is given.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which jobs")]
pub(crate) struct FilterArgs {
    /// Only jobs that stand so; may be repeated
    #[arg(long, value_name = "STATE", value_parser = parse::one_of::<Standing>(Standing::ALL.map(Standing::as_str)))]
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
    /// Only jobs of this partition
    #[arg(long, value_name = "KEY")]
    partition: Option<Partition>,
    /// Only jobs whose id begins with this text
    #[arg(long, value_name = "TEXT")]
    id_prefix: Option<String>,
    /// Only jobs that entered their state within this time, such as `1h`
    #[arg(long, value_name = "TIME", value_parser = parse::duration)]
    since: Option<Duration>,
    /// Only jobs that entered their state at least this long ago
    #[arg(long, value_name = "TIME", value_parser = parse::duration)]
    until: Option<Duration>,
}

/// Which jobs are changed. Scheduled, parked and gated jobs are meant only where `--state` names
/// them.
#[derive(Debug, Args)]
pub(crate) struct ChangedArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Change at most this many jobs
    #[arg(long, value_name = "N", default_value_t = OPERATION_JOBS_MAX, help_heading = "Which jobs")]
    cap: u64,
    /// Count the jobs, up to 10,000, and change nothing
    #[arg(long, help_heading = "Which jobs")]
    pub(crate) dry_run: bool,
}

/// The time of the store this long ago.
pub(crate) async fn ago(jobs: &Jobs, length: Duration) -> Result<Timestamp, CliError> {
    Ok(before(store_time(jobs).await?, length))
}

async fn store_time(jobs: &Jobs) -> Result<Timestamp, CliError> {
    Ok(jobs.storage().get(jobs.name(), &[], Detail::Meta).await?.now)
}

impl FilterArgs {
    /// Whether nothing says which jobs are meant.
    fn is_empty(&self) -> bool {
        self.since.is_none() && self.until.is_none() && self.without_times().is_all()
    }

    /// The filter. It asks the store for its time if a time was given.
    pub(crate) async fn of(&self, jobs: &Jobs) -> Result<JobFilter, CliError> {
        let filter = self.without_times();
        if self.since.is_none() && self.until.is_none() {
            return Ok(filter);
        }
        let now = store_time(jobs).await?;
        let ago = |length: Option<Duration>| length.map(|length| before(now, length));
        Ok(JobFilter { since: ago(self.since), until: ago(self.until), ..filter })
    }

    fn without_times(&self) -> JobFilter {
        JobFilter {
            states: self.state.clone(),
            kind: self.kind.clone(),
            tag: self.tag.clone(),
            partition: self.partition.clone(),
            worker: self.worker.clone(),
            id_prefix: self.id_prefix.clone(),
            ..JobFilter::default()
        }
    }
}

impl ChangedArgs {
    /// Refuses a filter beside the id of one job, and neither of them.
    pub(crate) fn check_beside<T>(&self, id: Option<&T>, is_named: bool) -> Result<(), CliError> {
        match (id.is_some(), self.filter.is_empty() && !is_named) {
            (true, true) if self.dry_run => {
                Err(CliError::invalid("--dry-run counts the jobs of a filter; name one"))
            }
            (true, false) => Err(CliError::invalid("name one job, or say which jobs, not both")),
            (false, true) => Err(CliError::invalid("name a job, or say which jobs; see --help")),
            _ => Ok(()),
        }
    }

    /// Whether it says how the jobs stand.
    pub(crate) fn names_state(&self) -> bool {
        !self.filter.state.is_empty()
    }

    /// The operation. Where no state is named, `standings` are meant.
    pub(crate) async fn operation(
        &self,
        jobs: &Jobs,
        action: Action,
        standings: &[Standing],
    ) -> Result<Operation, CliError> {
        if !self.names_state() && standings.is_empty() {
            let state = match action {
                Action::Promote | Action::Prioritize(_) => Standing::Scheduled,
                _ => Standing::Failed,
            };
            let message = "say how the jobs stand that are meant: add --state, such as --state";
            return Err(CliError::invalid(format!("{message} {state}")));
        }
        let mut filter = self.filter.of(jobs).await?;
        if filter.states.is_empty() {
            filter.states = standings.to_vec();
        }
        Ok(Operation::on(jobs.name(), action).filter(filter).jobs_max(self.cap))
    }
}
