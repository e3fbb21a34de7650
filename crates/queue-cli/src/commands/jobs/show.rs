//! The command `queue show`: all of a job, with its payload, its result and its attempts.

use super::{job_pauses::JobPauses, timeline::timeline};
use crate::{
    exit::{CliError, Exit},
    output::{self, OnTerminal, insert_bytes, plural},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{
    JobId, Payload, Status, StorageExt,
    queue_core::{Attempt, JobBody, JobRecord},
};
use serde_json::{Map, Value, json};

/// The longest text in a line for people, in characters.
const TEXT_CHARS_MAX: usize = 1000;

#[derive(Debug, Args)]
#[command(after_help = "Exits with 3 if there is no such job.")]
pub(crate) struct ShowArgs {
    /// The id of the job
    id: JobId,
    /// Write the payload alone, byte for byte
    #[arg(long)]
    payload: bool,
    /// With --payload: write bytes to a terminal unchanged; without it, control characters are
    /// escaped there
    #[arg(long, requires = "payload")]
    raw: bool,
}

pub(crate) async fn run(args: ShowArgs, session: &Session) -> Result<Exit, CliError> {
    if args.payload { payload(&args, session).await } else { everything(&args.id, session).await }
}

async fn payload(args: &ShowArgs, session: &Session) -> Result<Exit, CliError> {
    let id = &args.id;
    let read = async |jobs: &Jobs| Ok(jobs.payload_bytes(id).await?);
    let payload = session.with_jobs(Missing::Refuse, read).await?.ok_or_else(|| session.no_such_job(id))?;
    match session.out.format() {
        output::Format::Human => {
            let on_terminal = if args.raw { OnTerminal::Raw } else { OnTerminal::Escape };
            session.out.content(&payload.bytes, on_terminal)?;
        }
        output::Format::Json => {
            let mut object = Map::from_iter([("id".to_owned(), json!(id.as_str()))]);
            insert(&mut object, "payload", &payload);
            session.out.object(&object.into())?;
        }
    }
    Ok(Exit::Ok)
}

async fn everything(id: &JobId, session: &Session) -> Result<Exit, CliError> {
    let read = async |jobs: &Jobs| read_job(jobs, id).await;
    let found = session.with_jobs(Missing::Refuse, read).await?;
    let job = found.ok_or_else(|| session.no_such_job(id))?;
    let words = || {
        let pairs = output::Text::from(output::pairs(words(&job)));
        pairs.and_apart(timeline(&job.status, &job.attempts, &job.pauses))
    };
    session.out.answer(words, || object(&job))?;
    Ok(Exit::Ok)
}

/// All that is shown of a job.
#[derive(Debug)]
struct JobToShow {
    status: Status,
    body: JobBody,
    attempts: Vec<Attempt>,
    pauses: JobPauses,
}

async fn read_job(jobs: &Jobs, id: &JobId) -> Result<Option<JobToShow>, CliError> {
    let found = jobs.storage().get_whole(jobs.name(), std::slice::from_ref(id)).await?;
    let Some(JobRecord { meta, body }) = found.value.into_iter().next().flatten() else { return Ok(None) };
    let Some(body) = body else {
        return Err(CliError::new(Exit::Unusable, "the stored job is damaged: it has no payload"));
    };
    // Most jobs have no charged attempts, and then the read is skipped.
    let is_charged = meta.failed_at.is_some() || meta.epoch > 1;
    let are_kept = jobs.storage().capabilities().attempts && is_charged;
    let attempts = if are_kept { jobs.attempts(id).await? } else { None };
    let attempts = attempts.map(|found| found.attempts).unwrap_or_default();
    let pauses = JobPauses::read(jobs, &meta).await?;
    Ok(Some(JobToShow { status: Status { meta, now: found.now }, body, attempts, pauses }))
}

fn words(JobToShow { status, body, pauses, .. }: &JobToShow) -> Vec<(&'static str, String)> {
    let mut pairs = output::details(status);
    pairs.extend(pauses.pairs());
    pairs.extend(body.headers.iter().map(|(name, value)| ("header", format!("{name}: {value}"))));
    pairs.push(("payload", told(&body.payload)));
    if let Some(result) = &body.result {
        pairs.push(("result", told(result)));
    }
    if let Some(details) = &body.error_details {
        pairs.push(("error details", beginning(details)));
    }
    pairs
}

/// A payload in words: `text/plain, 5 bytes: hello`.
fn told(payload: &Payload) -> String {
    let bytes = plural(payload.bytes.len() as u64, "byte");
    format!("{}, {bytes}: {}", payload.content_type, beginning(&payload.bytes))
}

/// The beginning that fits into a line; `--payload` and `queue result` write all of it.
fn beginning(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Err(_) => "(not text)".to_owned(),
        Ok(text) => match text.char_indices().nth(TEXT_CHARS_MAX) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        },
    }
}

fn object(JobToShow { status, body, attempts, pauses }: &JobToShow) -> Value {
    let mut job = output::job(status);
    pauses.put(&mut job);
    let Value::Object(mut object) = job else { return Value::Null };
    let headers: Map<_, _> =
        body.headers.iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    object.insert("headers".to_owned(), headers.into());
    object.insert("charged".to_owned(), attempts.iter().map(output::attempt).collect());
    insert(&mut object, "payload", &body.payload);
    if let Some(result) = &body.result {
        insert(&mut object, "result", result);
    }
    if let Some(details) = &body.error_details {
        insert_bytes(&mut object, "error_details", details);
    }
    object.into()
}

fn insert(object: &mut Map<String, Value>, name: &str, payload: &Payload) {
    object.insert(format!("{name}_content_type"), json!(payload.content_type.as_str()));
    insert_bytes(object, name, &payload.bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue::ContentType;

    #[test]
    fn a_payload_is_told_with_its_type_and_size() {
        let text = |bytes: &[u8]| told(&Payload::new(bytes.to_vec(), ContentType::from_static("text/plain")));
        assert_eq!(text(b"hello"), "text/plain, 5 bytes: hello");
        assert_eq!(text(&[0xff]), "text/plain, 1 byte: (not text)");
        assert!(text("é".repeat(TEXT_CHARS_MAX + 1).as_bytes()).ends_with("éé…"));
    }
}
