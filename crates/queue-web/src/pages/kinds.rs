//! The kinds of jobs of a queue: how many, how well, how long, and who handles them.

use super::QueueChoice;
use crate::{
    answer::{self, Answer},
    charts::{Chart, histogram, meter},
    problem::Result,
    read::{ChartedWork, Stretch},
    visit::{Frame, NavLink, Visit},
};
use askama::Template;
use queue_core::{
    Kind, PausedKind, QueueName, WorkerInfo, series::TimeHistogram, series::WorkCounts, series::WorkOutcome,
};
use queue_view::{
    AboutWorker,
    words::{length, number, share},
};

#[derive(Template)]
#[template(path = "kinds.html")]
struct KindsPage {
    frame: Frame,
    queue: String,
    queues: Vec<QueueChoice>,
    stretches: Vec<NavLink>,
    has_series: bool,
    is_cut: bool,
    rows: Vec<KindRow>,
    chosen: Option<String>,
    charts: Vec<Chart>,
    can_pause: bool,
}

struct KindRow {
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
}

/// `GET /kinds`
pub(crate) async fn kinds(visit: Visit) -> Result<Answer> {
    let stretch = Stretch::named(visit.query.get("last"));
    let Some(chosen) = visit.chosen_queue().await? else {
        return answer::page(&KindsPage {
            frame: visit.live_frame("Kinds", None),
            queue: String::new(),
            queues: Vec::new(),
            stretches: Vec::new(),
            has_series: true,
            is_cut: false,
            rows: Vec::new(),
            chosen: None,
            charts: Vec::new(),
            can_pause: false,
        });
    };
    let queue = &chosen.name;
    let status = visit.status_of(queue).await?;
    let paused: Vec<PausedKind> = status.map(|status| status.paused_kinds).unwrap_or_default();
    let workers = visit.workers().await?;
    let work = visit.work(stretch).await?;
    let found = work.as_deref().map(|work| counted(work, queue)).unwrap_or_default();
    let wanted = visit.query.get("kind");
    let own = found.iter().find(|(kind, _)| Some(kind.as_str()) == wanted);
    let rows = found.iter().map(|(kind, counts)| {
        let is_paused = paused.iter().any(|paused| paused.kind == *kind);
        KindRow {
            workers: workers.as_deref().map(|workers| handlers(workers, queue, kind)),
            is_paused,
            is_chosen: Some(kind.as_str()) == wanted,
            ..row(&visit, queue, stretch, kind, counts)
        }
    });
    let frame = visit.live_frame("Kinds", Some(queue.as_str()));
    answer::page(&KindsPage {
        queue: queue.to_string(),
        stretches: visit.stretches("kinds", stretch, &[("queue", queue.as_str())]),
        has_series: work.is_some(),
        is_cut: work.as_deref().is_some_and(|work| work.reading.is_cut),
        rows: rows.collect(),
        chosen: own.map(|(kind, _)| kind.to_string()),
        charts: own.map(|(_, counts)| charts(counts)).unwrap_or_default(),
        can_pause: frame.may.operate && visit.storage().capabilities().kind_pause && !queue.is_reserved(),
        queues: chosen.choices,
        frame,
    })
}

/// The kinds, the most frequent first.
fn counted(work: &ChartedWork, queue: &QueueName) -> Vec<(Kind, WorkCounts)> {
    let kinds = work.reading.of_queue(queue).series.kinds(work.slots());
    let mut kinds: Vec<(Kind, WorkCounts)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, counts)| (std::cmp::Reverse(attempts(counts)), kind.clone()));
    kinds
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

fn row(visit: &Visit, queue: &QueueName, stretch: Stretch, kind: &Kind, counts: &WorkCounts) -> KindRow {
    let pairs = [("queue", queue.as_str()), ("kind", kind.as_str())];
    let with: Vec<(&str, &str)> = pairs.into_iter().chain([("last", stretch.name)]).collect();
    let percentile =
        |times: &TimeHistogram, percent| times.percentile(percent).map_or_else(|| "–".to_owned(), length);
    KindRow {
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
    }
}

fn charts(counts: &WorkCounts) -> Vec<Chart> {
    let run = histogram("Run, from start to end", counts.run());
    let wait = Chart { id: "waits", ..histogram("Wait, from due to start", counts.wait()) };
    vec![run, wait]
}
