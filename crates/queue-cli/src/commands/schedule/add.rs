//! The command `queue schedule add`: the arguments of a schedule, and the call that stores or
//! changes it.

use super::timing::TimingArgs;
use crate::{
    commands::jobs::job_args::JobArgs,
    exit::{CliError, Exit},
    parse,
    session::{Jobs, Missing, Session},
};
use clap::{ArgGroup, Args, ValueEnum};
use queue::{
    Raw,
    queue_core::Span,
    schedules::{Missed, Overlap, Put, Schedule},
};
use serde_json::json;
use std::{ffi::OsString, num::NonZeroUsize, time::Duration};

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("when").required(true)),
    after_help = "\
The id of each job is the name, `@` and the tick's moment in UTC. Where a JSON payload contains \"$queue.tick\", each job has its own \
moment. Adding the same schedule again changes nothing. An edited schedule continues from its last tick: no tick is lost or runs twice."
)]
pub(super) struct AddArgs {
    /// The name: 1 to 200 bytes without control characters and without `@`
    name: String,
    /// The payload of each job, used unchanged
    #[arg(default_value = "null")]
    payload: OsString,
    #[command(flatten)]
    timing: TimingArgs,
    /// What to do with ticks that passed while no worker ran
    #[arg(long, value_name = "WHAT", value_enum, default_value = "skip")]
    missed: MissedRule,
    /// With --missed skip: how late a tick may be and still run [default: half the time to the
    /// next, 10s to 1h]
    #[arg(long, value_name = "TIME", value_parser = parse::duration, allow_hyphen_values = true)]
    grace: Option<Duration>,
    /// With --missed all: the most ticks to run, the newest of them
    #[arg(long, value_name = "N", default_value = "1000", value_parser = parse::number_from_one)]
    catch_up: NonZeroUsize,
    /// What to do with a tick while the job of the previous tick has not ended
    #[arg(long, value_name = "WHAT", value_enum, default_value = "allow")]
    overlap: OverlapRule,
    /// Delay each job after its tick by zero to just below this
    #[arg(long, value_name = "TIME", value_parser = parse::duration, default_value = "0s", allow_hyphen_values = true)]
    jitter: Duration,
    /// Delay the whole schedule after its ticks, by zero to just below this; the name decides how
    /// much
    #[arg(long, value_name = "TIME", value_parser = parse::duration, default_value = "0s", allow_hyphen_values = true)]
    spread: Duration,
    /// Run each job no earlier than this long after its tick
    #[arg(long, value_name = "TIME", value_parser = parse::duration, default_value = "0s", allow_hyphen_values = true)]
    delay: Duration,
    #[command(flatten)]
    job: JobArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MissedRule {
    /// They do not run, except those that are late by at most the grace
    Skip,
    /// The newest of them runs
    Latest,
    /// All run, oldest first
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OverlapRule {
    /// Both run
    Allow,
    /// The tick does not run
    Skip,
    /// The earlier job is cancelled
    Cancel,
}

pub(super) async fn run(args: AddArgs, session: &Session) -> Result<Exit, CliError> {
    let options = args.job.options().delay(args.delay);
    options.validate()?;
    args.job.check()?;
    let payload = args.job.payload(args.payload.into_encoded_bytes())?;
    let missed = match (args.missed, args.grace) {
        (MissedRule::Skip, grace) => {
            Missed::Skip { grace: grace.map(|grace| Span::new("grace", grace)).transpose()? }
        }
        (_, Some(_)) => return Err(CliError::invalid("--grace goes with --missed skip")),
        (MissedRule::Latest, None) => Missed::Latest,
        (MissedRule::All, None) => Missed::All { max: args.catch_up.get() },
    };
    let overlap = match args.overlap {
        OverlapRule::Allow => Overlap::Allow,
        OverlapRule::Skip => Overlap::Skip,
        OverlapRule::Cancel => Overlap::CancelPrevious,
    };
    let schedule = Schedule::new(&args.name, args.timing.timing()?, Raw(payload))
        .options(options)
        .missed(missed)
        .overlap(overlap)
        .jitter(args.jitter)
        .spread(args.spread);
    let put = async |jobs: &Jobs| Ok(args.job.of_kind(jobs).schedules().put(&schedule).await?);
    let answer = match session.with_jobs(Missing::Create, put).await? {
        Put::Created => "created",
        Put::Changed => "changed",
        Put::Unchanged => "unchanged",
        Put::Rescheduled => "rescheduled",
        other => return Err(CliError::unforeseen(other)),
    };
    let name = &args.name;
    session.out.answer(|| format!("{answer} {name}"), || json!({"schedule": name, "answer": answer}))?;
    Ok(Exit::Ok)
}
