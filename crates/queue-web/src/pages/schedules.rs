//! The schedules of a queue: what they enqueue, when next, and when last.

use super::QueueChoice;
use crate::{
    answer::{self, Answer},
    problem::Result,
    visit::{Frame, Visit, is_reserved},
    words::{Moment, moment},
};
use askama::Template;
use queue::schedules::{ScheduleStatus, Tick};
use queue_core::{QueueName, Timestamp};
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
    state: &'static str,
    class: &'static str,
    sign: &'static str,
    is_paused: bool,
    is_failed: bool,
    next: Vec<Moment>,
    last: Option<Moment>,
    declared: &'static str,
    error: Option<String>,
}

/// The schedules found, and whether there may be more.
type Found = (Vec<ScheduleStatus>, bool);

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
        rows: found.0.iter().map(|status| row(status, now)).collect(),
        is_cut: found.1,
        may_change: frame.may.operate && !is_reserved(name),
        queues: chosen.choices,
        frame,
    })
}

async fn read(visit: &Visit, queue: &QueueName) -> Result<std::sync::Arc<Found>> {
    let schedules = visit.client(queue)?.schedules();
    let read = async move {
        let (mut found, mut after) = (Vec::new(), None);
        for _ in 0..PAGES_MAX {
            let (page, next) = schedules.page(after).await?;
            found.extend(page);
            after = next;
            if after.is_none() {
                break;
            }
        }
        Ok((found, after.is_some()))
    };
    visit.app.snapshots.get(visit.key("schedules", queue.as_str()), AGE, read).await
}

fn row(status: &ScheduleStatus, now: Timestamp) -> ScheduleRow {
    let (state, class, sign) = match (status.is_failed(), status.is_paused()) {
        (true, _) => ("failed", "bad", "✕"),
        (_, true) => ("paused", "rest", "❚❚"),
        _ => ("on", "good", "✓"),
    };
    let spec = status.spec();
    ScheduleRow {
        name: status.name().to_owned(),
        timing: spec.timing.to_string().replace('`', ""),
        kind: spec.job.kind().to_owned(),
        state,
        class,
        sign,
        is_paused: status.is_paused(),
        is_failed: status.is_failed(),
        next: status.next(NEXT).into_iter().map(|tick| at(tick, now)).collect(),
        last: status.last_run().map(|tick| at(tick, now)),
        declared: if spec.declared { "by a program" } else { "by hand" },
        error: status.meta().last_error.as_ref().map(ToString::to_string),
    }
}

fn at(tick: Tick, now: Timestamp) -> Moment {
    let since = tick.time().duration_since(UNIX_EPOCH).unwrap_or_default();
    moment(Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)), now)
}
