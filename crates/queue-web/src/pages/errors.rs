//! Failures of one queue or of all, grouped by what they say.

use super::{QueueChoice, ReadScope, SinceChoice, since_choices};
use crate::{
    answer::{self, Answer},
    problem::{Result, WebProblem},
    visit::{Frame, Visit},
};
use askama::Template;
use queue_core::{QueueName, Timestamp};
use queue_view::{
    FailureGroup, FailureGroups,
    words::{Moment, moment, number},
};
use std::{sync::Arc, time::Duration};

/// The most groups of a page.
const GROUPS_MAX: usize = 100;
const AGE: Duration = Duration::from_secs(2);

#[derive(Template)]
#[template(path = "errors.html")]
struct ErrorsPage {
    frame: Frame,
    /// There is a queue.
    is_there: bool,
    /// The one queue; all queues if absent.
    queue: Option<String>,
    queues: Vec<QueueChoice>,
    since: Vec<SinceChoice>,
    groups: Vec<GroupView>,
    failed: String,
    failing: String,
    left_out: usize,
    queues_left_out: usize,
}

struct GroupView {
    queue: String,
    queue_href: String,
    kind: String,
    kind_href: String,
    name: String,
    message: String,
    failed: String,
    failing: String,
    first: Moment,
    last: Moment,
    examples: Vec<(String, String)>,
    /// The failed jobs that the visitor may run again.
    ids: Vec<String>,
}

/// `GET /errors`
pub(crate) async fn errors(visit: Visit) -> Result<Answer> {
    let since = since(&visit)?;
    let one = async |queue: &QueueName| read(&visit, queue, since).await;
    let ReadScope { queue, queues, found } =
        visit.read_scope(one, async |list| read_all(&visit, list, since).await).await?;
    let frame = visit.live_frame("Errors", queue.as_ref().map(QueueName::as_str));
    let group = |group: &FailureGroup| view(&visit, &frame, group, found.now);
    answer::page(&ErrorsPage {
        is_there: queues.is_some(),
        queue: queue.as_ref().map(ToString::to_string),
        queues: queues.unwrap_or_default(),
        since: since_choices(since, found.now),
        failed: number(found.failed),
        failing: number(found.failing),
        left_out: found.groups.len().saturating_sub(GROUPS_MAX),
        queues_left_out: found.left_out,
        groups: found.groups.iter().take(GROUPS_MAX).map(group).collect(),
        frame,
    })
}

/// How far back to look.
fn since(visit: &Visit) -> Result<Option<Timestamp>> {
    let Some(text) = visit.query.get("since_ms") else { return Ok(None) };
    let millis = text.parse().map_err(|_| WebProblem::invalid("The time is no number of milliseconds."))?;
    Ok(Some(Timestamp::from_millis(millis)))
}

async fn read(visit: &Visit, queue: &QueueName, since: Option<Timestamp>) -> Result<Arc<FailureGroups>> {
    let (storage, name) = (visit.storage().clone(), queue.clone());
    let key = visit.key("errors", &format!("{queue}\u{0}{since:?}"));
    let read = async move { Ok(FailureGroups::read(&*storage, &name, since).await?) };
    visit.app.snapshots.get(key, AGE, read).await
}

async fn read_all(
    visit: &Visit,
    list: Arc<crate::read::QueueList>,
    since: Option<Timestamp>,
) -> Result<Arc<FailureGroups>> {
    let storage = visit.storage().clone();
    let key = visit.key("all errors", &format!("{}\u{0}{since:?}", visit.patterns()));
    let read = async move { Ok(FailureGroups::read_across(&*storage, &list.queues, since).await?) };
    visit.app.snapshots.get(key, AGE, read).await
}

fn view(visit: &Visit, frame: &Frame, group: &FailureGroup, now: Timestamp) -> GroupView {
    let queue = ("queue", group.queue.as_str());
    let example = |id: &queue_core::JobId| {
        let href = visit.link("job", &[queue, ("id", id.as_str())]);
        (id.to_string(), href)
    };
    // Jobs of the library are changed on their own pages.
    let may_redrive = frame.may.operate && !group.queue.is_reserved() && !group.kind.is_reserved();
    GroupView {
        queue: group.queue.to_string(),
        queue_href: visit.link("errors", &[queue]),
        kind_href: visit.link("jobs", &[queue, ("kind", group.kind.as_str())]),
        kind: group.kind.to_string(),
        name: group.error_name.clone(),
        message: group.message.clone(),
        failed: number(group.failed),
        failing: number(group.failing),
        first: moment(group.first, now),
        last: moment(group.last, now),
        examples: group.examples.iter().map(example).collect(),
        ids: group.failed_ids.iter().filter(|_| may_redrive).map(ToString::to_string).collect(),
    }
}
