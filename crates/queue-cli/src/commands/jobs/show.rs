//! The command `queue show`: all of a job, with its payload, its result and its attempts.

use super::timeline::timeline;
use crate::{
    exit::{CliError, Exit},
    output::{self, OnTerminal, plural},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{
    JobId, Payload,
    view::{DataView, JobReading, WholeJob},
};
use serde_json::json;

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
    let payload =
        session.with_jobs_or_service(Missing::Refuse, read).await?.ok_or_else(|| session.no_such_job(id))?;
    match session.out.format() {
        output::Format::Human => {
            let on_terminal = if args.raw { OnTerminal::Raw } else { OnTerminal::Escape };
            session.out.content(&payload.bytes, on_terminal)?;
        }
        output::Format::Json => {
            session.out.object(&json!({"id": id.as_str(), "payload": DataView::from(&payload)}))?;
        }
    }
    Ok(Exit::Ok)
}

async fn everything(id: &JobId, session: &Session) -> Result<Exit, CliError> {
    let read = async |jobs: &Jobs| Ok(JobReading::read_whole(&**jobs.storage(), jobs.name(), id).await?);
    let found = session.with_jobs_or_service(Missing::Refuse, read).await?;
    let reading = found.ok_or_else(|| session.no_such_job(id))?;
    let words = || {
        let pairs = output::Text::from(output::pairs(words(&reading)));
        pairs.and_apart(timeline(&reading))
    };
    session.out.answer(words, || json!(WholeJob::of(&reading)))?;
    Ok(Exit::Ok)
}

fn words(reading: &JobReading) -> Vec<(&'static str, String)> {
    let mut pairs = output::details(reading);
    let Some(body) = &reading.body else { return pairs };
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
    let bytes = plural(payload.bytes.len() as u64, "byte", "bytes");
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
