//! The enqueue of one job for each line of a file: reading ahead, storing in batches, and the
//! totals that are printed.

use super::{
    Target,
    batches::{Batch, Batches},
    ids::LineIds,
    one,
    progress::InputProgress,
};
use crate::{
    commands::jobs::job_args::JobArgs,
    exit::{CliError, Exit},
    output::{self, Format, plural},
    session::Session,
    signals::StopSignals,
};
use queue::{Enqueued, Id, JobOptions, Raw};
use serde_json::json;
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    pin::pin,
};
use tokio::sync::mpsc;

/// The batches that are read ahead while one is being stored.
const AHEAD_MAX: usize = 2;

/// The source of the lines.
pub(super) struct Input {
    reader: Box<dyn Read + Send>,
    bytes: Option<u64>,
    source: Vec<u8>,
}

/// The job that each line becomes.
#[derive(Debug)]
pub(super) struct LineJob {
    pub(super) ids: LineIds,
    pub(super) options: JobOptions,
    pub(super) args: JobArgs,
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
        return Ok(Input { reader: Box::new(io::stdin()), bytes: None, source: b"-".to_vec() });
    }
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
    let (metadata, file) =
        opened.map_err(|error| CliError::invalid(format!("cannot read {}: {error}", path.display())))?;
    // A pipe of the shell, such as /dev/fd/63, has no canonical name.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let bytes = metadata.is_file().then_some(metadata.len());
    Ok(Input { reader: Box::new(file), bytes, source: path.into_os_string().into_encoded_bytes() })
}

impl Input {
    /// The name that distinguishes this input from others: the whole path, or `-`.
    pub(super) fn source(&self) -> &[u8] {
        &self.source
    }
}

pub(super) async fn run(
    input: Input,
    mut job: LineJob,
    target: &Target,
    session: &Session,
) -> Result<Exit, CliError> {
    let mut totals = Totals::default();
    let stored = store_all(input, &mut job, target, session, &mut totals).await;
    stored.map_err(|error| error.context(totals.before_error()))?;
    session.out.answer(|| totals.words(), || totals.object())?;
    if session.out.format() == Format::Human && totals.duplicates > 0 && matches!(job.ids, LineIds::Line(_)) {
        output::note("duplicates are lines that an earlier run stored; --ids fresh stores them again");
    }
    Ok(Exit::Ok)
}

/// An interruption lets the present batch be stored, so that the count is right; a second one does
/// not.
async fn store_all(
    input: Input,
    job: &mut LineJob,
    target: &Target,
    session: &Session,
    totals: &mut Totals,
) -> Result<(), CliError> {
    let mut signals = StopSignals::listen()?;
    let progress = InputProgress::new(input.bytes);
    let mut batches = read_ahead(input, target.jobs.storage().capabilities().limits.payload_bytes_max);
    loop {
        // Biased, so that an interruption wins although a long input always has a batch ready.
        let batch = tokio::select! {
            biased;
            () = signals.next() => return Err(interrupted(job, "")),
            batch = batches.recv() => batch,
        };
        let Some(batch) = batch else { return Ok(()) };
        let batch = batch.map_err(|error| CliError::invalid(error.to_string()))?;
        let bytes = batch.bytes;
        let skipped = batch.skipped;
        let (numbers, lines) = of_batch(batch, job)?;
        let mut storing = pin!(target.enqueue_many(lines, job.options.clone()));
        let (stored, is_interrupted) = tokio::select! {
            stored = &mut storing => (stored?, false),
            () = signals.next() => tokio::select! {
                stored = &mut storing => (stored?, true),
                () = signals.next() => return Err(interrupted(job, "; the lines after them may be stored too")),
            },
        };
        totals.skipped += skipped;
        tell(&numbers, &stored, session, totals)?;
        progress.advance(bytes, totals.accepted);
        if is_interrupted {
            return Err(interrupted(job, ""));
        }
    }
}

fn interrupted(job: &LineJob, more: &str) -> CliError {
    let advice = if job.ids.are_repeatable() {
        "run the same command again to store the rest; nothing is stored twice"
    } else {
        "the same command would store them a second time"
    };
    CliError::new(Exit::Interrupted, format!("interrupted{more}; {advice}"))
}

/// Reads on a thread of its own, which ends when no more batches are wanted or the input ends.
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

/// A line that is to be stored.
type NewLine = (Id, Raw);

/// The numbers of the lines, and the jobs that they become.
fn of_batch(batch: Batch, job: &mut LineJob) -> Result<(Vec<u64>, Vec<NewLine>), CliError> {
    let mut numbers = Vec::with_capacity(batch.lines.len());
    let mut lines = Vec::with_capacity(batch.lines.len());
    for (number, line) in batch.lines {
        let at_line = |error: CliError| error.context(format_args!("line {number}"));
        let id = job.ids.next(number, &line).map_err(at_line)?;
        numbers.push(number);
        lines.push((id, Raw(job.args.payload(line).map_err(at_line)?)));
    }
    Ok((numbers, lines))
}

fn tell(
    numbers: &[u64],
    stored: &[Enqueued<Raw>],
    session: &Session,
    totals: &mut Totals,
) -> Result<(), CliError> {
    // All of the batch is stored, also if an answer cannot be written.
    for answer in stored {
        totals.count(answer);
    }
    if session.out.format() == Format::Human {
        return Ok(());
    }
    for (number, answer) in numbers.iter().zip(stored) {
        let mut object = one::object(answer);
        object["line"] = json!(number);
        session.out.object(&object)?;
    }
    Ok(())
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
        let jobs = plural(*accepted, "job", "jobs");
        format!(
            "queued {jobs}, {}, skipped {}",
            plural(*duplicates, "duplicate", "duplicates"),
            plural(*skipped, "empty line", "empty lines")
        )
    }

    fn object(&self) -> serde_json::Value {
        json!({"accepted": self.accepted, "duplicates": self.duplicates, "skipped": self.skipped})
    }

    fn before_error(&self) -> String {
        format!("after {}", plural(self.accepted + self.duplicates, "stored line", "stored lines"))
    }
}
