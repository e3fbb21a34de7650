//! The workers that are present: where, what they do, and for how long.

use crate::{
    answer::{self, Answer},
    charts::meter,
    problem::Result,
    visit::{Frame, Visit},
};
use askama::Template;
use queue_core::{Detail, Duty, QueueName, Timestamp, WorkerInfo};
use queue_view::{
    AboutWorker, duty_word,
    words::{age, number},
};

/// The most workers, and jobs of one worker, that the page shows.
const SHOWN_MAX: usize = 200;
const JOBS_MAX: usize = 20;

#[derive(Template)]
#[template(path = "workers.html")]
struct WorkersPage {
    frame: Frame,
    is_told: bool,
    rows: Vec<WorkerRow>,
    left_out: usize,
}

struct WorkerRow {
    id: String,
    /// In the order of the page, for the places that a script puts back.
    place: usize,
    host: String,
    version: String,
    up: String,
    queues: Vec<(String, String)>,
    kinds: String,
    held: String,
    slots: String,
    meter: String,
    duty: &'static str,
    duty_class: &'static str,
    duty_sign: &'static str,
    jobs: Vec<WorkerJob>,
    jobs_left_out: usize,
    may_change: bool,
}

struct WorkerJob {
    id: String,
    href: String,
    queue: String,
    attempt: u32,
    lasts: String,
}

/// `GET /workers`
pub(crate) async fn workers(visit: Visit) -> Result<Answer> {
    let found = visit.workers().await?;
    // A read of no job returns the time of the store, in which workers report when they started.
    let anywhere = QueueName::from_static(queue::operations::OPERATIONS_QUEUE);
    let now = visit.storage().get(&anywhere, &[], Detail::Meta).await?.now;
    let is_told = found.is_some();
    let mut found = found.unwrap_or_default();
    found.sort_by(|one, other| other.held.cmp(&one.held).then_with(|| one.id.cmp(&other.id)));
    let left_out = found.len().saturating_sub(SHOWN_MAX);
    let rows = found.iter().take(SHOWN_MAX).enumerate();
    let rows = rows.map(|(place, worker)| row(&visit, place, worker, now)).collect();
    answer::page(&WorkersPage { frame: visit.live_frame("Workers", None), is_told, rows, left_out })
}

fn row(visit: &Visit, place: usize, worker: &WorkerInfo, now: Timestamp) -> WorkerRow {
    let about = AboutWorker::read(&worker.about).unwrap_or_default();
    let (duty_class, duty_sign) = match worker.duty {
        Duty::Drain => ("warn", "↓"),
        Duty::Pause => ("rest", "❚❚"),
        _ => ("good", "✓"),
    };
    let seen = |name: &str| QueueName::new(name).is_ok_and(|queue| visit.sees(&queue));
    let jobs: Vec<WorkerJob> = about
        .jobs
        .iter()
        .filter(|job| seen(&job.queue))
        .map(|job| WorkerJob {
            id: job.id.clone(),
            href: visit.link("job", &[("queue", job.queue.as_str()), ("id", job.id.as_str())]),
            queue: job.queue.clone(),
            attempt: job.attempt,
            lasts: age(now.since(job.since)),
        })
        .collect();
    let queues = worker.queues.iter().filter(|queue| visit.sees(queue));
    WorkerRow {
        id: worker.id.to_string(),
        place,
        host: worker.host.clone(),
        version: about.version.clone(),
        up: about.started_at.map(|start| age(now.since(start))).unwrap_or_default(),
        queues: queues
            .map(|queue| (queue.to_string(), visit.link("queue", &[("queue", queue.as_str())])))
            .collect(),
        kinds: about.kinds_text(),
        held: number(worker.held.into()),
        slots: number(worker.concurrency.into()),
        meter: meter(worker.held.into(), worker.concurrency.into(), "c-done"),
        duty: duty_word(worker.duty),
        duty_class,
        duty_sign,
        jobs_left_out: jobs.len().saturating_sub(JOBS_MAX),
        jobs: jobs.into_iter().take(JOBS_MAX).collect(),
        may_change: visit.covers(worker),
    }
}
