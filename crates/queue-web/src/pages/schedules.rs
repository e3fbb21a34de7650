//! The schedules of one queue or of all: what they enqueue, when next, and when last.

mod order;

use super::{QueueChoice, ReadScope, sorting::ColumnView};
use crate::{
    answer::{self, Answer},
    problem::Result,
    read::QueueList,
    visit::{Frame, Visit},
};
use askama::Template;
use queue::{
    Queue, Raw, UnreadableJob,
    schedules::{ScheduleStatus, SchedulesPage as SchedulesPageRead, Tick},
};
use queue_core::{NewJob, QueueName, Timestamp};
use queue_view::{
    QueuesToRead, option_facts,
    words::{Moment, moment},
};
use std::{
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

/// The most pages of schedules that are read.
const PAGES_MAX: usize = 4;
/// The most schedules of a page.
const ROWS_MAX: usize = 500;
/// How many of the next runs are shown.
const NEXT: usize = 3;
const AGE: Duration = Duration::from_secs(3);

#[derive(Template)]
#[template(path = "schedules.html")]
#[allow(clippy::struct_excessive_bools, reason = "each is a part of the page that is there or not")]
struct SchedulesPage {
    frame: Frame,
    /// There is a queue.
    is_there: bool,
    /// The one queue; all queues if absent.
    queue: Option<String>,
    queues: Vec<QueueChoice>,
    head: Vec<ColumnView>,
    rows: Vec<ScheduleRow>,
    is_cut: bool,
    queues_left_out: usize,
    may_change: bool,
    may_edit: bool,
    /// The form that adds one.
    add: Option<String>,
}

/// The schedules that were read.
#[derive(Default)]
struct FoundSchedules {
    page: SchedulesPageRead,
    /// How many queues were not read.
    left_out: usize,
    now: Timestamp,
}

#[derive(Default)]
struct ScheduleRow {
    queue: String,
    queue_href: String,
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
    next_tick: Option<Tick>,
    last: Option<Moment>,
    last_tick: Option<Tick>,
    declared: Option<&'static str>,
    error: Option<String>,
}

/// `GET /schedules`
pub(crate) async fn schedules(visit: Visit) -> Result<Answer> {
    let one = async |queue: &QueueName| read(&visit, queue).await;
    let ReadScope { queue, queues, found } =
        visit.read_scope(one, async |list| read_all(&visit, list).await).await?;
    let FoundSchedules { page, left_out, now } = &*found;
    let frame = visit.live_frame("Schedules", queue.as_ref().map(QueueName::as_str));
    let open = queue.as_ref().filter(|queue| !queue.is_reserved());
    let add = open.map(|queue| visit.link("new-schedule", &[("queue", queue.as_str())]));
    let unreadable = page.unreadable.iter().map(|unreadable| unreadable_row(&visit, unreadable, *now));
    let rows =
        page.schedules.iter().map(|status| row(&visit, status, *now, frame.may.payload)).chain(unreadable);
    let count = page.schedules.len() + page.unreadable.len();
    let is_cut = page.next.is_some() || *left_out > 0;
    let can_sort = !is_cut && count <= order::SORTED_MAX;
    let sort = order::wanted(&visit).filter(|_| can_sort);
    let mut rows: Vec<ScheduleRow> = rows.take(if can_sort { count } else { ROWS_MAX }).collect();
    if let Some(sort) = sort {
        order::arrange(&mut rows, sort);
    }
    rows.truncate(ROWS_MAX);
    answer::page(&SchedulesPage {
        is_there: queues.is_some(),
        head: order::head(&visit, queue.as_ref().map(QueueName::as_str), sort, can_sort),
        rows,
        is_cut: page.next.is_some() || count > ROWS_MAX,
        queues_left_out: *left_out,
        may_change: frame.may.operate && !queue.as_ref().is_some_and(QueueName::is_reserved),
        may_edit: frame.may.operate && frame.may.produce && frame.may.payload,
        add: add.filter(|_| frame.may.operate && frame.may.produce),
        queue: queue.as_ref().map(ToString::to_string),
        queues: queues.unwrap_or_default(),
        frame,
    })
}

async fn read(visit: &Visit, queue: &QueueName) -> Result<Arc<FoundSchedules>> {
    let client = visit.client(queue)?;
    let read = async move {
        let page = client.schedules().pages(PAGES_MAX).await?;
        Ok(FoundSchedules { page, left_out: 0, now: client.store_time().await? })
    };
    visit.app.snapshots.get(visit.key("schedules", queue.as_str()), AGE, read).await
}

/// The first schedules of each of a hundred queues that have a job.
async fn read_all(visit: &Visit, list: Arc<QueueList>) -> Result<Arc<FoundSchedules>> {
    let storage = visit.storage().clone();
    let read = async move {
        let QueuesToRead { names, left_out, now } =
            QueuesToRead::of(&list.queues, |queue| queue.counts.total() > 0);
        let mut found = FoundSchedules { left_out, now, ..FoundSchedules::default() };
        for name in names {
            let client: Queue<Raw, Raw> = Queue::new(storage.clone(), name)?;
            let page = client.schedules().page(None).await?;
            found.page.schedules.extend(page.schedules);
            found.page.unreadable.extend(page.unreadable);
            found.page.next = found.page.next.or(page.next);
        }
        Ok(found)
    };
    visit.app.snapshots.get(visit.key("all schedules", &visit.patterns()), AGE, read).await
}

fn row(visit: &Visit, status: &ScheduleStatus, now: Timestamp, with_headers: bool) -> ScheduleRow {
    let (class, sign) = match (status.is_failed(), status.is_paused()) {
        (true, _) => ("bad", "✕"),
        (_, true) => ("rest", "❚❚"),
        _ => ("good", "✓"),
    };
    let spec = status.spec();
    let (next, last) = (status.next(NEXT), status.last_run());
    let queue = status.meta().queue.as_str();
    ScheduleRow {
        queue: queue.to_owned(),
        queue_href: visit.link("schedules", &[("queue", queue)]),
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
        next_tick: next.first().copied(),
        next: next.into_iter().map(|tick| at(tick, now)).collect(),
        last_tick: last,
        last: last.map(|tick| at(tick, now)),
        declared: Some(if spec.declared { "by a program" } else { "by hand" }),
        error: status.meta().last_error.as_ref().map(ToString::to_string),
    }
}

/// A schedule that this server cannot read, and another program may.
fn unreadable_row(visit: &Visit, unreadable: &UnreadableJob, now: Timestamp) -> ScheduleRow {
    let queue = unreadable.meta().queue.as_str();
    ScheduleRow {
        queue: queue.to_owned(),
        queue_href: visit.link("schedules", &[("queue", queue)]),
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
        next_tick: None,
        last: None,
        last_tick: None,
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
