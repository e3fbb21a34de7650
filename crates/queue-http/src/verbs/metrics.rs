//! Gauges of the store in the text format of Prometheus. They are read when somebody asks, so they
//! cost nothing otherwise. What was measured meanwhile follows them, if anything measures.

use crate::{
    access::{QueueGlob, Scope},
    problem::{Problem, ProblemKind, Result},
    routes::Call,
    service::App,
};
use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use queue_core::{Counts, ErrorKind, QueueName, QueueStatus, QueuesQuery, State, WorkerInfo};
use std::{
    collections::BTreeMap,
    fmt::{self, Write},
    sync::Arc,
    time::Duration,
};
use tokio::time::timeout;

/// The most queues that are told apart; the others are one, which is called `other`.
const QUEUES_MAX: usize = 200;
/// The most pages of queues that are read.
const PAGES_MAX: usize = 10;
/// How long the store may take; Prometheus waits for ten seconds.
const READ_MAX: Duration = Duration::from_secs(5);
const OTHER: &str = "other";
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What is told of a queue, or of the rest of them.
#[derive(Debug, Default)]
struct Gauges {
    due: u64,
    scheduled: u64,
    by_state: [u64; State::ALL.len()],
    oldest_due_secs: f64,
    paused: u64,
    workers: u64,
}

/// The slots of workers together, and the jobs that they hold beyond those.
#[derive(Debug, Default)]
struct Slots {
    used: u64,
    free: u64,
    prefetched: u64,
}

impl Slots {
    fn add(&mut self, worker: &WorkerInfo) {
        let used = worker.running.min(worker.concurrency);
        self.used += u64::from(used);
        self.free += u64::from(worker.concurrency - used);
        self.prefetched += u64::from(worker.running - used);
    }
}

/// `GET /metrics`: of the queues that the token may name. A store that does not answer leaves its
/// gauges out, so that one sees what was measured of its errors.
pub(crate) async fn metrics(app: Arc<App>, call: Call) -> Result<Response> {
    let read = timeout(READ_MAX, gauges(&app, &call)).await;
    let read = read.unwrap_or_else(|_| Err(Problem::new(ProblemKind::Unavailable, "the store is too slow")));
    let text = match app.metrics.get() {
        None => read? + &build_info(),
        Some(metrics) => {
            let gauges = read.unwrap_or_else(|problem| {
                tracing::warn!(?problem, "the gauges of the store cannot be read");
                String::new()
            });
            gauges + &metrics.text(&|queue| may_see(&call, queue))
        }
    };
    let mut response = text.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(TEXT));
    Ok(response)
}

/// What is read from the store.
async fn gauges(app: &App, call: &Call) -> Result<String> {
    let mut gauges: BTreeMap<String, Gauges> = BTreeMap::new();
    let mut next = app.storage.capabilities().queues.then(|| QueuesQuery::all(QueuesQuery::LIMIT_MAX));
    for _ in 0..PAGES_MAX {
        let Some(query) = next.take() else { break };
        let page = app.storage.queues(query).await?;
        for status in page.queues.iter().filter(|status| call.may(Scope::Metrics, &status.name)) {
            of(&mut gauges, &status.name).add(status);
        }
        next = page.next;
    }
    let mut slots = Slots::default();
    for worker in workers(app).await? {
        let mut is_seen = false;
        for queue in worker.queues.iter().filter(|queue| call.may(Scope::Metrics, queue)) {
            of(&mut gauges, queue).workers += 1;
            is_seen = true;
        }
        if is_seen {
            slots.add(&worker);
        }
    }
    Ok(text(&gauges, &slots))
}

/// Whether the caller may see what was measured of a queue. What belongs to no queue, and what
/// belongs to many, is for those who may see all.
fn may_see(call: &Call, queue: Option<&str>) -> bool {
    if call.principal.as_ref().is_some_and(|principal| principal.queues().contains(&QueueGlob::any())) {
        return true;
    }
    let queue = queue.filter(|queue| *queue != OTHER).and_then(|queue| QueueName::new(queue).ok());
    queue.is_some_and(|queue| call.may(Scope::Metrics, &queue))
}

/// The workers that are present; none if the store keeps no workers.
async fn workers(app: &App) -> Result<Vec<WorkerInfo>> {
    match app.storage.workers().await {
        Ok(workers) => Ok(workers),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

fn of<'a>(gauges: &'a mut BTreeMap<String, Gauges>, queue: &QueueName) -> &'a mut Gauges {
    let is_apart = gauges.len() < QUEUES_MAX || gauges.contains_key(queue.as_str());
    gauges.entry(if is_apart { queue.as_str() } else { OTHER }.to_owned()).or_default()
}

impl Gauges {
    fn add(&mut self, QueueStatus { pause, counts, .. }: &QueueStatus) {
        let waiting = counts.of(State::Queued) + counts.of(State::Failing);
        self.due += waiting.saturating_sub(counts.scheduled);
        self.scheduled += counts.scheduled;
        for state in State::ALL {
            self.by_state[usize::from(state.as_code())] += counts.of(state);
        }
        self.oldest_due_secs = self.oldest_due_secs.max(oldest_due_secs(counts));
        self.paused += u64::from(pause.is_on());
    }

    /// The numbers of jobs by the words of the metric. A failing job is also due or scheduled.
    fn jobs(&self) -> [(&'static str, u64); 7] {
        let of = |state: State| (state.as_str(), self.by_state[usize::from(state.as_code())]);
        [
            ("due", self.due),
            ("scheduled", self.scheduled),
            of(State::Failing),
            of(State::Processing),
            of(State::Completed),
            of(State::Failed),
            of(State::Cancelled),
        ]
    }
}

fn oldest_due_secs(counts: &Counts) -> f64 {
    counts.oldest_due.map_or(0.0, |due| counts.now.since(due).as_secs_f64())
}

fn build_info() -> String {
    let (name, version) = ("queue_build_info", env!("CARGO_PKG_VERSION"));
    format!(
        "# HELP {name} The version of the library.\n# TYPE {name} gauge\n{name}{{version=\"{version}\"}} 1\n"
    )
}

fn text(gauges: &BTreeMap<String, Gauges>, slots: &Slots) -> String {
    let mut text = String::new();
    write_all(&mut text, gauges, slots).expect("text can always be written");
    text
}

fn write_all(text: &mut String, gauges: &BTreeMap<String, Gauges>, slots: &Slots) -> fmt::Result {
    head(text, "queue_jobs", "Jobs by state; a failing job is also due or scheduled.")?;
    for (queue, of) in gauges {
        for (state, count) in of.jobs() {
            writeln!(text, "queue_jobs{{{},state=\"{state}\"}} {count}", Destination(queue))?;
        }
    }
    head(text, "queue_oldest_due_age_seconds", "For how long the oldest due job has been due.")?;
    for (queue, of) in gauges {
        writeln!(text, "queue_oldest_due_age_seconds{{{}}} {}", Destination(queue), of.oldest_due_secs)?;
    }
    head(text, "queue_paused", "Whether claims are stopped.")?;
    for (queue, of) in gauges {
        writeln!(text, "queue_paused{{{}}} {}", Destination(queue), of.paused)?;
    }
    head(text, "queue_workers", "Workers that are present.")?;
    for (queue, of) in gauges {
        writeln!(text, "queue_workers{{{}}} {}", Destination(queue), of.workers)?;
    }
    head(text, "queue_worker_slots", "Slots of all workers that are present.")?;
    for (state, count) in [("used", slots.used), ("free", slots.free), ("prefetched", slots.prefetched)] {
        writeln!(text, "queue_worker_slots{{state=\"{state}\"}} {count}")?;
    }
    Ok(())
}

fn head(text: &mut String, name: &str, help: &str) -> fmt::Result {
    writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge")
}

/// The label of a queue. Names have no line breaks.
struct Destination<'a>(&'a str);

impl fmt::Display for Destination<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("messaging_destination_name=\"")?;
        for character in self.0.chars() {
            if matches!(character, '\\' | '"') {
                f.write_char('\\')?;
            }
            f.write_char(character)?;
        }
        f.write_char('"')
    }
}
