//! The jobs of all queues.

use super::{JobsPage, LIMIT, row, since_choices, tabs};
use crate::{
    answer::{self, Answer},
    problem::Result,
    read::QueueList,
    visit::Visit,
};
use queue_view::{
    JobFilter, JobsAcross,
    words::{number, plural},
};
use std::{sync::Arc, time::Duration};

/// It costs a read of each queue that may have such a job.
const AGE: Duration = Duration::from_secs(2);

/// The page of jobs without a queue in its address.
pub(super) async fn jobs(visit: &Visit, list: Arc<QueueList>, filter: JobFilter) -> Result<Answer> {
    let found = read(visit, list.clone(), &filter).await?;
    answer::page(&JobsPage {
        is_there: true,
        queues: list.choices(),
        tabs: tabs(visit, None, &list.queues, &filter),
        since: since_choices(filter.since, found.now),
        rows: found.jobs.iter().map(|job| row(visit, job, found.now)).collect(),
        order: "of all queues",
        looked_at: plural(found.queues as u64, "queue", "queues"),
        left_out: left_out(&found),
        clear: visit.link("jobs", &[]),
        ..JobsPage::empty(visit.live_frame("Jobs", None), filter)
    })
}

async fn read(visit: &Visit, list: Arc<QueueList>, filter: &JobFilter) -> Result<Arc<JobsAcross>> {
    let (storage, filter) = (visit.storage().clone(), filter.clone());
    let key = visit.key("all jobs", &format!("{}\u{0}{filter:?}", visit.patterns()));
    let read = async move { Ok(filter.newest_across(&*storage, &list.queues, LIMIT).await?) };
    visit.app.snapshots.get(key, AGE, read).await
}

fn left_out(found: &JobsAcross) -> String {
    match (found.left_out, found.has_more) {
        (0, false) => String::new(),
        (0, true) => "There are more: choose a queue to go on.".to_owned(),
        (queues, _) => format!("{} more queues were not read: choose one of them.", number(queues as u64)),
    }
}
