//! The arguments about a job that `queue enqueue` and `queue schedule add` share.

use crate::{
    content_type,
    exit::CliError,
    parse::{self, Attempts},
    session::Jobs,
};
use clap::Args;
use queue::{
    ContentType, InvalidOption, JobOptions, Keep, Kind, Payload,
    queue_core::{Partition, Tag},
};
use std::time::Duration;

/// The properties of a job, whether a command enqueues it or a schedule at its ticks.
#[derive(Debug, Args)]
pub(crate) struct JobArgs {
    /// The kind of work that the job asks for; workers may choose a handler by it
    #[arg(long)]
    kind: Option<Kind>,
    /// Cancel the job, uncharged, if it has not started this long after the enqueue; its id is then
    /// free. Longer than the delay
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true)]
    expires_in: Option<Duration>,
    /// How long its handler may run, instead of the worker's own limit
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true)]
    time_limit: Option<Duration>,
    /// The priority, -32768 to 32767; lower runs first
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse::priority, allow_hyphen_values = true)]
    priority: i16,
    /// How many attempts may fail, or `unlimited` [default: 25, over about two and a half days]
    #[arg(long, value_name = "N", value_parser = parse::attempts, allow_hyphen_values = true)]
    max_attempts: Option<Attempts>,
    /// How many workers may die while they run it, or `unlimited` [default: 3]
    #[arg(long, value_name = "N", value_parser = parse::attempts, allow_hyphen_values = true)]
    max_stalls: Option<Attempts>,
    /// How long the job and its result are kept once finished, with any outcome: a time,
    /// `forever` or `none` [default: 1h if completed, 7d if failed or cancelled]
    #[arg(long, value_name = "TIME", value_parser = parse::keep, allow_hyphen_values = true)]
    ttl: Option<Keep>,
    /// If this job fails for good, enqueue a job of this kind with the failure as its payload
    #[arg(long, value_name = "KIND")]
    on_failure: Option<Kind>,
    /// A tag by which the job is found again; may be repeated
    #[arg(long)]
    tag: Vec<Tag>,
    /// The partition of the queue in which the job takes its turn, such as a customer
    #[arg(long, value_name = "KEY")]
    partition: Option<Partition>,
    /// A header that the handler gets beside the payload; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = header)]
    header: Vec<(String, String)>,
    /// The content type of the payload [default: application/json if it is JSON, otherwise
    /// text/plain]
    #[arg(long, value_name = "TYPE")]
    content_type: Option<ContentType>,
}

impl JobArgs {
    /// The payload that these bytes make.
    pub(crate) fn payload(&self, bytes: Vec<u8>) -> Result<Payload, CliError> {
        let content_type = content_type::of_payload(&bytes, self.content_type.as_ref())?;
        Ok(Payload::new(bytes, content_type))
    }

    /// The kind, if one was given.
    pub(crate) fn kind(&self) -> Option<&Kind> {
        self.kind.as_ref()
    }

    pub(crate) fn has_ttl(&self) -> bool {
        self.ttl.is_some()
    }

    /// The queue for jobs of this kind.
    pub(crate) fn of_kind(&self, jobs: &Jobs) -> Jobs {
        of_kind(self.kind(), jobs)
    }

    pub(crate) fn options(&self) -> JobOptions {
        let mut options = JobOptions::new().priority(self.priority);
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
        if let Some(kind) = &self.on_failure {
            options = options.on_failure(kind.clone());
        }
        options = self.partition.iter().fold(options, |options, key| options.partition(key.as_str()));
        options = self.tag.iter().fold(options, |options, tag| options.tag(tag.as_str()));
        for (name, value) in &self.header {
            options = options.header(name, value);
        }
        options
    }

    /// Checks what the client would refuse only once the store is open.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self.kind.as_ref().filter(|kind| kind.is_reserved()) {
            Some(kind) => Err(InvalidOption::ReservedKind { kind: kind.clone() }.into()),
            None => Ok(()),
        }
    }
}

/// The queue for jobs of this kind; of the default one if none was given.
pub(super) fn of_kind(kind: Option<&Kind>, jobs: &Jobs) -> Jobs {
    kind.map_or_else(|| jobs.clone(), |kind| jobs.of_kind(kind.clone()))
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a header is a name and a value, such as tenant=7")?;
    Ok((name.to_owned(), value.to_owned()))
}
