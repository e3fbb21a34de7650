//! The schedules of a queue: what they enqueue, when next, and when last.

use super::QueueChoice;
use crate::{
    answer::{self, Answer},
    problem::Result,
    visit::{Frame, Visit},
};
use askama::Template;
use queue::{
    UnreadableJob,
    schedules::{ScheduleStatus, SchedulesPage as SchedulesPageRead, Tick},
};
use queue_core::{NewJob, QueueName, Timestamp};
use queue_view::{
    option_facts,
    words::{Moment, moment},
};
use std::time::{Duration, UNIX_EPOCH};

/// The most pages of schedules that are read.
const PAGES_MAX: usize = 4;
/// How many of the next runs are shown.
const NEXT: usize = 3;
const AGE: Duration = Duration::from_secs(3);

#[derive(Template)]
#[template(path = "schedules.html")]
struct SchedulesPage {
    frame: Frame,
    queue: String,
    queues: Vec<QueueChoice>,
    rows: Vec<ScheduleRow>,
    is_cut: bool,
    may_change: bool,
}

struct ScheduleRow {
    name: String,
    timing: String,
    kind: String,
    options: String,
    state: &'static str,
    class: &'static str,
    sign: &'static str,
    is_paused: bool,
    is_failed: bool,
    is_unreadable: bool,
    next: Vec<Moment>,
    last: Option<Moment>,
    declared: Option<&'static str>,
    error: Option<String>,
}

/// `GET /schedules`
pub(crate) async fn schedules(visit: Visit) -> Result<Answer> {
    let Some(chosen) = visit.chosen_queue().await? else {
        return answer::page(&SchedulesPage {
            frame: visit.live_frame("Schedules", None),
            queue: String::new(),
            queues: Vec::new(),
            rows: Vec::new(),
            is_cut: false,
            may_change: false,
        });
    };
    let name = &chosen.name;
    let found = read(&visit, name).await?;
    let now = visit.client(name)?.store_time().await?;
    let frame = visit.live_frame("Schedules", Some(name.as_str()));
    answer::page(&SchedulesPage {
        queue: name.to_string(),
        rows: {
            let unreadable = found.unreadable.iter().map(|unreadable| unreadable_row(unreadable, now));
            found
                .schedules
                .iter()
                .map(|status| row(status, now, frame.may.payload))
                .chain(unreadable)
                .collect()
        },
        is_cut: found.next.is_some(),
        may_change: frame.may.operate && !name.is_reserved(),
        queues: chosen.choices,
        frame,
    })
}

async fn read(visit: &Visit, queue: &QueueName) -> Result<std::sync::Arc<SchedulesPageRead>> {
    let schedules = visit.client(queue)?.schedules();
    let read = async move { Ok(schedules.pages(PAGES_MAX).await?) };
    visit.app.snapshots.get(visit.key("schedules", queue.as_str()), AGE, read).await
}

fn row(status: &ScheduleStatus, now: Timestamp, with_headers: bool) -> ScheduleRow {
    let (class, sign) = match (status.is_failed(), status.is_paused()) {
        (true, _) => ("bad", "✕"),
        (_, true) => ("rest", "❚❚"),
        _ => ("good", "✓"),
    };
    let spec = status.spec();
    ScheduleRow {
        name: status.name().to_owned(),
        timing: spec.timing.to_string().replace('`', ""),
        kind: spec.job.kind().to_owned(),
        options: options(spec.job.as_job(), with_headers),
        state: status.state_word(),
        class,
        sign,
        is_paused: status.is_paused(),
        is_failed: status.is_failed(),
        is_unreadable: false,
        next: status.next(NEXT).into_iter().map(|tick| at(tick, now)).collect(),
        last: status.last_run().map(|tick| at(tick, now)),
        declared: Some(if spec.declared { "by a program" } else { "by hand" }),
        error: status.meta().last_error.as_ref().map(ToString::to_string),
    }
}

/// A schedule that this server cannot read, and another program may.
fn unreadable_row(unreadable: &UnreadableJob, now: Timestamp) -> ScheduleRow {
    ScheduleRow {
        name: unreadable.name().to_owned(),
        timing: "–".to_owned(),
        kind: "–".to_owned(),
        options: String::new(),
        state: "unreadable here",
        class: "warn",
        sign: "!",
        is_paused: unreadable.meta().is_parked(now),
        is_failed: false,
        is_unreadable: true,
        next: Vec::new(),
        last: None,
        declared: None,
        error: Some(unreadable.error().message().to_owned()),
    }
}

/// The options of the jobs that are not at their default.
fn options(job: &NewJob, with_headers: bool) -> String {
    let facts = option_facts(job, with_headers);
    let facts: Vec<String> = facts.into_iter().map(|fact| format!("{} {}", fact.label, fact.value)).collect();
    facts.join(", ")
}

fn at(tick: Tick, now: Timestamp) -> Moment {
    let since = tick.time().duration_since(UNIX_EPOCH).unwrap_or_default();
    moment(Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)), now)
}
