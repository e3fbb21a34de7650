use super::{
    batches::{Batch, Batches},
    one,
    options::IdRule,
    progress::Progress,
};
use crate::{
    exit::{CliError, Exit},
    output::{Format, plural},
    session::{Jobs, Session},
};
use queue::{ContentType, Enqueued, Id, JobOptions, Payload, Raw};
use serde_json::json;
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};
use tokio::sync::mpsc;

/// Batches that are read ahead while one is being stored.
const AHEAD_MAX: usize = 2;

/// Where lines come from.
pub(super) struct Input {
    reader: Box<dyn Read + Send>,
    bytes: Option<u64>,
}

/// What each line becomes.
#[derive(Debug)]
pub(super) struct LineJob {
    pub(super) ids: IdRule,
    pub(super) options: JobOptions,
    pub(super) content_type: ContentType,
}

#[derive(Debug, Default)]
struct Totals {
    accepted: u64,
    duplicates: u64,
    skipped: u64,
}

/// Opens the file before the store, so that a mistyped name leaves nothing behind.
pub(super) fn open(path: &Path) -> Result<Input, CliError> {
    if path == Path::new("-") {
        return Ok(Input { reader: Box::new(io::stdin()), bytes: None });
    }
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
    let (metadata, file) =
        opened.map_err(|error| CliError::invalid(format!("cannot read {}: {error}", path.display())))?;
    Ok(Input { reader: Box::new(file), bytes: metadata.is_file().then_some(metadata.len()) })
}

pub(super) async fn run(
    input: Input,
    job: &LineJob,
    jobs: &Jobs,
    session: &Session,
) -> Result<Exit, CliError> {
    let mut totals = Totals::default();
    let stored = store_all(input, job, jobs, session, &mut totals).await;
    stored.map_err(|error| error.context(totals.before_error()))?;
    session.out.answer(|| totals.words(), || totals.object())?;
    Ok(Exit::Ok)
}

async fn store_all(
    input: Input,
    job: &LineJob,
    jobs: &Jobs,
    session: &Session,
    totals: &mut Totals,
) -> Result<(), CliError> {
    let progress = Progress::new(input.bytes);
    let mut batches = read_ahead(input, jobs.storage().capabilities().limits.payload_bytes_max);
    while let Some(batch) = batches.recv().await {
        let batch = batch.map_err(|error| CliError::invalid(error.to_string()))?;
        totals.skipped += batch.skipped;
        let bytes = batch.bytes;
        store(batch, job, jobs, session, totals).await?;
        progress.advance(bytes, totals.accepted);
    }
    Ok(())
}

/// Reads on a thread of its own, which ends when nobody wants more batches or the input is over.
fn read_ahead(input: Input, line_bytes_max: usize) -> mpsc::Receiver<io::Result<Batch>> {
    let (sender, receiver) = mpsc::channel(AHEAD_MAX);
    let mut batches = Batches::new(input.reader, line_bytes_max);
    tokio::task::spawn_blocking(move || {
        while let Some(batch) = batches.next_batch().transpose() {
            let is_last = batch.is_err();
            if sender.blocking_send(batch).is_err() || is_last {
                return;
            }
        }
    });
    receiver
}

/// One batch, whole or not at all.
async fn store(
    batch: Batch,
    job: &LineJob,
    jobs: &Jobs,
    session: &Session,
    totals: &mut Totals,
) -> Result<(), CliError> {
    let numbers: Vec<u64> = batch.lines.iter().map(|(number, _)| *number).collect();
    let lines = batch.lines.into_iter().map(|(number, line)| of_line(job, number, line));
    let stored = jobs.enqueue_many(lines.collect::<Result<Vec<_>, _>>()?, job.options.clone()).await?;
    for (number, answer) in numbers.into_iter().zip(&stored) {
        totals.count(answer);
        if session.out.format() == Format::Json {
            let mut object = one::object(answer);
            object["line"] = json!(number);
            session.out.object(&object)?;
        }
    }
    Ok(())
}

fn of_line(job: &LineJob, number: u64, line: Vec<u8>) -> Result<(Id, Raw), CliError> {
    let id = job.ids.id(&line).map_err(|error| error.context(format_args!("line {number}")))?;
    Ok((id, Raw(Payload::new(line, job.content_type.clone()))))
}

impl Totals {
    fn count(&mut self, answer: &Enqueued<Raw>) {
        if answer.is_new() {
            self.accepted += 1;
        } else {
            self.duplicates += 1;
        }
    }

    fn words(&self) -> String {
        let Self { accepted, duplicates, skipped } = self;
        let jobs = plural(*accepted, "job");
        format!(
            "queued {jobs}, {}, skipped {}",
            plural(*duplicates, "duplicate"),
            plural(*skipped, "empty line")
        )
    }

    fn object(&self) -> serde_json::Value {
        json!({"accepted": self.accepted, "duplicates": self.duplicates, "skipped": self.skipped})
    }

    fn before_error(&self) -> String {
        format!("after {}", plural(self.accepted + self.duplicates, "stored line"))
    }
}
