use crate::{
    content_type,
    exit::CliError,
    parse::{self, Attempts},
    session::Jobs,
};
use clap::{Args, ValueEnum};
use queue::{ContentType, InvalidOption, JobOptions, Keep, Kind, OnFailed, Payload};
use std::time::{Duration, SystemTime};

/// Everything about a job but its id and payload.
#[derive(Debug, Args)]
pub(super) struct JobArgs {
    /// What the job asks for, by which workers may pick their handler
    #[arg(long)]
    kind: Option<Kind>,
    /// Not to run before this has passed
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true)]
    delay: Option<Duration>,
    /// Not to run before this time, by the clock of the store: `2026-12-24T18:00:00Z`, or with an offset, `2026-12-24T18:00+01:00`
    #[arg(long, value_name = "TIME", value_parser = parse::time_of_day, conflicts_with = "delay")]
    at: Option<SystemTime>,
    /// Put it off for as long as it is enqueued again under its id: it takes the place of one that waits, and is due once this has
    /// passed without another
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true, requires = "id", conflicts_with_all = ["delay", "at", "wait"])]
    debounce: Option<Duration>,
    /// With --debounce: how long it may be put off in all
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true, requires = "debounce")]
    max_wait: Option<Duration>,
    /// Not to start later than this after the enqueue: it is then cancelled, uncharged, and its id is free. Longer than the
    /// delay
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true)]
    expires_in: Option<Duration>,
    /// How long its handler may run, in place of the worker's own limit
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true)]
    time_limit: Option<Duration>,
    /// Lower runs first: -32768 to 32767
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    priority: i16,
    /// How many attempts may fail, or `unlimited` [default: 25, over about two and a half days]
    #[arg(long, value_name = "N", value_parser = parse::attempts, allow_hyphen_values = true)]
    max_attempts: Option<Attempts>,
    /// How many workers may die of it, or `unlimited` [default: 3]
    #[arg(long, value_name = "N", value_parser = parse::attempts, allow_hyphen_values = true)]
    max_stalls: Option<Attempts>,
    /// How long the job and its result stay once finished, whatever the outcome: a time, `forever` or `none` [default: 1h
    /// if completed, 7d if failed or cancelled]
    #[arg(long, value_name = "TIME", value_parser = parse::keep, allow_hyphen_values = true)]
    ttl: Option<Keep>,
    /// What to do if a failed job has the id [default: block, or replace with --debounce]
    #[arg(long, value_name = "WHAT", value_enum)]
    on_failed: Option<FailedRule>,
    /// The kind of a job to enqueue, with what went wrong, should this one fail for good
    #[arg(long, value_name = "KIND")]
    on_failure: Option<Kind>,
    /// How the payload is encoded [default: application/json if it is JSON, otherwise text/plain]
    #[arg(long, value_name = "TYPE")]
    pub(super) content_type: Option<ContentType>,
}

/// What a failed job of the same id means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailedRule {
    /// It counts as present
    Block,
    /// The new job takes its place
    Replace,
}

impl JobArgs {
    /// What these bytes become.
    pub(super) fn payload(&self, bytes: Vec<u8>) -> Payload {
        let content_type = self.content_type.clone().unwrap_or_else(|| content_type::guess(&bytes));
        Payload::new(bytes, content_type)
    }

    /// The kind, if one was named.
    pub(super) fn kind(&self) -> Option<&Kind> {
        self.kind.as_ref()
    }

    /// The queue for jobs of this kind.
    pub(super) fn of_kind(&self, jobs: &Jobs) -> Jobs {
        self.kind.as_ref().map_or_else(|| jobs.clone(), |kind| jobs.of_kind(kind.clone()))
    }

    pub(super) fn options(&self) -> Result<JobOptions, CliError> {
        let mut options = JobOptions::new().priority(self.priority).delay(self.delay.unwrap_or_default());
        if let Some(at) = self.at {
            options = options.run_at(at);
        }
        if let Some(delay) = self.debounce {
            options = options.debounce(delay);
        }
        if let Some(max_wait) = self.max_wait {
            options = options.max_wait(max_wait);
        }
        options = match self.max_attempts {
            Some(Attempts::At(limit)) => options.max_attempts(limit),
            Some(Attempts::Unlimited) => options.unlimited_attempts(),
            None => options,
        };
        options = match self.max_stalls {
            Some(Attempts::At(limit)) => options.max_stalls(limit),
            Some(Attempts::Unlimited) => options.unlimited_stalls(),
            None => options,
        };
        if let Some(span) = self.expires_in {
            options = options.expires_in(span);
        }
        if let Some(limit) = self.time_limit {
            options = options.time_limit(limit);
        }
        if let Some(keep) = self.ttl {
            options = options.keep(keep);
        }
        options = match self.on_failed {
            Some(FailedRule::Block) => options.on_failed(OnFailed::Block),
            Some(FailedRule::Replace) => options.on_failed(OnFailed::Replace),
            None => options,
        };
        if let Some(kind) = &self.on_failure {
            options = options.on_failure(kind.clone());
        }
        options.validate()?;
        // The client says so too, but only once the store is open.
        if let Some(kind) = self.kind.as_ref().filter(|kind| kind.is_reserved()) {
            return Err(InvalidOption::ReservedKind { kind: kind.clone() }.into());
        }
        Ok(options)
    }
}
