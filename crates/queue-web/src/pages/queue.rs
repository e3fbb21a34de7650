//! One queue: its counts, its last hour to ninety days, and what comes next.

mod partitions;

use super::overview::TileView;
use crate::{
    answer::{self, Answer},
    charts::{Chart, flow, times},
    problem::{Result, WebProblem},
    read::{ChartedWork, Stretch},
    visit::{Frame, NavLink, Visit},
};
use askama::Template;
use partitions::PartitionsTable;
use queue_core::{
    ListQuery, Pause, PausedKind, QueueName, QueueStatus, State, Timestamp, Walk, series::WorkCounts,
};
use queue_view::words::{Moment, age, moment, number};
use std::time::Duration;

/// How many of the next jobs are shown.
const NEXT: usize = 8;

#[derive(Template)]
#[template(path = "queue.html")]
#[allow(clippy::struct_excessive_bools, reason = "each is a part of the page that is there or not")]
struct QueuePage {
    frame: Frame,
    name: String,
    jobs: String,
    kinds: String,
    errors: String,
    batches: String,
    is_open: bool,
    can_pause: bool,
    pause: Option<String>,
    paused_kinds: Vec<PausedKindView>,
    tiles: Vec<TileView>,
    stretches: Vec<NavLink>,
    charts: Vec<Chart>,
    has_series: bool,
    is_cut: bool,
    partitions: Option<PartitionsTable>,
    next: Vec<NextView>,
}

struct PausedKindView {
    kind: String,
    until: String,
}

struct NextView {
    id: String,
    href: String,
    kind: String,
    priority: i16,
    due: Moment,
}

/// `GET /queue`
pub(crate) async fn queue(visit: Visit) -> Result<Answer> {
    let name = visit.queue()?;
    let status = visit.status_of(&name).await?;
    let status = status
        .ok_or_else(|| WebProblem::not_found(format!("There is no queue “{name}”, or none any more.")))?;
    let stretch = Stretch::named(visit.query.get("last"));
    let work = visit.work(stretch).await?;
    let (now, next) = next_jobs(&visit, &name).await?;
    let partitions = partitions::table(&visit, &name).await?;
    let pairs = [("queue", name.as_str())];
    answer::page(&QueuePage {
        name: name.to_string(),
        jobs: visit.link("jobs", &pairs),
        kinds: visit.link("kinds", &pairs),
        errors: visit.link("errors", &pairs),
        batches: visit.link("batches", &pairs),
        is_open: !name.is_reserved(),
        can_pause: visit.storage().capabilities().pause,
        pause: pause_words(status.pause, now),
        paused_kinds: status.paused_kinds.iter().map(|kind| paused_kind(kind, now)).collect(),
        tiles: tiles(&visit, &status),
        stretches: visit.stretches("queue", stretch, &pairs),
        charts: work.as_deref().map(|work| charts(work, &name)).unwrap_or_default(),
        has_series: work.is_some(),
        is_cut: work.is_some_and(|work| work.reading.is_cut),
        partitions,
        next,
        frame: visit.live_frame(format!("Queue {name}"), Some(name.as_str())),
    })
}

fn charts(work: &ChartedWork, name: &QueueName) -> Vec<Chart> {
    let columns = work.columns(&work.reading.of_queue(name));
    vec![
        flow(&columns, work.stretch.column, work.reading.now),
        times("wait", "Wait, from due to start", &columns, WorkCounts::wait, work.reading.now),
        times("run", "Run, from start to end", &columns, WorkCounts::run, work.reading.now),
    ]
}

async fn next_jobs(visit: &Visit, name: &QueueName) -> Result<(Timestamp, Vec<NextView>)> {
    let storage = visit.storage().clone();
    let query = ListQuery::new(name.clone(), Walk::Due, NEXT);
    let read = async move { Ok(storage.list(query).await?) };
    let page =
        visit.app.snapshots.get(visit.key("next", name.as_str()), Duration::from_millis(950), read).await?;
    let view = |job: &queue_core::JobMeta| NextView {
        id: job.id.to_string(),
        href: visit.link("job", &[("queue", name.as_str()), ("id", job.id.as_str())]),
        kind: job.kind.to_string(),
        priority: job.priority,
        due: moment(job.run_at, page.now),
    };
    Ok((page.now, page.jobs.iter().map(view).collect()))
}

fn pause_words(pause: Pause, now: Timestamp) -> Option<String> {
    match pause {
        Pause::Off => None,
        Pause::UntilResumed => Some("until somebody resumes it".to_owned()),
        Pause::Until(end) => Some(format!("for another {}", age(end.since(now)))),
    }
}

fn paused_kind(PausedKind { kind, pause }: &PausedKind, now: Timestamp) -> PausedKindView {
    PausedKindView { kind: kind.to_string(), until: pause_words(*pause, now).unwrap_or_default() }
}

fn tiles(visit: &Visit, status: &QueueStatus) -> Vec<TileView> {
    let counts = &status.counts;
    let tile = |label, state: &str, count: u64, class| TileView {
        label,
        number: number(count),
        note: String::new(),
        href: visit.link("jobs", &[("queue", status.name.as_str()), ("state", state)]),
        class: if count == 0 { "" } else { class },
    };
    let waits = counts.oldest_due.map(|due| format!("oldest waits {}", age(counts.now.since(due))));
    let mut tiles = vec![
        TileView { note: waits.unwrap_or_default(), ..tile("Due", "due", counts.due(), "") },
        tile("Processing", "processing", counts.of(State::Processing), ""),
        tile("Scheduled", "scheduled", counts.scheduled, ""),
        tile("Failing", "failing", counts.of(State::Failing), "warn"),
        tile("Failed", "failed", counts.of(State::Failed), "bad"),
        tile("Completed", "completed", counts.of(State::Completed), ""),
    ];
    if counts.gated > 0 {
        tiles.insert(3, tile("Gated", "gated", counts.gated, ""));
    }
    tiles
}
