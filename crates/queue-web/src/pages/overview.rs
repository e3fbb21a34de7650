//! The first page: whether all is well, and every queue in a line.

mod points;
mod table;

use crate::{
    answer::{self, Answer},
    problem::Result,
    read::{QueueList, Stretch},
    visit::{Frame, Visit},
};
use askama::Template;
use points::ConcernView;
use queue_core::{Durability, ErrorKind, QueueName, QueueStatus, Reach, State, WorkerInfo};
use queue_view::{
    Grade, HealthPoint, QueueHealth, SeriesReading, headline,
    words::{age, number, plural},
};
use std::time::Duration;
use table::{TableView, TableWanted, row};

/// The most queues whose last hour decides whether they are worth a look.
const HOURS_MAX: usize = 50;
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
    groups: Vec<ConcernView>,
    tiles: Vec<TileView>,
    table: TableView,
    has_more: bool,
    facts: String,
}

/// A number of note.
pub(super) struct TileView {
    pub(super) label: &'static str,
    pub(super) number: String,
    pub(super) note: String,
    pub(super) href: String,
    pub(super) class: &'static str,
}

/// `GET /`
pub(crate) async fn overview(visit: Visit) -> Result<Answer> {
    let list = visit.queues().await?;
    let QueueList { queues, has_more } = &*list;
    let workers = visit.workers().await?;
    let work = visit.work(Stretch::named(None)).await?;
    let hour_of = |name: &QueueName| work.as_deref().map(|work| work.reading.of_queue(name));
    let mut points = Vec::new();
    for (place, status) in queues.iter().enumerate() {
        let hour = (place < HOURS_MAX).then(|| hour_of(&status.name)).flatten();
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
    let wanted = TableWanted::of(&visit.query);
    let shown = wanted.choose(queues, &points);
    let row = |queue: &&QueueStatus| row(&visit, queue, hour_of(&queue.name).as_ref(), workers.as_deref());
    let rows = shown.queues.iter().map(row).collect();
    answer::page(&OverviewPage {
        frame: visit.live_frame("Overview", None),
        class: grade.as_str(),
        sign: grade.sign(),
        headline: words,
        summary: summary(queues, workers.as_deref()),
        groups: points::groups(&visit, &points),
        tiles: tiles(&visit, queues, workers.as_deref()),
        table: wanted.view(&visit, &shown, rows, queues.len()),
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

fn tiles(visit: &Visit, queues: &[QueueStatus], workers: Option<&[WorkerInfo]>) -> Vec<TileView> {
    let sum = |of: fn(&QueueStatus) -> u64| queues.iter().map(of).sum::<u64>();
    let tile = |label, state: &str, number_of: u64, class| TileView {
        label,
        number: number(number_of),
        note: String::new(),
        href: visit.link("jobs", &[("state", state)]),
        class: if number_of == 0 { "" } else { class },
    };
    let mut tiles = vec![
        tile("Due", "due", sum(|queue| queue.counts.due()), ""),
        tile("Processing", "processing", sum(|queue| queue.counts.of(State::Processing)), ""),
        tile("Scheduled", "scheduled", sum(|queue| queue.counts.scheduled), ""),
        tile("Failing", "failing", sum(|queue| queue.counts.of(State::Failing)), "warn"),
        tile("Failed", "failed", sum(|queue| queue.counts.of(State::Failed)), "bad"),
    ];
    let gated = sum(|queue| queue.counts.gated);
    if gated > 0 {
        tiles.insert(3, tile("Gated", "gated", gated, ""));
    }
    if let Some(workers) = workers {
        let used: u64 = workers.iter().map(|worker| u64::from(worker.held)).sum();
        let all: u64 = workers.iter().map(|worker| u64::from(worker.concurrency)).sum();
        tiles.push(TileView {
            note: format!("{} of {} slots in use", number(used), number(all)),
            href: visit.link("workers", &[]),
            ..tile("Workers", "", workers.len() as u64, "")
        });
    }
    tiles
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
