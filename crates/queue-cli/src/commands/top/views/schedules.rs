//! The schedules of a queue.

use super::super::{
    sheet::{Block, Sheet, SheetRow, Tone},
    source::Source,
    subject::Subject,
};
use crate::{commands::schedule::show, exit::CliError};
use queue::{UnreadableJob, queue_core::QueueName, schedules::ScheduleStatus};

/// The most pages of jobs among which schedules are looked for.
const PAGES_MAX: usize = 4;

pub(super) async fn read(queue: &QueueName, source: &Source) -> Result<Sheet, CliError> {
    let found = source.jobs(queue).await?.schedules().pages(PAGES_MAX).await?;
    let unreadable = found.unreadable.iter().map(|unreadable| unreadable_row(queue, unreadable));
    let cut =
        found.next.as_ref().map(|_| Block::dim("There may be more; `queue schedule ls` lists all of them."));
    Ok(Sheet {
        subject: Subject::Queue(queue.clone()),
        columns: &show::COLUMNS,
        rows: found.schedules.iter().map(|status| row(queue, status)).chain(unreadable).collect(),
        empty: "This queue has no schedule.",
        tail: cut.into_iter().collect(),
        ..Sheet::default()
    })
}

fn row(queue: &QueueName, status: &ScheduleStatus) -> SheetRow {
    let tone = match (status.is_failed(), status.is_paused()) {
        (true, _) => Tone::Bad,
        (_, true) => Tone::Warn,
        _ => Tone::Plain,
    };
    let subject = Subject::Schedule(queue.clone(), status.name().to_owned());
    SheetRow { subject, tone, cells: show::row(status) }
}

fn unreadable_row(queue: &QueueName, unreadable: &UnreadableJob) -> SheetRow {
    let subject = Subject::Schedule(queue.clone(), unreadable.name().to_owned());
    SheetRow { subject, tone: Tone::Warn, cells: show::unreadable_row(unreadable) }
}
