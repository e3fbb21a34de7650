//! The jobs of a queue, a page at a time.

use super::super::{
    sheet::{Block, Sheet, SheetRow, Tone},
    source::Source,
    standings::standings,
    subject::Subject,
};
use crate::{commands::jobs::list, exit::CliError, output::plural};
use queue::{
    Counts, State, Status,
    queue_core::{Cursor, Page, QueueName},
    view::{JobFilter, JobListing},
};

/// The jobs of a page.
const PAGE: usize = 100;

pub(super) async fn read(
    queue: &QueueName,
    filter: &JobFilter,
    after: Option<&Cursor>,
    source: &Source,
) -> Result<Sheet, CliError> {
    let jobs = source.jobs(queue).await?;
    let listing = filter.newest_first(queue.clone())?;
    let page = listing.page(&**jobs.storage(), after.cloned(), PAGE).await?;
    let counts = jobs.counts().await?;
    Ok(sheet(queue, &listing, &counts, page))
}

fn sheet(queue: &QueueName, listing: &JobListing, counts: &Counts, page: Page) -> Sheet {
    let Page { jobs, next, looked_at, now, .. } = page;
    let looked_at = format!("Looked at {}.", plural(looked_at, "job", "jobs"));
    let more = if next.is_some() { " Press n for the next page." } else { " This is the last page." };
    Sheet {
        subject: Subject::Queue(queue.clone()),
        head: vec![
            Block::plain(states(listing.filter(), counts)),
            Block::dim(told(listing)),
            Block::plain(""),
        ],
        columns: &list::COLUMNS,
        rows: jobs.into_iter().map(|meta| row(queue, &Status { meta, now })).collect(),
        empty: "No job of this page matches.",
        tail: vec![Block::dim(format!("{looked_at}{more}"))],
        next,
    }
}

/// The standings with their counts; brackets are around the one that is shown.
fn states(filter: &JobFilter, counts: &Counts) -> String {
    let shown = standings(filter).map(|(standing, is_own)| {
        let (name, count) = match standing {
            Some(standing) => (standing.as_str(), standing.counted(counts)),
            None => ("all", Some(counts.total())),
        };
        let count = count.map_or_else(String::new, |count| format!(" {count}"));
        if is_own { format!("[{name}{count}]") } else { format!("{name}{count}") }
    });
    shown.join("  ")
}

fn told(listing: &JobListing) -> String {
    let shown = listing.filter().to_string();
    let order = listing.order_words();
    if shown.is_empty() { format!("All jobs, {order}.") } else { format!("{shown}; {order}.") }
}

fn row(queue: &QueueName, status: &Status) -> SheetRow {
    let tone = match status.meta.state {
        State::Failed => Tone::Bad,
        State::Failing => Tone::Warn,
        State::Processing => Tone::Good,
        State::Completed | State::Cancelled => Tone::Dim,
        State::Queued => Tone::Plain,
    };
    SheetRow { subject: Subject::Job(queue.clone(), status.meta.id.clone()), tone, cells: list::row(status) }
}
