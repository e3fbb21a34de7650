//! The arguments of `queue enqueue` that describe the job, and the job options that they make.

use crate::{commands::jobs::job_args::JobArgs, exit::CliError, parse};
use clap::{Args, ValueEnum};
use queue::{JobOptions, OnFailed};
use std::time::{Duration, SystemTime};

/// The arguments of a job except its id and payload.
#[derive(Debug, Args)]
pub(super) struct EnqueueJobArgs {
    #[command(flatten)]
    pub(super) job: JobArgs,
    /// Run the job no earlier than this long from now
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true)]
    delay: Option<Duration>,
    /// Run the job no earlier than this time, by the clock of the store: `2026-12-24T18:00:00Z`, or
    /// with an offset, `2026-12-24T18:00+01:00`
    #[arg(long, value_name = "TIME", value_parser = parse::time_of_day, conflicts_with = "delay")]
    at: Option<SystemTime>,
    /// Run the job once this time has passed without another enqueue under its id: each one
    /// replaces the waiting job
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true, requires = "id", conflicts_with_all = ["delay", "at"])]
    debounce: Option<Duration>,
    /// With --debounce: the longest total delay
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true, requires = "debounce")]
    max_wait: Option<Duration>,
    /// What to do if a failed job has the id [default: block, or replace with --debounce]
    #[arg(long, value_name = "WHAT", value_enum)]
    on_failed: Option<FailedRule>,
}

/// What a failed job of the same id means for an enqueue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailedRule {
    /// The failed job counts as a duplicate
    Block,
    /// The new job replaces the failed one
    Replace,
}

impl EnqueueJobArgs {
    pub(super) fn options(&self) -> Result<JobOptions, CliError> {
        let mut options = self.job.options().delay(self.delay.unwrap_or_default());
        if let Some(at) = self.at {
            options = options.run_at(at);
        }
        if let Some(delay) = self.debounce {
            options = options.debounce(delay);
        }
        if let Some(max_wait) = self.max_wait {
            options = options.max_wait(max_wait);
        }
        options = match self.on_failed {
            Some(FailedRule::Block) => options.on_failed(OnFailed::Block),
            Some(FailedRule::Replace) => options.on_failed(OnFailed::Replace),
            None => options,
        };
        options.validate()?;
        self.job.check()?;
        Ok(options)
    }
}
