//! Reports how a job ended, for every command that answers a result.

use crate::{
    exit::{CliError, Exit},
    output::{Format, OnTerminal, insert_bytes},
    session::Session,
};
use clap::Args;
use queue::{JobId, Outcome, Raw, Reason, State, WaitError, queue_core::JobRecord};
use serde_json::{Map, Value, json};

/// How to write bytes that someone else stored.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct BytesArgs {
    /// Write bytes to a terminal unchanged; without it, control characters in them are escaped
    /// there
    #[arg(long)]
    raw: bool,
}

impl BytesArgs {
    pub(crate) fn on_terminal(self) -> OnTerminal {
        if self.raw { OnTerminal::Raw } else { OnTerminal::Escape }
    }
}

/// The outcome of a call that enqueued and waited.
pub(crate) fn of_call(answer: Result<Raw, WaitError>) -> Result<Outcome<Raw>, CliError> {
    Ok(match answer {
        Ok(result) => Outcome::Completed(result),
        Err(WaitError::Failed { reason, error }) => Outcome::Failed { reason, error },
        Err(WaitError::Cancelled { reason }) => Outcome::Cancelled { reason },
        Err(WaitError::Superseded) => Outcome::Superseded,
        Err(WaitError::Expired) => Outcome::Expired,
        Err(WaitError::Unknown) => Outcome::Unknown,
        Err(WaitError::TimedOut { state, error }) => Outcome::TimedOut { state, error },
        Err(WaitError::Store(error)) => return Err(error.into()),
        Err(error) => return Err(CliError::new(Exit::Bug, error.to_string())),
    })
}

/// The outcome in a record, if there is one yet.
pub(crate) fn of_record(found: Option<JobRecord>) -> Result<Outcome<Raw>, CliError> {
    let Some(record) = found else { return Ok(Outcome::Unknown) };
    let corrupt = || CliError::new(Exit::Unusable, "the stored job is damaged: it has no outcome");
    Ok(match record.meta.state {
        State::Completed => Outcome::Completed(Raw(record.result().cloned().ok_or_else(corrupt)?)),
        State::Failed => {
            let reason = record.meta.reason.ok_or_else(corrupt)?;
            Outcome::Failed { reason, error: record.meta.last_error }
        }
        State::Cancelled => Outcome::Cancelled { reason: record.meta.reason },
        state => Outcome::TimedOut { state: Some(state), error: record.meta.last_error },
    })
}

/// Writes a result to standard output, or says why there is none. The id is unknown if the store
/// derived it and never answered.
pub(crate) fn report(
    session: &Session,
    id: Option<&JobId>,
    outcome: &Outcome<Raw>,
    on_terminal: OnTerminal,
) -> Result<Exit, CliError> {
    if session.out.format() == Format::Json {
        session.out.object(&object(id, outcome))?;
        return Ok(exit(outcome));
    }
    if let Outcome::Completed(Raw(result)) = outcome {
        session.out.content(&result.bytes, on_terminal)?;
        return Ok(Exit::Ok);
    }
    let job = id.map_or_else(|| "the job".to_owned(), |id| format!("the job {id:?}"));
    Err(CliError::new(exit(outcome), words(session, &job, outcome)))
}

fn exit(outcome: &Outcome<Raw>) -> Exit {
    match outcome {
        Outcome::Completed(_) => Exit::Ok,
        Outcome::Failed { .. } | Outcome::Cancelled { .. } | Outcome::Superseded => Exit::Negative,
        Outcome::Expired | Outcome::Unknown => Exit::NotFound,
        Outcome::TimedOut { .. } => Exit::NotFinished,
    }
}

fn words(session: &Session, job: &str, outcome: &Outcome<Raw>) -> String {
    match outcome {
        Outcome::Completed(_) => format!("{job} is completed"),
        Outcome::Failed { reason, error: None } => format!("{job} failed ({reason})"),
        Outcome::Failed { reason, error: Some(error) } => format!("{job} failed ({reason}): {error}"),
        Outcome::Cancelled { reason: None } => format!("{job} was cancelled"),
        Outcome::Cancelled { reason: Some(reason) } => format!("{job} was cancelled ({reason})"),
        Outcome::Superseded => format!("{job} was replaced by a newer one of the same id"),
        Outcome::Expired => format!("{job} and its outcome have been removed; give it a longer --ttl"),
        Outcome::Unknown => format!("{job} is not in the queue {:?}", session.name),
        Outcome::TimedOut { state: Some(state), .. } => {
            format!("{job} is {state}, not finished; `queue wait` waits for it")
        }
        Outcome::TimedOut { state: None, .. } => {
            format!("the store did not answer about {job} in time; an enqueue may have stored it")
        }
    }
}

fn object(id: Option<&JobId>, outcome: &Outcome<Raw>) -> Value {
    let mut object = Map::new();
    object.insert("id".to_owned(), json!(id.map(JobId::as_str)));
    object.insert("outcome".to_owned(), json!(name(outcome)));
    match outcome {
        Outcome::Completed(Raw(result)) => {
            object.insert("content_type".to_owned(), json!(result.content_type.as_str()));
            insert_bytes(&mut object, "result", &result.bytes);
        }
        Outcome::Failed { reason, error } => {
            object.insert("reason".to_owned(), json!(reason.as_str()));
            let error = error.as_ref().map(|error| json!({"name": error.name(), "message": error.message()}));
            object.insert("error".to_owned(), json!(error));
        }
        Outcome::TimedOut { state, .. } => {
            object.insert("state".to_owned(), json!(state.map(State::as_str)));
        }
        Outcome::Cancelled { reason } => {
            object.insert("reason".to_owned(), json!(reason.map(Reason::as_str)));
        }
        Outcome::Superseded | Outcome::Expired | Outcome::Unknown => {}
    }
    object.into()
}

fn name(outcome: &Outcome<Raw>) -> &'static str {
    match outcome {
        Outcome::Completed(_) => "completed",
        Outcome::Failed { .. } => "failed",
        Outcome::Cancelled { .. } => "cancelled",
        Outcome::Superseded => "superseded",
        Outcome::Expired => "expired",
        Outcome::Unknown => "unknown",
        Outcome::TimedOut { state: Some(_), .. } => "unfinished",
        Outcome::TimedOut { state: None, .. } => "unanswered",
    }
}
