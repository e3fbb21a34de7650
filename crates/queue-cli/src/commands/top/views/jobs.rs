//! The jobs of a queue, a page at a time.

use super::super::{
    super::list,
    jobs_filter::JobsFilter,
    sheet::{Block, Sheet, SheetRow, Tone},
    source::Source,
    subject::Subject,
};
use crate::{exit::CliError, output::plural};
use queue::{
    Counts, State, Status,
    operations::Standing,
    queue_core::{Cursor, Page, QueueName},
};

/// The jobs of a page.
const PAGE: usize = 100;

pub(super) async fn read(
    queue: &QueueName,
    filter: &JobsFilter,
    after: Option<&Cursor>,
    source: &Source,
) -> Result<Sheet, CliError> {
    let jobs = source.jobs(queue).await?;
    let page = filter.of(jobs.jobs()).after(after.cloned()).limit(PAGE).page().await?;
    let counts = jobs.counts().await?;
    Ok(sheet(queue, filter, &counts, page))
}

fn sheet(queue: &QueueName, filter: &JobsFilter, counts: &Counts, page: Page) -> Sheet {
    let Page { jobs, next, looked_at, now, .. } = page;
    let looked_at = format!("Looked at {}.", plural(looked_at, "job"));
    let more = if next.is_some() { " Press n for the next page." } else { " This is the last page." };
    Sheet {
        subject: Subject::Queue(queue.clone()),
        head: vec![Block::plain(states(filter, counts)), Block::dim(told(filter)), Block::plain("")],
        columns: &list::COLUMNS,
        rows: jobs.into_iter().map(|meta| row(queue, &Status { meta, now })).collect(),
        empty: "No job of this page matches.",
        tail: vec![Block::dim(format!("{looked_at}{more}"))],
        next,
    }
}

/// The states with their counts; brackets are around the one that is shown.
fn states(filter: &JobsFilter, counts: &Counts) -> String {
    let shown = filter.standings().map(|(standing, is_own)| {
        let name = standing.map_or("all", Standing::as_str);
        let count = standing.map_or(counts.total(), |standing| count(counts, standing));
        if is_own { format!("[{name} {count}]") } else { format!("{name} {count}") }
    });
    shown.join("  ")
}

fn count(counts: &Counts, standing: Standing) -> u64 {
    match standing {
        Standing::Queued => counts.of(State::Queued).saturating_sub(counts.scheduled),
        Standing::Scheduled | Standing::Parked => counts.scheduled,
        Standing::Processing => counts.of(State::Processing),
        Standing::Failing => counts.of(State::Failing),
        Standing::Completed => counts.of(State::Completed),
        Standing::Failed => counts.of(State::Failed),
        Standing::Cancelled => counts.of(State::Cancelled),
    }
}

fn told(filter: &JobsFilter) -> String {
    let order = match filter.standing {
        Some(Standing::Queued) => "in the order in which they will run",
        Some(Standing::Scheduled | Standing::Parked) => "in the order of their times",
        _ => "newest first",
    };
    let shown = filter.to_string();
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
