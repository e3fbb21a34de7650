//! `queue batch open`: the callbacks and options of a batch, and the call that opens it.

use crate::{
    exit::{CliError, Exit},
    parse,
    session::{Jobs, Missing, Session},
};
use clap::{Args, ValueEnum};
use queue::{
    Kind, Raw,
    batches::{BatchBuilder, OnTimeout},
    view::{JSON_DEPTH_MAX, JsonFlaw},
};
use serde_json::{json, value::RawValue};
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = "\
A callback is a job of its kind. Its payload is JSON: the counts of the batch, and under \"payload\" the JSON that stands behind the \
kind, such as --on-end 'report={\"to\":\"ada\"}'; null if none does.
Opening a batch again in the same way changes nothing, also once it has ended. With other callbacks or options it is refused.")]
pub(super) struct OpenArgs {
    /// The name: 1 to 36 bytes without `@` and `/`
    name: String,
    /// Enqueue a job of this kind at the end, however the members ended
    #[arg(long, value_name = "KIND[=JSON]", value_parser = callback)]
    on_end: Option<Callback>,
    /// Enqueue a job of this kind at the end, if all members completed
    #[arg(long, value_name = "KIND[=JSON]", value_parser = callback)]
    on_success: Option<Callback>,
    /// Enqueue a job of this kind at the end otherwise
    #[arg(long, value_name = "KIND[=JSON]", value_parser = callback)]
    on_failure: Option<Callback>,
    /// Enqueue a job of this kind as soon as a member has not completed, once
    #[arg(long, value_name = "KIND[=JSON]", value_parser = callback)]
    on_first_failure: Option<Callback>,
    /// The queue of the callbacks [default: that of the batch]
    #[arg(long, value_name = "QUEUE")]
    callbacks_in: Option<String>,
    /// How long after its opening it ends at the latest [default: 7d]
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true)]
    timeout: Option<Duration>,
    /// What happens at the time-out to members that have not ended
    #[arg(long, value_name = "WHAT", value_enum, default_value = "cancel")]
    on_timeout: TimeoutRule,
    /// How long members are kept after the end [default: 24h]
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true)]
    keep: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TimeoutRule {
    /// Those that wait are cancelled, those that run are asked to stop
    Cancel,
    /// They go on, and nothing counts them
    Leave,
}

/// A kind, and the JSON that its job gets along.
#[derive(Clone, Debug)]
struct Callback {
    kind: Kind,
    payload: Box<RawValue>,
}

fn callback(text: &str) -> Result<Callback, String> {
    let (kind, payload) = text.split_once('=').unwrap_or((text, "null"));
    let kind = Kind::new(kind).map_err(|error| error.to_string())?;
    let payload = RawValue::from_string(payload.to_owned()).map_err(|error| format!("no JSON: {error}"))?;
    // The job of the callback gets it one level deeper.
    match JsonFlaw::of(payload.get().as_bytes(), JSON_DEPTH_MAX - 1) {
        Some(flaw) => Err(flaw.to_string()),
        None => Ok(Callback { kind, payload }),
    }
}

pub(super) async fn run(args: OpenArgs, session: &Session) -> Result<Exit, CliError> {
    let open = async |jobs: &Jobs| Ok(args.builder(jobs).open().await?);
    let batch = session.with_jobs(Missing::Create, open).await?;
    let (name, seq) = (&args.name, batch.seq().get());
    session
        .out
        .answer(|| format!("open {name}@{seq}"), || json!({"batch": name, "seq": seq, "answer": "open"}))?;
    Ok(Exit::Ok)
}

impl OpenArgs {
    fn builder(&self, jobs: &Jobs) -> BatchBuilder<Raw, Raw> {
        let mut batch = jobs.batch(&self.name);
        if let Some(Callback { kind, payload }) = &self.on_end {
            batch = batch.on_end(kind.clone(), payload);
        }
        if let Some(Callback { kind, payload }) = &self.on_success {
            batch = batch.on_success(kind.clone(), payload);
        }
        if let Some(Callback { kind, payload }) = &self.on_failure {
            batch = batch.on_failure(kind.clone(), payload);
        }
        if let Some(Callback { kind, payload }) = &self.on_first_failure {
            batch = batch.on_first_failure(kind.clone(), payload);
        }
        if let Some(queue) = &self.callbacks_in {
            batch = batch.callbacks_in(queue);
        }
        if let Some(timeout) = self.timeout {
            batch = batch.timeout(timeout);
        }
        if let Some(keep) = self.keep {
            batch = batch.keep(keep);
        }
        batch.on_timeout(match self.on_timeout {
            TimeoutRule::Cancel => OnTimeout::Cancel,
            TimeoutRule::Leave => OnTimeout::Leave,
        })
    }
}
