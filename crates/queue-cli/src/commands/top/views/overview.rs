//! Whether all is well, and every queue in a line.

use super::super::{
    sheet::{Block, Sheet, SheetRow, Tone},
    source::Source,
    subject::Subject,
};
use crate::{
    commands::queues::pauses,
    exit::CliError,
    output::{Chart, Column, age, plural},
};
use queue::{
    SeriesReading, State, WorkOutcome,
    operations::OPERATIONS_QUEUE,
    queue_core::{QueueFilter, QueueName, QueueStatus, StorageExt, WorkerInfo},
    view::{Grade, HealthGroup, HealthPoint, QueueHealth, WorkReading, headline, is_library_worker},
};

/// Minutes of a column of the chart, of which twelve stand in the line of a queue.
const CHART_STEP: usize = 5;
/// The most queues that are shown.
const QUEUES_MAX: usize = 500;
/// The most queues of which the last hour is shown.
const DRAWN_MAX: usize = 50;
/// The most points of health that are shown.
const POINTS_MAX: usize = 5;

const COLUMNS: [Column; 12] = [
    Column::text("QUEUE"),
    Column::text("PAUSED").plain(""),
    Column::whole("DUE"),
    Column::whole("OLDEST").plain(""),
    Column::whole("FAILED"),
    Column::whole("PROCESSING"),
    Column::whole("WORKERS").plain("-"),
    Column::whole("DONE/MIN").plain("-"),
    Column::text("LAST HOUR").plain(""),
    Column::whole("FAILING").plain("0"),
    Column::whole("SCHEDULED").plain("0"),
    Column::whole("GATED").plain("0"),
];

/// What the store answers about all queues.
#[derive(Debug)]
struct Overview {
    queues: Vec<QueueStatus>,
    has_more: bool,
    /// `None` if the store does not tell.
    workers: Option<Vec<WorkerInfo>>,
    hours: Vec<Option<SeriesReading>>,
}

pub(super) async fn read(source: &Source) -> Result<Sheet, CliError> {
    let storage = source.storage().await?;
    let page = storage.first_queues_of(&QueueFilter::all().without_reserved(), QUEUES_MAX).await?;
    let queues = page.queues;
    let mut workers = if storage.capabilities().presence { Some(storage.workers().await?) } else { None };
    if let Some(workers) = &mut workers {
        workers.retain(|worker| !is_library_worker(worker));
    }
    let hour = source.hour(&QueueName::from_static(OPERATIONS_QUEUE)).await?;
    let of_queue = |(place, status): (usize, &QueueStatus)| {
        let hour: &WorkReading = hour.as_deref().filter(|_| place < DRAWN_MAX)?;
        Some(hour.of_queue(&status.name))
    };
    let hours = queues.iter().enumerate().map(of_queue).collect();
    Ok(Overview { queues, has_more: page.next.is_some(), workers, hours }.sheet())
}

/// The sentences about a group: one, or one for each of a few queues.
fn sentences(group: &HealthGroup) -> Vec<(Grade, String)> {
    let one = |point: &HealthPoint| (point.grade, format!("{} {}", point.queue, point.words));
    match group.words() {
        Some(words) => vec![(group.grade(), words)],
        None => group.points.iter().map(one).collect(),
    }
}

impl Overview {
    fn sheet(&self) -> Sheet {
        let rows = self.queues.iter().zip(&self.hours);
        Sheet {
            head: self.head(),
            columns: &COLUMNS,
            rows: rows.map(|(status, hour)| self.row(status, hour.as_ref())).collect(),
            empty: "There is no queue yet; `queue enqueue` makes one with its first job.",
            tail: self.tail(),
            ..Sheet::default()
        }
    }

    fn tail(&self) -> Vec<Block> {
        let cut = format!("Only the first {QUEUES_MAX} queues are shown.");
        let cut = self.has_more.then(|| Block::new(Tone::Warn, cut));
        [Block::plain(""), Block::dim(self.sums())].into_iter().chain(cut).collect()
    }

    fn head(&self) -> Vec<Block> {
        let points = self.points();
        let (grade, words) = headline(&points, self.queues.len() as u64);
        let mut head = vec![Block::new(tone(grade), format!("{} {words}.", grade.sign()))];
        let mut said: Vec<(Grade, String)> = HealthGroup::of(&points).iter().flat_map(sentences).collect();
        said.sort_by_key(|(grade, _)| std::cmp::Reverse(*grade));
        let shown = said.iter().take(POINTS_MAX);
        head.extend(
            shown.map(|(grade, words)| Block::new(tone(*grade), format!("  {} {words}", grade.sign()))),
        );
        if said.len() > POINTS_MAX {
            head.push(Block::dim(format!("  and {} more", said.len() - POINTS_MAX)));
        }
        head.push(Block::plain(""));
        head
    }

    /// What is worth a look, the worst first.
    fn points(&self) -> Vec<HealthPoint> {
        let mut points = Vec::new();
        for (status, hour) in self.queues.iter().zip(&self.hours) {
            let hour = hour.as_ref().map(SeriesReading::last_hour);
            points.extend(
                QueueHealth { status, workers: self.workers.as_deref(), hour: hour.as_ref() }.points(),
            );
        }
        points.sort_by_key(|point| std::cmp::Reverse(point.grade));
        points
    }

    fn sums(&self) -> String {
        let sum = |of: fn(&QueueStatus) -> u64| self.queues.iter().map(of).sum::<u64>();
        let workers = self.workers.as_ref().map_or_else(String::new, |workers| {
            let held: u64 = workers.iter().map(|worker| u64::from(worker.held)).sum();
            let slots: u64 = workers.iter().map(|worker| u64::from(worker.concurrency)).sum();
            format!(", {} ({held} of {slots} slots)", plural(workers.len() as u64, "worker", "workers"))
        });
        format!(
            "{}{workers}; {} due, {} processing, {} failed.",
            plural(self.queues.len() as u64, "queue", "queues"),
            sum(|status| status.counts.due()),
            sum(|status| status.counts.of(State::Processing)),
            sum(|status| status.counts.of(State::Failed)),
        )
    }

    fn row(&self, status: &QueueStatus, hour: Option<&SeriesReading>) -> SheetRow {
        let counts = &status.counts;
        let dash = || "-".to_owned();
        let on_it = |workers: &Vec<WorkerInfo>| {
            workers.iter().filter(|worker| worker.queues.contains(&status.name)).count().to_string()
        };
        SheetRow {
            subject: Subject::Queue(status.name.clone()),
            tone: if status.pause.is_on() { Tone::Warn } else { Tone::Plain },
            cells: vec![
                status.name.to_string(),
                pauses::cell(status.pause, &status.paused_kinds),
                counts.due().to_string(),
                counts.oldest_due.map(|due| age(counts.now.since(due))).unwrap_or_default(),
                counts.of(State::Failed).to_string(),
                counts.of(State::Processing).to_string(),
                self.workers.as_ref().map_or_else(dash, on_it),
                hour.map_or_else(dash, rate),
                hour.map(chart).unwrap_or_default(),
                counts.of(State::Failing).to_string(),
                counts.scheduled.to_string(),
                counts.gated.to_string(),
            ],
        }
    }
}

/// Completed attempts a minute, lately.
fn rate(hour: &SeriesReading) -> String {
    format!("{:.1}", hour.per_minute(WorkOutcome::Completed, SeriesReading::LATELY))
}

/// Completed attempts over the hour.
fn chart(hour: &SeriesReading) -> String {
    let columns = hour.columns(hour.last(60), CHART_STEP);
    let numbers: Vec<u64> = columns.iter().map(|(_, counts)| counts.of(WorkOutcome::Completed)).collect();
    Chart::Columns.drawn(&numbers)
}

const fn tone(grade: Grade) -> Tone {
    match grade {
        Grade::Good => Tone::Good,
        Grade::Warn => Tone::Warn,
        Grade::Bad => Tone::Bad,
    }
}
