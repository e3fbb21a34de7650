//! The commands `queue pause` and `queue resume`, which stop and restart claims: of a queue, of one
//! kind, or of a worker.

use crate::{
    exit::{CliError, Exit},
    output::date,
    parse,
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{
    Kind, WorkerId,
    queue_core::{Duty, Pause, Span, Timestamp},
};
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Debug, Args)]
#[command(after_help = "\
Jobs that run go on, and jobs can be enqueued. A queue, or a kind, that is paused for a time goes on by itself; the last \
`pause` or `resume` counts. A worker learns of it within ten seconds, finishes what it runs, and stays; a worker that is \
started again is not paused. Exits with 3 if there is no such worker.")]
pub(crate) struct PauseArgs {
    #[command(flatten)]
    scope: ScopeArgs,
    /// Until this time of the store, as 2026-12-24T18:00:00Z; then it goes on by itself
    #[arg(long, value_name = "TIME", value_parser = parse::time_of_day, conflicts_with = "worker")]
    until: Option<SystemTime>,
    /// For so long, as 10m; then it goes on by itself
    #[arg(long = "for", value_name = "TIME", value_parser = parse::positive, conflicts_with_all = ["worker", "until"])]
    length: Option<Duration>,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Debug, Args)]
struct ScopeArgs {
    /// Only the jobs of this kind; the other kinds of the queue go on
    #[arg(long, value_name = "KIND", conflicts_with = "worker")]
    kind: Option<Kind>,
    /// Not the queue but this worker, as `queue workers` names it
    #[arg(long, value_name = "WORKER")]
    worker: Option<WorkerId>,
}

/// A queue may be paused before its first job, in an existing store.
pub(crate) async fn pause(args: PauseArgs, session: &Session) -> Result<Exit, CliError> {
    if let Some(worker) = &args.scope.worker {
        return ask(worker, Duty::Pause, session).await;
    }
    let set = async |jobs: &Jobs| {
        let pause = match (args.until, args.length) {
            (Some(until), _) => Pause::Until(moment(until)),
            (None, Some(length)) => Pause::Until(jobs.store_time().await? + Span::new("pause", length)?),
            (None, None) => Pause::UntilResumed,
        };
        if pause.until().is_some() && !pause.at(jobs.store_time().await?).is_on() {
            return Err(CliError::new(Exit::Invalid, "by the time of the store, that time is past"));
        }
        args.scope.set(jobs, pause).await?;
        Ok(pause)
    };
    let pause = session.with_jobs(Missing::Refuse, set).await?;
    let what = args.scope.words(session);
    let words = || match pause.until() {
        Some(until) => format!("paused {what} until {}", date(until)),
        None => format!("paused {what}"),
    };
    let until_ms = pause.until().map(Timestamp::as_millis);
    let (queue, kind) = (session.name.as_str(), args.scope.kind.as_ref().map(Kind::as_str));
    let object = || match kind {
        None => json!({"queue": queue, "answer": "paused", "until_ms": until_ms}),
        Some(kind) => json!({"queue": queue, "kind": kind, "answer": "paused", "until_ms": until_ms}),
    };
    session.out.answer(words, object)?;
    Ok(Exit::Ok)
}

pub(crate) async fn resume(args: ResumeArgs, session: &Session) -> Result<Exit, CliError> {
    if let Some(worker) = &args.scope.worker {
        return ask(worker, Duty::Work, session).await;
    }
    let set = async |jobs: &Jobs| args.scope.set(jobs, Pause::Off).await;
    session.with_jobs(Missing::Refuse, set).await?;
    let what = args.scope.words(session);
    let (queue, kind) = (session.name.as_str(), args.scope.kind.as_ref().map(Kind::as_str));
    let object = || match kind {
        None => json!({"queue": queue, "answer": "resumed"}),
        Some(kind) => json!({"queue": queue, "kind": kind, "answer": "resumed"}),
    };
    session.out.answer(|| format!("resumed {what}"), object)?;
    Ok(Exit::Ok)
}

impl ScopeArgs {
    async fn set(&self, jobs: &Jobs, pause: Pause) -> Result<(), CliError> {
        match &self.kind {
            None => jobs.set_pause(pause).await?,
            Some(kind) => jobs.set_kind_pause(kind, pause).await?,
        }
        Ok(())
    }

    fn words(&self, session: &Session) -> String {
        match &self.kind {
            None => session.name.to_string(),
            Some(kind) => format!("kind {kind} of {}", session.name),
        }
    }
}

/// Gives a worker a duty. The worker learns about it with its next announcement.
async fn ask(worker: &WorkerId, duty: Duty, session: &Session) -> Result<Exit, CliError> {
    let then = session
        .with_jobs(Missing::Refuse, async |jobs| Ok(jobs.storage().set_duty(worker, duty).await?))
        .await?;
    let word = if duty == Duty::Pause { "pause" } else { "work" };
    match then {
        None => Err(CliError::new(Exit::NotFound, format!("there is no worker {worker:?} in this store"))),
        Some(then) if then != duty => {
            let message = format!("the worker {worker:?} drains: it ends once it has finished what it runs");
            Err(CliError::new(Exit::Negative, message))
        }
        Some(_) => {
            let words = || format!("asked {worker} to {word}");
            session.out.answer(words, || json!({"worker": worker.as_str(), "answer": "asked"}))?;
            Ok(Exit::Ok)
        }
    }
}

fn moment(at: SystemTime) -> Timestamp {
    let since_epoch = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}
