//! The arguments of `queue enqueue` that describe the job, and the job options that they make.

use crate::{commands::job_args::JobArgs, exit::CliError, parse};
use clap::{Args, ValueEnum};
use queue::{JobOptions, OnFailed, queue_core::Tag};
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
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true, requires = "id", conflicts_with_all = ["delay", "at", "wait"])]
    debounce: Option<Duration>,
    /// With --debounce: the longest total delay
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true, requires = "debounce")]
    max_wait: Option<Duration>,
    /// A tag by which the job is found again; may be repeated
    #[arg(long)]
    tag: Vec<Tag>,
    /// A header that the handler gets beside the payload; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = header)]
    header: Vec<(String, String)>,
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
        options = self.tag.iter().fold(options, |options, tag| options.tag(tag.as_str()));
        for (name, value) in &self.header {
            options = options.header(name, value);
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

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a header is a name and a value, such as tenant=7")?;
    Ok((name.to_owned(), value.to_owned()))
}
