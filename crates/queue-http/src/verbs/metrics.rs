//! Gauges of the store in the text format of Prometheus. They are read when somebody asks, so they
//! cost nothing otherwise.

use crate::{access::Scope, problem::Result, routes::Call, service::App};
use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use queue_core::{Counts, ErrorKind, QueueName, QueueStatus, QueuesQuery, State, WorkerInfo};
use std::{
    collections::BTreeMap,
    fmt::{self, Write},
    sync::Arc,
};

/// The most queues that are told apart; the others are one, which is called `other`.
const QUEUES_MAX: usize = 200;
/// The most pages of queues that are read.
const PAGES_MAX: usize = 10;
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

/// `GET /metrics`: of the queues that the token may name.
pub(crate) async fn metrics(app: Arc<App>, call: Call) -> Result<Response> {
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
    for worker in workers(&app).await? {
        for queue in worker.queues.iter().filter(|queue| call.may(Scope::Metrics, queue)) {
            of(&mut gauges, queue).workers += 1;
        }
    }
    let mut response = text(&gauges).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(TEXT));
    Ok(response)
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

fn text(gauges: &BTreeMap<String, Gauges>) -> String {
    let mut text = String::new();
    write_all(&mut text, gauges).expect("text can always be written");
    text
}

fn write_all(text: &mut String, gauges: &BTreeMap<String, Gauges>) -> fmt::Result {
    head(text, "queue_build_info", "The version of the service.")?;
    writeln!(text, "queue_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION"))?;
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
