//! The arguments that select jobs.

use crate::{
    parse,
    session::{Jobs, before},
};
use clap::Args;
use queue::{
    Kind, Result, State, WorkerId,
    queue_core::{Detail, Tag},
};
use std::time::Duration;

/// The filters of commands that show many jobs.
#[derive(Debug, Args)]
pub(super) struct SelectionArgs {
    /// Only jobs in this state; may be repeated [possible: queued, processing, failing, completed,
    /// failed, cancelled]
    #[arg(long, value_name = "STATE")]
    state: Vec<State>,
    /// Only jobs that could run now, in the order in which they will run
    #[arg(long, conflicts_with_all = ["state", "later", "oldest_first"])]
    due: bool,
    /// Only jobs that are scheduled for later, in the order of their times
    #[arg(long, conflicts_with_all = ["state", "oldest_first"])]
    later: bool,
    /// Only jobs of this kind
    #[arg(long)]
    kind: Option<Kind>,
    /// Only jobs with this tag
    #[arg(long)]
    tag: Option<Tag>,
    /// Only jobs that this worker holds
    #[arg(long, value_name = "ID", conflicts_with_all = ["due", "later"])]
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
    /// Show the oldest first instead of the newest
    #[arg(long)]
    oldest_first: bool,
}

impl SelectionArgs {
    /// The listing; asks the store for its time if a time was given.
    pub(super) async fn of(&self, jobs: &Jobs) -> Result<queue::Jobs> {
        let found = self.state.iter().fold(jobs.jobs(), |found, state| found.in_state(*state));
        let found = match (self.due, self.later, self.oldest_first) {
            (true, ..) => found.due(),
            (_, true, _) => found.scheduled(),
            (.., true) => found,
            _ => found.newest_first(),
        };
        let mut found = narrowed(
            found,
            self.kind.as_ref(),
            self.tag.as_ref(),
            self.worker.as_ref(),
            self.id_prefix.as_deref(),
        );
        if self.since.is_none() && self.until.is_none() {
            return Ok(found);
        }
        let now = jobs.storage().get(jobs.name(), &[], Detail::Meta).await?.now;
        if let Some(since) = self.since {
            found = found.since(before(now, since));
        }
        Ok(match self.until {
            Some(until) => found.until(before(now, until)),
            None => found,
        })
    }
}

/// Those of the jobs that have what is given.
pub(super) fn narrowed(
    mut jobs: queue::Jobs,
    kind: Option<&Kind>,
    tag: Option<&Tag>,
    worker: Option<&WorkerId>,
    id_prefix: Option<&str>,
) -> queue::Jobs {
    if let Some(kind) = kind {
        jobs = jobs.kind(kind.as_str());
    }
    if let Some(tag) = tag {
        jobs = jobs.tag(tag.as_str());
    }
    if let Some(worker) = worker {
        jobs = jobs.worker(worker.as_str());
    }
    if let Some(prefix) = id_prefix {
        jobs = jobs.id_prefix(prefix);
    }
    jobs
}
