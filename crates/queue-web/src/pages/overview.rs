//! The first page: whether all is well, and every queue in a line.

use crate::{
    answer::{self, Answer},
    charts::sparkline,
    problem::Result,
    read::{QueueList, Stretch},
    visit::{Frame, Visit},
};
use askama::Template;
use queue_core::{
    Durability, ErrorKind, QueueStatus, Reach, State, WorkerInfo, series::WorkCounts, series::WorkOutcome,
};
use queue_view::{
    Grade, HealthPoint, QueueHealth, SeriesReading, headline,
    words::{age, number, plural},
};
use std::time::Duration;

/// Minutes of a column of the small chart of a queue.
const SPARK_STEP: usize = 2;
/// The most queues of which the page draws the last hour.
const DRAWN_MAX: usize = 50;
/// How old it may be what the page says of the store itself, which costs a write to know.
const READY_AGE: Duration = Duration::from_secs(15);

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage {
    frame: Frame,
    class: &'static str,
    sign: &'static str,
    headline: String,
    summary: String,
    points: Vec<PointView>,
    tiles: Vec<TileView>,
    rows: Vec<QueueRow>,
    has_more: bool,
    facts: String,
}

struct PointView {
    class: &'static str,
    sign: &'static str,
    queue: String,
    href: String,
    words: String,
}

/// A number of note.
pub(super) struct TileView {
    pub(super) label: &'static str,
    pub(super) number: String,
    pub(super) note: String,
    pub(super) href: String,
    pub(super) class: &'static str,
}

struct QueueRow {
    name: String,
    href: String,
    is_paused: bool,
    kinds_paused: usize,
    waits: String,
    cells: Vec<CellView>,
    rate: String,
    spark: String,
    workers: String,
}

/// A count that leads to its jobs.
struct CellView {
    label: &'static str,
    number: String,
    href: String,
    class: &'static str,
}

/// `GET /`
pub(crate) async fn overview(visit: Visit) -> Result<Answer> {
    let list = visit.queues().await?;
    let QueueList { queues, has_more } = &*list;
    let workers = visit.workers().await?;
    let work = visit.work(Stretch::named(None)).await?;
    let hour_of = |(place, queue): (usize, &QueueStatus)| {
        work.as_deref().filter(|_| place < DRAWN_MAX).map(|work| work.reading.of_queue(&queue.name))
    };
    let hours: Vec<Option<SeriesReading>> = queues.iter().enumerate().map(hour_of).collect();
    let mut points = Vec::new();
    for (status, hour) in queues.iter().zip(&hours) {
        let hour = hour.as_ref().map(SeriesReading::last_hour);
        points.extend(QueueHealth { status, workers: workers.as_deref(), hour: hour.as_ref() }.points());
    }
    points.sort_by_key(|point: &HealthPoint| std::cmp::Reverse(point.grade));
    let (grade, words) = match trouble(&visit).await {
        Some(words) => (Grade::Bad, format!("The store {words}")),
        None if queues.is_empty() && *has_more => {
            (Grade::Good, "No queue of yours is among the first ones".to_owned())
        }
        None => headline(&points, queues.len() as u64),
    };
    let rows =
        queues.iter().zip(&hours).map(|(queue, hour)| row(&visit, queue, hour.as_ref(), workers.as_deref()));
    answer::page(&OverviewPage {
        frame: visit.live_frame("Overview", None),
        class: grade.as_str(),
        sign: grade.sign(),
        headline: words,
        summary: summary(queues, workers.as_deref()),
        points: points.iter().map(|point| point_view(&visit, point)).collect(),
        tiles: tiles(&visit, queues, workers.as_deref()),
        rows: rows.collect(),
        has_more: *has_more,
        facts: facts(&visit),
    })
}

/// What is wrong with the store itself, as the end of a sentence that begins with it. A store that
/// reads shows every queue as well though no job can be enqueued.
async fn trouble(visit: &Visit) -> Option<&'static str> {
    let error = visit.store.readiness.as_ref()?.check(READY_AGE).await.err()?;
    Some(match error.kind() {
        ErrorKind::Closed => "is closed: its service has to be started again",
        _ => "takes no jobs now",
    })
}

fn summary(queues: &[QueueStatus], workers: Option<&[WorkerInfo]>) -> String {
    let oldest = queues
        .iter()
        .filter_map(|queue| queue.counts.oldest_due.map(|due| queue.counts.now.since(due)))
        .max();
    let waits = oldest.map_or_else(
        || "nothing waits".to_owned(),
        |waits| format!("the oldest due job has waited {}", age(waits)),
    );
    let workers = workers.map_or_else(String::new, |workers| {
        format!(", {}", plural(workers.len() as u64, "worker", "workers"))
    });
    format!("{}{workers}; {waits}.", plural(queues.len() as u64, "queue", "queues"))
}

fn point_view(visit: &Visit, point: &HealthPoint) -> PointView {
    PointView {
        class: point.grade.as_str(),
        sign: point.grade.sign(),
        queue: point.queue.to_string(),
        href: visit.link("queue", &[("queue", point.queue.as_str())]),
        words: point.words.clone(),
    }
}

fn tiles(visit: &Visit, queues: &[QueueStatus], workers: Option<&[WorkerInfo]>) -> Vec<TileView> {
    let sum = |of: fn(&QueueStatus) -> u64| queues.iter().map(of).sum::<u64>();
    let tile = |label, number_of: u64, class| TileView {
        label,
        number: number(number_of),
        note: String::new(),
        href: String::new(),
        class: if number_of == 0 { "" } else { class },
    };
    let mut tiles = vec![
        tile("Due", sum(|queue| queue.counts.due()), ""),
        tile("Processing", sum(|queue| queue.counts.of(State::Processing)), ""),
        tile("Scheduled", sum(|queue| queue.counts.scheduled), ""),
        tile("Failing", sum(|queue| queue.counts.of(State::Failing)), "warn"),
        tile("Failed", sum(|queue| queue.counts.of(State::Failed)), "bad"),
    ];
    if let Some(workers) = workers {
        let used: u64 = workers.iter().map(|worker| u64::from(worker.running)).sum();
        let all: u64 = workers.iter().map(|worker| u64::from(worker.concurrency)).sum();
        tiles.push(TileView {
            note: format!("{} of {} slots in use", number(used), number(all)),
            href: visit.link("workers", &[]),
            ..tile("Workers", workers.len() as u64, "")
        });
    }
    tiles
}

fn row(
    visit: &Visit,
    queue: &QueueStatus,
    hour: Option<&SeriesReading>,
    workers: Option<&[WorkerInfo]>,
) -> QueueRow {
    let name = queue.name.as_str();
    let cell = |label, state: &str, count: u64, class| CellView {
        label,
        number: number(count),
        href: visit.link("jobs", &[("queue", name), ("state", state)]),
        class: if count == 0 { "zero" } else { class },
    };
    let counts = &queue.counts;
    let on_it =
        workers.map(|workers| workers.iter().filter(|worker| worker.queues.contains(&queue.name)).count());
    let columns = hour.map(|hour| hour.columns(hour.last(60), SPARK_STEP)).unwrap_or_default();
    let minutes: Vec<(u64, u64)> = columns.iter().map(|(_, counts)| done_and_failed(counts)).collect();
    let rate = |hour: &SeriesReading| tenths(hour.per_minute(WorkOutcome::Completed, SeriesReading::LATELY));
    QueueRow {
        name: name.to_owned(),
        href: visit.link("queue", &[("queue", name)]),
        is_paused: queue.pause.is_on(),
        kinds_paused: queue.paused_kinds.len(),
        waits: counts.oldest_due.map_or_else(|| "–".to_owned(), |due| age(counts.now.since(due))),
        cells: vec![
            cell("Due", "due", counts.due(), ""),
            cell("Processing", "processing", counts.of(State::Processing), ""),
            cell("Scheduled", "scheduled", counts.scheduled, ""),
            cell("Failing", "failing", counts.of(State::Failing), "warn"),
            cell("Failed", "failed", counts.of(State::Failed), "bad"),
            cell("Completed", "completed", counts.of(State::Completed), ""),
        ],
        rate: hour.map_or_else(|| "–".to_owned(), rate),
        spark: sparkline(&minutes),
        workers: on_it.map_or_else(|| "–".to_owned(), |count| number(count as u64)),
    }
}

/// A number with one decimal, such as `1,024.4`.
fn tenths(number_of: f64) -> String {
    let text = format!("{number_of:.1}");
    let (whole, tenth) = text.split_once('.').unwrap_or((&text, "0"));
    format!("{}.{tenth}", number(whole.parse().unwrap_or_default()))
}

fn done_and_failed(counts: &WorkCounts) -> (u64, u64) {
    (counts.of(WorkOutcome::Completed), counts.of(WorkOutcome::Failing) + counts.of(WorkOutcome::Failed))
}

/// What kind of store it is.
fn facts(visit: &Visit) -> String {
    let capabilities = visit.storage().capabilities();
    let lasts = match capabilities.durability {
        Durability::None => "jobs end with the process",
        Durability::Process => "an accepted job outlives the process",
        Durability::Power => "an accepted job outlives a loss of power",
        _ => "its own durability",
    };
    let reach = match capabilities.reach {
        Reach::Process => "this process",
        Reach::Host => "all processes of this host",
        Reach::Network => "all hosts of a network",
        _ => "others",
    };
    format!("Store: {}; {lasts}; used by {reach}.", capabilities.name)
}
