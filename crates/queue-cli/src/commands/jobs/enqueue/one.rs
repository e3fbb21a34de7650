//! The enqueue of a single job, with or without waiting for its result, and the answer that is
//! printed.

use super::Target;
use crate::{
    commands::jobs::{ending, over_service},
    exit::{CliError, Exit},
    output::OnTerminal,
    session::{Jobs, Session},
};
use queue::{Enqueued, Id, JobOptions, Payload, Raw, Seq, State};
use serde_json::{Value, json};
use std::{
    ffi::OsString,
    io::{self, Read},
    time::Duration,
};

/// No store takes more; reading stops here, so that memory stays bounded.
const STDIN_BYTES_MAX: u64 = 1 << 30;

/// One job to store.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) id: Id,
    pub(super) payload: Payload,
    pub(super) options: JobOptions,
}

/// The bytes of an argument, or of standard input if it is `-`.
pub(in crate::commands) fn bytes(argument: OsString) -> Result<Vec<u8>, CliError> {
    if argument != "-" {
        return Ok(argument.into_encoded_bytes());
    }
    let mut bytes = Vec::new();
    io::stdin().take(STDIN_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(super) async fn run(request: Request, target: &Target, session: &Session) -> Result<Exit, CliError> {
    let Request { id, payload, options } = request;
    let stored = target.enqueue(id, Raw(payload.clone()), options).await?;
    let differs = payload_differs(&stored, &payload, &target.jobs).await;
    let object = || {
        let mut object = object(&stored);
        if let Some(differs) = differs {
            object["payload_differs"] = json!(differs);
        }
        object
    };
    let note = if differs == Some(true) { "; the stored payload differs" } else { "" };
    session.out.answer(|| format!("{}{note}", words(&stored)), object)?;
    Ok(Exit::Ok)
}

/// Whether the job that has the id already has another payload; `None` for a new job, and where
/// this caller may not read payloads. The enqueue is answered, so no failure of this read is one of
/// it.
async fn payload_differs(stored: &Enqueued<Raw>, payload: &Payload, jobs: &Jobs) -> Option<bool> {
    if stored.is_new() {
        return None;
    }
    let present = jobs.payload_bytes(stored.id()).await.ok()??;
    Some(present != *payload)
}

/// Enqueues a job and reports its result.
pub(super) async fn wait(
    request: Request,
    jobs: &Jobs,
    timeout: Duration,
    session: &Session,
) -> Result<Exit, CliError> {
    let Request { id, payload, options } = request;
    let known = match &id {
        Id::Given(id) => Some(id.clone()),
        _ => None,
    };
    let outcome = match over_service::service(jobs) {
        None => {
            let answer = jobs.enqueue_and_wait_with(id, Raw(payload), options, timeout).await;
            ending::of_call(answer)?
        }
        Some(service) => {
            over_service::enqueue_and_wait(service, jobs, (id, Raw(payload), options), timeout).await?
        }
    };
    ending::report(session, known.as_ref(), &outcome, OnTerminal::Escape)
}

fn words(stored: &Enqueued<Raw>) -> String {
    match stored {
        Enqueued::Queued { id, .. } => format!("queued {id}"),
        Enqueued::Duplicate { id, state, .. } => format!("duplicate {id} ({state})"),
        Enqueued::Completed { id, .. } => {
            format!("duplicate {id} (completed; `queue result` has its result)")
        }
        Enqueued::Orphaned { id } => format!("orphaned {id}"),
    }
}

/// The outcome of one enqueue; listings of many use it too.
pub(super) fn object(stored: &Enqueued<Raw>) -> Value {
    let (answer, state) = match stored {
        Enqueued::Queued { .. } => ("queued", Some(State::Queued)),
        Enqueued::Duplicate { state, .. } => ("duplicate", Some(*state)),
        Enqueued::Completed { .. } => ("duplicate", Some(State::Completed)),
        // No option of the command asks for end signals, so this does not come.
        Enqueued::Orphaned { .. } => ("orphaned", None),
    };
    let id = stored.id().as_str();
    let seq = stored.seq().map(Seq::get);
    json!({"id": id, "seq": seq, "answer": answer, "state": state.map(State::as_str)})
}
