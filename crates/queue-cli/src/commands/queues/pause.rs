//! The commands `queue pause` and `queue resume`, which stop and restart claims: of a queue, of one
//! kind, or of a worker.

use super::unknown;
use crate::{
    exit::{CliError, Exit},
    output::{self, Format, date},
    parse,
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{
    Kind, QueueName, WorkerId,
    queue_core::{Duty, Pause, QueuesQuery, Span, Timestamp},
};
use serde_json::{Value, json};
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
    /// All queues of the store in place of one: `pause` leaves out the library's own, and `resume`
    /// takes all that are paused
    #[arg(long, conflicts_with_all = ["kind", "worker"])]
    all_queues: bool,
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
        let queues = args.scope.set(jobs, pause, session).await?;
        Ok((pause, queues))
    };
    let (pause, queues) = session.with_jobs_or_service(Missing::Refuse, set).await?;
    let until_ms = pause.until().map(Timestamp::as_millis);
    args.scope.tell("paused", &queues, pause.until(), &json!({"until_ms": until_ms}), session)
}

pub(crate) async fn resume(args: ResumeArgs, session: &Session) -> Result<Exit, CliError> {
    if let Some(worker) = &args.scope.worker {
        return ask(worker, Duty::Work, session).await;
    }
    let set = async |jobs: &Jobs| args.scope.set(jobs, Pause::Off, session).await;
    let queues = session.with_jobs_or_service(Missing::Refuse, set).await?;
    args.scope.tell("resumed", &queues, None, &json!({}), session)
}

impl ScopeArgs {
    /// Sets the pause, and answers of which queues.
    async fn set(&self, jobs: &Jobs, pause: Pause, session: &Session) -> Result<Vec<QueueName>, CliError> {
        if self.all_queues {
            return set_all(jobs, pause).await;
        }
        unknown::warn_of_new(jobs, pause, session).await;
        match &self.kind {
            None => jobs.set_pause(pause).await?,
            Some(kind) => jobs.set_kind_pause(kind, pause).await?,
        }
        Ok(vec![session.name.clone()])
    }

    /// One answer for each queue.
    fn tell(
        &self,
        word: &str,
        queues: &[QueueName],
        until: Option<Timestamp>,
        more: &Value,
        session: &Session,
    ) -> Result<Exit, CliError> {
        let until = until.map_or_else(String::new, |until| format!(" until {}", date(until)));
        for queue in queues {
            let what = match &self.kind {
                None => queue.to_string(),
                Some(kind) => format!("kind {kind} of {queue}"),
            };
            let object = || {
                let mut object = json!({"queue": queue.as_str(), "answer": word});
                let kind = self.kind.as_ref().map(|kind| ("kind".to_owned(), json!(kind.as_str())));
                let parts = more.as_object().cloned().unwrap_or_default().into_iter().chain(kind);
                parts.for_each(|(key, value)| object[key] = value);
                object
            };
            session.out.answer(|| format!("{word} {what}{until}"), object)?;
        }
        if queues.is_empty() && session.out.format() == Format::Human {
            output::note(format!("{word} none: the store has no such queue"));
        }
        Ok(Exit::Ok)
    }
}

/// The library's own queues stay as they are in a pause, since operations run in one of them, and
/// go on in a resume, since a copy pauses all.
async fn set_all(jobs: &Jobs, pause: Pause) -> Result<Vec<QueueName>, CliError> {
    let mut set = Vec::new();
    let mut next = Some(QueuesQuery::all(QueuesQuery::LIMIT_MAX));
    while let Some(query) = next {
        let page = jobs.storage().queues(query).await?;
        for queue in page.queues {
            let is_meant = if pause.is_on() { !queue.name.is_reserved() } else { queue.pause.is_on() };
            if is_meant {
                jobs.storage().set_paused(&queue.name, None, pause).await?;
                set.push(queue.name);
            }
        }
        next = page.next;
    }
    Ok(set)
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
