//! Failures, grouped by what they say.

use super::QueueChoice;
use crate::{
    answer::{self, Answer},
    problem::Result,
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
    queue: String,
    queues: Vec<QueueChoice>,
    groups: Vec<GroupView>,
    failed: String,
    failing: String,
    may_redrive: bool,
    left_out: usize,
}

struct GroupView {
    kind: String,
    kind_href: String,
    name: String,
    message: String,
    failed: String,
    failing: String,
    first: Moment,
    last: Moment,
    examples: Vec<(String, String)>,
    ids: Vec<String>,
}

/// `GET /errors`
pub(crate) async fn errors(visit: Visit) -> Result<Answer> {
    let Some(chosen) = visit.chosen_queue().await? else {
        return answer::page(&ErrorsPage {
            frame: visit.live_frame("Errors", None),
            queue: String::new(),
            queues: Vec::new(),
            groups: Vec::new(),
            failed: String::new(),
            failing: String::new(),
            may_redrive: false,
            left_out: 0,
        });
    };
    let name = &chosen.name;
    let found = read(&visit, name).await?;
    let frame = visit.live_frame("Errors", Some(name.as_str()));
    answer::page(&ErrorsPage {
        queue: name.to_string(),
        failed: number(found.failed),
        failing: number(found.failing),
        may_redrive: frame.may.operate && !name.is_reserved(),
        left_out: found.groups.len().saturating_sub(GROUPS_MAX),
        groups: found
            .groups
            .iter()
            .take(GROUPS_MAX)
            .map(|group| view(&visit, name, group, found.now))
            .collect(),
        queues: chosen.choices,
        frame,
    })
}

async fn read(visit: &Visit, queue: &QueueName) -> Result<Arc<FailureGroups>> {
    let (storage, name) = (visit.storage().clone(), queue.clone());
    let read = async move { Ok(FailureGroups::read(&*storage, &name).await?) };
    visit.app.snapshots.get(visit.key("errors", queue.as_str()), AGE, read).await
}

fn view(visit: &Visit, queue: &QueueName, group: &FailureGroup, now: Timestamp) -> GroupView {
    let pairs = [("queue", queue.as_str()), ("kind", group.kind.as_str())];
    let example = |id: &queue_core::JobId| {
        let href = visit.link("job", &[("queue", queue.as_str()), ("id", id.as_str())]);
        (id.to_string(), href)
    };
    GroupView {
        kind_href: visit.link("jobs", &pairs),
        kind: group.kind.to_string(),
        name: group.error_name.clone(),
        message: group.message.clone(),
        failed: number(group.failed),
        failing: number(group.failing),
        first: moment(group.first, now),
        last: moment(group.last, now),
        examples: group.examples.iter().map(example).collect(),
        ids: group.failed_ids.iter().map(ToString::to_string).collect(),
    }
}
