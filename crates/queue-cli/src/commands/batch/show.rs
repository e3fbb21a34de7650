//! The answers that show batches: the table of all of them, and the details of one.

use super::{LifeArgs, no_such};
use crate::{
    exit::{CliError, Exit},
    output::{self, Column, Format},
    session::{Jobs, Missing, Session},
};
use queue::{
    Error, Seq, UnreadableJob,
    batches::{BatchDetails, BatchLife, BatchName, BatchStatus, BatchesPage},
    queue_core::{Cursor, Timestamp},
    view::{
        BatchView, UnreadableBatchView,
        words::{age, moment, number},
    },
};
use serde_json::json;
use std::fmt::Write;

/// Batches of one read.
const PAGE: usize = 100;
/// The columns of a bar of progress.
const BAR: u64 = 24;

const COLUMNS: [Column; 7] = [
    Column::text("NAME"),
    Column::whole("STATE"),
    Column::whole("ADDED"),
    Column::whole("COMPLETED"),
    Column::whole("FAILED"),
    Column::whole("CANCELLED"),
    Column::whole("WAITING"),
];

pub(super) async fn all(session: &Session) -> Result<Exit, CliError> {
    let read = async |jobs: &Jobs| {
        let mut all = BatchesPage::default();
        let mut after: Option<Cursor> = None;
        loop {
            let page = jobs.batches().list(after, PAGE).await?;
            all.batches.extend(page.batches);
            all.unreadable.extend(page.unreadable);
            after = page.next;
            if after.is_none() {
                return Ok(all);
            }
        }
    };
    let found = session.with_jobs(Missing::Refuse, read).await?;
    match session.out.format() {
        Format::Json => {
            let unreadable = found.unreadable.iter().map(|job| json!(UnreadableBatchView::from(job)));
            let mut all = found.batches.iter().map(|status| json!(status.view())).chain(unreadable);
            all.try_for_each(|one| session.out.object(&one))?;
        }
        Format::Human => session.out.text(output::table(COLUMNS, rows(&found)))?,
    }
    Ok(Exit::Ok)
}

pub(super) async fn one(args: &LifeArgs, session: &Session) -> Result<Exit, CliError> {
    let read = async |jobs: &Jobs| {
        let found = jobs.batches().details(&args.name).await?;
        let Some(number) = args.number else { return found.ok_or_else(|| no_such(&args.name, session)) };
        match found {
            Some(found) if found.status.seq.get() == number => Ok(found),
            found => Err(no_record(args, number, found.as_ref(), jobs).await?),
        }
    };
    let found = session.with_jobs(Missing::Refuse, read).await?;
    match session.out.format() {
        Format::Json => session.out.object(&json!(found.view()))?,
        Format::Human => session.out.text(output::pairs(words(&found)))?,
    }
    Ok(Exit::Ok)
}

/// The error for a batch of this number whose record is not there: the name has a later one, or the
/// record was removed. Its members may be there still.
async fn no_record(
    args: &LifeArgs,
    number: u64,
    found: Option<&BatchDetails>,
    jobs: &Jobs,
) -> Result<CliError, CliError> {
    let life = BatchLife::new(BatchName::new(&args.name).map_err(Error::from)?, Seq::new(number));
    let members = jobs.jobs().tag(life.tag().as_str()).limit(1).page().await?;
    let later = found.map(|found| format!("; {:?} is the batch {} now", args.name, found.status.seq));
    let mut why = format!("there is no record of the batch {life}{}", later.unwrap_or_default());
    if !members.jobs.is_empty() {
        let tag = life.tag();
        write!(
            why,
            "\nits members are there: `queue list --tag {tag}` lists them, and `queue batch sweep {} --number {number}` ends their records",
            args.name
        )
        .expect("a text takes all");
    }
    Ok(CliError::new(Exit::NotFound, why))
}

/// The batches of the listing; those that cannot be read here come last.
fn rows(found: &BatchesPage) -> impl Iterator<Item = Vec<String>> {
    found.batches.iter().map(row).chain(found.unreadable.iter().map(unreadable_row))
}

fn row(status: &BatchStatus) -> Vec<String> {
    let counts = [status.added, status.completed, status.failed, status.cancelled, status.waiting];
    let state = status.view().state_words().to_owned();
    [status.name.to_string(), state].into_iter().chain(counts.map(number)).collect()
}

/// A batch that cannot be read here; in place of its counts stands why.
fn unreadable_row(unreadable: &UnreadableJob) -> Vec<String> {
    let why = unreadable.error().message().to_owned();
    let mut row = vec![unreadable.name().to_owned(), format!("unreadable: {why}")];
    row.resize(COLUMNS.len(), "-".to_owned());
    row
}

fn words(found: &BatchDetails) -> Vec<(&'static str, String)> {
    let status = &found.status;
    let details = found.view();
    let batch = &details.batch;
    let at = |at: Timestamp| {
        let moment = moment(at, found.now);
        format!("{} ({})", moment.absolute, moment.relative)
    };
    let mut pairs = vec![
        ("name", status.name.to_string()),
        ("number", status.seq.to_string()),
        ("state", batch.state_words().to_owned()),
        ("progress", progress(batch)),
        ("added", number(status.added)),
        ("completed", number(status.completed)),
        ("failed", number(status.failed)),
        ("cancelled", number(status.cancelled)),
        ("waiting", number(status.waiting)),
    ];
    pairs.extend(details.standstill().map(|why| ("worker", why.to_owned())));
    let counted = status.counted_until();
    pairs.extend(
        counted.map(|until| ("counted until", format!("{}; members may have ended since", at(until)))),
    );
    pairs.push(("opened", at(status.meta.created_at)));
    pairs.extend(status.ended_at.map(|ended_at| ("ended", at(ended_at))));
    pairs.extend(status.timeout_at().map(|timeout_at| ("time-out", at(timeout_at))));
    pairs.push(match status.kept_for() {
        Some(keep) => ("kept for", age(keep.as_duration())),
        None => ("kept", "until `queue batch sweep`, or until the members are deleted".to_owned()),
    });
    for callback in &batch.callbacks {
        let queue = callback.queue.as_ref().map(|queue| format!(" in {queue}")).unwrap_or_default();
        let job = callback.id.as_ref().map(|id| format!(": {id}")).unwrap_or_default();
        pairs.push(("callback", format!("{} at {}{queue}{job}", callback.kind, callback.on)));
    }
    if let Some(job) = &found.oldest {
        let since =
            job.claimed_at.map(|claimed_at| format!(", since {}", at(claimed_at))).unwrap_or_default();
        pairs.push(("runs longest", format!("{}{since}", job.id)));
    }
    if let Some(retrying) = details.retrying {
        pairs.push(("retrying", format!("{} wait for another try after a failure", retrying.count())));
    }
    pairs.extend(found.last_retried().map(|(job, error)| ("last retry", format!("{}: {error}", job.id))));
    pairs.extend(found.errors().map(|(job, error)| ("error", format!("{}: {error}", job.id))));
    pairs
}

/// How many of the members have ended, as a bar and as a share. Both are rounded down, so that only
/// all of them fill it.
fn progress(batch: &BatchView) -> String {
    let columns = u128::from(batch.ended()) * u128::from(BAR) / u128::from(batch.added.max(1));
    let bar: String = (0..u128::from(BAR)).map(|at| if at < columns { '#' } else { '.' }).collect();
    format!("{bar} {} of {}", batch.progress(), number(batch.added))
}
