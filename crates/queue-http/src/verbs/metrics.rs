//! Gauges of the store in the text format of Prometheus. They are read on request, so they cost
//! nothing otherwise. The service's own measurements follow, if it has any.

use crate::{
    access::Scope,
    problem::{Problem, ProblemKind, Result},
    routes::Call,
    service::App,
};
use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use queue_core::{QueueFilter, QueueName, StoreGauges};
use serde::Deserialize;
use std::{
    fmt::{self, Write},
    sync::Arc,
    time::Duration,
};
use tokio::time::timeout;
use utoipa::IntoParams;

/// How long the store may take; Prometheus waits for ten seconds.
const READ_MAX: Duration = Duration::from_secs(5);
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Metrics.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct MetricsParams {
    /// Names of queues, with `*` for any text and commas between them: 1 to 100. All queues that
    /// the token may name if absent; of these the first 200 have series of their own.
    queues: Option<String>,
}

/// `GET /metrics`: of the queues that the token may name, and that the call asks for. A store that
/// does not answer leaves its gauges out, so that one sees what was measured of its errors.
pub(crate) async fn metrics(app: Arc<App>, call: Call) -> Result<Response> {
    let MetricsParams { queues } = call.query()?;
    let wanted = queues.map(|queues| queues.parse::<QueueFilter>()).transpose();
    let wanted = wanted.map_err(|invalid| Problem::invalid(invalid.to_string()).at("queues"))?;
    let seen = call.principal()?.seen_queues();
    let filter = wanted.iter().cloned().fold(seen, QueueFilter::and);
    let gauges = StoreGauges::read(&*app.storage, &filter, |queue| Some(queue.to_string()));
    let read = match timeout(READ_MAX, gauges).await {
        Ok(read) => read.map(|gauges| text(&gauges)).map_err(Problem::from),
        Err(_) => Err(Problem::new(ProblemKind::Unavailable, "the store is too slow")),
    };
    let text = match app.metrics.get() {
        None => read? + &build_info(),
        Some(metrics) => {
            let gauges = read.unwrap_or_else(|problem| {
                tracing::warn!(?problem, "the gauges of the store cannot be read");
                String::new()
            });
            gauges
                + &metrics.text(&|queue| {
                    may_see(&call, queue) && wanted.as_ref().is_none_or(|wanted| is_wanted(wanted, queue))
                })
        }
    };
    let mut response = text.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(TEXT));
    Ok(response)
}

/// Whether the caller may see what was measured of a queue. What belongs to no queue, and what
/// belongs to many, is for those who may see all.
fn may_see(call: &Call, queue: Option<&str>) -> bool {
    call.sees_all() || queue.and_then(named).is_some_and(|queue| call.may(Scope::Metrics, &queue))
}

/// Whether the caller asks for what was measured of a queue. What belongs to no queue is always
/// asked for.
fn is_wanted(wanted: &QueueFilter, queue: Option<&str>) -> bool {
    queue.is_none_or(|queue| named(queue).is_some_and(|queue| wanted.matches(&queue)))
}

/// The queue of a label, unless it stands for all the others.
fn named(label: &str) -> Option<QueueName> {
    QueueName::new(label).ok().filter(|_| label != StoreGauges::OTHER)
}

fn build_info() -> String {
    let name = "queue_build_info";
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "# HELP {name} The version of the library.\n# TYPE {name} gauge\n{name}{{version=\"{version}\"}} 1\n"
    )
}

fn text(gauges: &StoreGauges) -> String {
    let mut text = String::new();
    write_all(&mut text, gauges).expect("text can always be written");
    text
}

fn write_all(text: &mut String, gauges: &StoreGauges) -> fmt::Result {
    let StoreGauges { queues, slots, has_more, .. } = gauges;
    head(text, "queue_jobs", "Jobs by state; a failing job is also due or scheduled.")?;
    for (queue, of) in queues {
        for (state, count) in of.jobs() {
            writeln!(text, "queue_jobs{{{},state=\"{state}\"}} {count}", Destination(queue))?;
        }
    }
    head(text, "queue_oldest_due_age_seconds", "For how long the oldest due job has been due.")?;
    for (queue, of) in queues {
        writeln!(text, "queue_oldest_due_age_seconds{{{}}} {}", Destination(queue), of.oldest_due_secs)?;
    }
    head(text, "queue_paused", "Whether claims are stopped.")?;
    for (queue, of) in queues {
        writeln!(text, "queue_paused{{{}}} {}", Destination(queue), of.paused)?;
    }
    head(text, "queue_workers", "Workers that are present.")?;
    for (queue, of) in queues {
        writeln!(text, "queue_workers{{{}}} {}", Destination(queue), of.workers)?;
    }
    head(text, "queue_batches", "Batches that are open.")?;
    for (queue, of) in queues {
        writeln!(text, "queue_batches{{{}}} {}", Destination(queue), of.open_batches)?;
    }
    head(text, "queue_oldest_batch_age_seconds", "For how long the oldest open batch has been open.")?;
    for (queue, of) in queues {
        writeln!(text, "queue_oldest_batch_age_seconds{{{}}} {}", Destination(queue), of.oldest_batch_secs)?;
    }
    head(text, "queue_partitions_full", "Partitions whose due jobs wait for a slot.")?;
    for (queue, of) in queues {
        writeln!(text, "queue_partitions_full{{{}}} {}", Destination(queue), of.full_partitions)?;
    }
    head(
        text,
        "queue_oldest_blocked_age_seconds",
        "For how long the oldest job that waits for a slot has been due.",
    )?;
    for (queue, of) in queues {
        writeln!(
            text,
            "queue_oldest_blocked_age_seconds{{{}}} {}",
            Destination(queue),
            of.oldest_blocked_secs
        )?;
    }
    head(text, "queue_worker_slots", "Slots of all workers that are present.")?;
    for (state, count) in slots.by_word() {
        writeln!(text, "queue_worker_slots{{state=\"{state}\"}} {count}")?;
    }
    head(
        text,
        "queue_metrics_cut",
        "Whether there are more queues than were looked at; name those that matter.",
    )?;
    writeln!(text, "queue_metrics_cut {}", u8::from(*has_more))?;
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
