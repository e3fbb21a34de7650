//! The kinds of jobs of one queue or of all: how many, how well, how long, and who handles them.

use super::{
    QueueChoice, QueueScope,
    sorting::{ColumnView, SortColumn, heads},
};
use crate::{
    answer::{self, Answer},
    charts::{Chart, histogram, meter},
    problem::Result,
    read::{ChartedWork, Stretch},
    visit::{Frame, NavLink, Visit},
};
use askama::Template;
use queue_core::{
    Kind, PausedKind, QueueName, QueueStatus, WorkerInfo,
    series::{TimeHistogram, WorkCounts, WorkOutcome},
};
use queue_view::{
    AboutWorker, SeriesReading,
    words::{length, number, share},
};
use std::{cmp::Reverse, collections::BTreeMap};

/// The most kinds of a page.
const ROWS_MAX: usize = 200;
/// The columns that sort the table.
const SORTED: [SortColumn; 9] = [
    SortColumn::word("kind", "Kind"),
    SortColumn::word("queue", "Queue"),
    SortColumn::number("completed", "Completed"),
    SortColumn::number("failing", "Tried again"),
    SortColumn::number("failed", "Failed"),
    SortColumn::number("share", "Failures"),
    SortColumn::number("wait", "Wait p95"),
    SortColumn::number("run", "Run p50"),
    SortColumn::number("run_most", "Run p95"),
];

#[derive(Template)]
#[template(path = "kinds.html")]
struct KindsPage {
    frame: Frame,
    /// There is a queue.
    is_there: bool,
    /// The one queue; all queues if absent.
    queue: Option<String>,
    queues: Vec<QueueChoice>,
    stretches: Vec<NavLink>,
    has_series: bool,
    is_cut: bool,
    head: Vec<ColumnView>,
    rows: Vec<KindRow>,
    left_out: usize,
    chosen: Option<String>,
    charts: Vec<Chart>,
}

struct KindRow {
    queue: String,
    queue_href: String,
    kind: String,
    jobs: String,
    details: String,
    is_chosen: bool,
    completed: String,
    failing: String,
    failed: String,
    share: String,
    meter: String,
    wait: String,
    run: String,
    run_most: String,
    workers: Option<usize>,
    is_paused: bool,
    can_pause: bool,
}

/// What was counted of a kind in a queue.
struct CountedKind {
    queue: QueueName,
    kind: Kind,
    counts: WorkCounts,
}

/// The queues of a page, each with its kinds that are paused.
type ShownQueues = BTreeMap<QueueName, Vec<PausedKind>>;

/// `GET /kinds`
pub(crate) async fn kinds(visit: Visit) -> Result<Answer> {
    let stretch = Stretch::named(visit.query.get("last"));
    let (queue, queues, shown) = match visit.queue_scope().await? {
        QueueScope::Nothing => (None, None, ShownQueues::new()),
        QueueScope::One(chosen) => {
            let status = visit.status_of(&chosen.name).await?;
            let paused = status.map(|status| status.paused_kinds).unwrap_or_default();
            let shown = ShownQueues::from([(chosen.name.clone(), paused)]);
            (Some(chosen.name), Some(chosen.choices), shown)
        }
        QueueScope::All(list) => {
            let paused = |queue: &QueueStatus| (queue.name.clone(), queue.paused_kinds.clone());
            (None, Some(list.choices()), list.queues.iter().map(paused).collect())
        }
    };
    let workers = visit.workers().await?;
    let work = visit.work(stretch).await?;
    let mut found = work.as_deref().map(|work| counted(work, &shown)).unwrap_or_default();
    let sort = SORTED.iter().map(|column| column.name).find(|name| visit.query.get("sort") == Some(name));
    arrange(&mut found, sort);
    let wanted = visit.query.get("kind").filter(|_| queue.is_some());
    let own = found.iter().find(|counted| Some(counted.kind.as_str()) == wanted);
    let frame = visit.live_frame("Kinds", queue.as_ref().map(QueueName::as_str));
    let can_pause = frame.may.operate && visit.storage().capabilities().pause;
    let row = |counted: &CountedKind| KindRow {
        workers: workers.as_deref().map(|workers| handlers(workers, &counted.queue, &counted.kind)),
        is_paused: shown[&counted.queue].iter().any(|paused| paused.kind == counted.kind),
        is_chosen: Some(counted.kind.as_str()) == wanted,
        can_pause: can_pause && !counted.queue.is_reserved(),
        ..row(&visit, stretch, counted)
    };
    let pair = queue.as_ref().map(|queue| ("queue", queue.as_str()));
    let pairs: Vec<(&str, &str)> = pair.into_iter().chain(sort.map(|sort| ("sort", sort))).collect();
    answer::page(&KindsPage {
        is_there: queues.is_some(),
        queue: queue.as_ref().map(ToString::to_string),
        queues: queues.unwrap_or_default(),
        stretches: visit.stretches("kinds", stretch, &pairs),
        has_series: work.is_some(),
        is_cut: work.as_deref().is_some_and(|work| work.reading.is_cut),
        head: head(&visit, stretch, sort, pair),
        rows: found.iter().take(ROWS_MAX).map(row).collect(),
        left_out: found.len().saturating_sub(ROWS_MAX),
        chosen: own.map(|counted| counted.kind.to_string()),
        charts: own.map(|counted| charts(&counted.counts)).unwrap_or_default(),
        frame,
    })
}

fn head(visit: &Visit, stretch: Stretch, sort: Option<&str>, queue: Option<(&str, &str)>) -> Vec<ColumnView> {
    let is_shown = |column: &SortColumn| queue.is_none() || column.name != "queue";
    let columns: Vec<SortColumn> = SORTED.into_iter().filter(is_shown).collect();
    heads(&columns, sort, |name| {
        let pairs: Vec<_> = queue.into_iter().chain([("sort", name), ("last", stretch.name)]).collect();
        visit.link("kinds", &pairs)
    })
}

fn counted(work: &ChartedWork, shown: &ShownQueues) -> Vec<CountedKind> {
    let found = work.reading.of_queues(|queue| shown.contains_key(queue));
    let of_queue = |(queue, reading): (QueueName, SeriesReading)| {
        let kinds = reading.series.kinds(work.slots()).into_iter();
        kinds.map(move |(kind, counts)| CountedKind { queue: queue.clone(), kind, counts })
    };
    found.into_iter().flat_map(of_queue).collect()
}

/// Sorts by a column, or else the most frequent kinds first.
fn arrange(found: &mut [CountedKind], sort: Option<&str>) {
    let name = |counted: &CountedKind| (counted.queue.clone(), counted.kind.clone());
    match sort {
        Some("queue") => found.sort_by_key(name),
        Some("kind") => found.sort_by_key(|counted| (counted.kind.clone(), counted.queue.clone())),
        sort => found.sort_by_key(|counted| (Reverse(measure(&counted.counts, sort)), name(counted))),
    }
}

fn measure(counts: &WorkCounts, sort: Option<&str>) -> u128 {
    let time = |times: &TimeHistogram, percent| times.percentile(percent).map_or(0, |time| time.as_nanos());
    match sort {
        Some("completed") => counts.of(WorkOutcome::Completed).into(),
        Some("failing") => counts.of(WorkOutcome::Failing).into(),
        Some("failed") => counts.of(WorkOutcome::Failed).into(),
        Some("share") => u128::from(failures(counts)) * 1_000_000 / u128::from(attempts(counts).max(1)),
        Some("wait") => time(counts.wait(), 95),
        Some("run") => time(counts.run(), 50),
        Some("run_most") => time(counts.run(), 95),
        _ => attempts(counts).into(),
    }
}

fn attempts(counts: &WorkCounts) -> u64 {
    counts.of(WorkOutcome::Completed) + failures(counts)
}

fn failures(counts: &WorkCounts) -> u64 {
    counts.of(WorkOutcome::Failing) + counts.of(WorkOutcome::Failed)
}

/// How many workers handle a kind. Those that tell no kinds handle any.
fn handlers(workers: &[WorkerInfo], queue: &QueueName, kind: &Kind) -> usize {
    let handles = |worker: &&WorkerInfo| {
        let about = AboutWorker::read(&worker.about).unwrap_or_default();
        worker.queues.contains(queue)
            && about.kinds.is_none_or(|kinds| kinds.iter().any(|handled| handled == kind.as_str()))
    };
    workers.iter().filter(handles).count()
}

fn row(visit: &Visit, stretch: Stretch, CountedKind { queue, kind, counts }: &CountedKind) -> KindRow {
    let pairs = [("queue", queue.as_str()), ("kind", kind.as_str())];
    let with: Vec<(&str, &str)> = pairs.into_iter().chain([("last", stretch.name)]).collect();
    let percentile =
        |times: &TimeHistogram, percent| times.percentile(percent).map_or_else(|| "–".to_owned(), length);
    KindRow {
        queue: queue.to_string(),
        queue_href: visit.link("kinds", &[pairs[0], ("last", stretch.name)]),
        kind: kind.to_string(),
        jobs: visit.link("jobs", &pairs),
        details: visit.link("kinds", &with),
        is_chosen: false,
        completed: number(counts.of(WorkOutcome::Completed)),
        failing: number(counts.of(WorkOutcome::Failing)),
        failed: number(counts.of(WorkOutcome::Failed)),
        share: share(failures(counts), attempts(counts)).unwrap_or_else(|| "–".to_owned()),
        meter: meter(failures(counts), attempts(counts), "c-failed"),
        wait: percentile(counts.wait(), 95),
        run: percentile(counts.run(), 50),
        run_most: percentile(counts.run(), 95),
        workers: None,
        is_paused: false,
        can_pause: false,
    }
}

fn charts(counts: &WorkCounts) -> Vec<Chart> {
    let run = histogram("Run, from start to end", counts.run());
    let wait = Chart { id: "waits", ..histogram("Wait, from due to start", counts.wait()) };
    vec![run, wait]
}
