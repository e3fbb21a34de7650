//! The schedules of a queue.

use super::super::{
    super::schedule::show,
    sheet::{Block, Sheet, SheetRow, Tone},
    source::Source,
    subject::Subject,
};
use crate::exit::CliError;
use queue::{queue_core::QueueName, schedules::ScheduleStatus};

/// The most pages of jobs among which schedules are looked for.
const PAGES_MAX: usize = 4;

pub(super) async fn read(queue: &QueueName, source: &Source) -> Result<Sheet, CliError> {
    let schedules = source.jobs(queue).await?.schedules();
    let (mut found, mut after) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let (page, next) = schedules.page(after).await?;
        found.extend(page);
        after = next;
        if after.is_none() {
            break;
        }
    }
    let cut = after.map(|_| Block::dim("There may be more; `queue schedule ls` lists all of them."));
    Ok(Sheet {
        subject: Subject::Queue(queue.clone()),
        columns: &show::COLUMNS,
        rows: found.iter().map(|status| row(queue, status)).collect(),
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
