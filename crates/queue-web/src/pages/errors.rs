//! Failures, grouped by what they say.

use super::QueueChoice;
use crate::{
    answer::{self, Answer},
    problem::Result,
    visit::{Frame, Visit},
    words::{Moment, moment, number},
};
use askama::Template;
use queue_core::{Direction, JobMeta, ListQuery, QueueName, State, Timestamp, Walk, error_pattern};
use std::{collections::HashMap, time::Duration};

/// How many jobs of each state are looked at.
const LOOKED_AT: usize = 500;
/// The most groups, and the most jobs of one group that a form names.
const GROUPS_MAX: usize = 100;
const IDS_MAX: usize = 100;
const EXAMPLES: usize = 3;
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

/// Failures that say the same.
#[derive(Debug)]
struct FailureGroup {
    key: (String, String, String),
    failed: u64,
    failing: u64,
    first: Timestamp,
    last: Timestamp,
    examples: Vec<String>,
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
    let (failed, now) = newest(&visit, name, State::Failed).await?;
    let (failing, _) = newest(&visit, name, State::Failing).await?;
    let groups = grouped(failed.iter().chain(&failing));
    let frame = visit.live_frame("Errors", Some(name.as_str()));
    answer::page(&ErrorsPage {
        queue: name.to_string(),
        failed: number(failed.len() as u64),
        failing: number(failing.len() as u64),
        may_redrive: frame.may.operate && !name.is_reserved(),
        left_out: groups.len().saturating_sub(GROUPS_MAX),
        groups: groups.into_iter().take(GROUPS_MAX).map(|group| view(&visit, name, group, now)).collect(),
        queues: chosen.choices,
        frame,
    })
}

async fn newest(visit: &Visit, queue: &QueueName, state: State) -> Result<(Vec<JobMeta>, Timestamp)> {
    let walk = Walk::State(state, Direction::NewestFirst);
    let (storage, query) = (visit.storage().clone(), ListQuery::new(queue.clone(), walk, LOOKED_AT));
    let key = visit.key("errors", &format!("{state}\u{0}{queue}"));
    let read = async move { Ok(storage.list(query).await?) };
    let page = visit.app.snapshots.get(key, AGE, read).await?;
    Ok((page.jobs.clone(), page.now))
}

/// The groups, the largest first.
fn grouped<'a>(jobs: impl Iterator<Item = &'a JobMeta>) -> Vec<FailureGroup> {
    let mut groups: Vec<FailureGroup> = Vec::new();
    let mut places: HashMap<(String, String, String), usize> = HashMap::new();
    for job in jobs {
        let Some(error) = &job.last_error else { continue };
        let key = (job.kind.to_string(), error.name().to_owned(), error_pattern(error.message()));
        let at = job.failed_at.unwrap_or_else(|| job.entered_at());
        let place = *places.entry(key).or_insert_with_key(|key| {
            groups.push(FailureGroup {
                key: key.clone(),
                failed: 0,
                failing: 0,
                first: at,
                last: at,
                examples: Vec::new(),
                ids: Vec::new(),
            });
            groups.len() - 1
        });
        groups[place].add(job, at);
    }
    groups.sort_by_key(|group| std::cmp::Reverse((group.failed + group.failing, group.last)));
    groups
}

impl FailureGroup {
    fn add(&mut self, job: &JobMeta, at: Timestamp) {
        if job.state.is_terminal() {
            self.failed += 1;
            if self.ids.len() < IDS_MAX {
                self.ids.push(job.id.to_string());
            }
        } else {
            self.failing += 1;
        }
        (self.first, self.last) = (self.first.min(at), self.last.max(at));
        if self.examples.len() < EXAMPLES {
            self.examples.push(job.id.to_string());
        }
    }
}

fn view(visit: &Visit, queue: &QueueName, group: FailureGroup, now: Timestamp) -> GroupView {
    let (kind, name, message) = group.key;
    let pairs = [("queue", queue.as_str()), ("kind", kind.as_str())];
    let example = |id: String| {
        let href = visit.link("job", &[("queue", queue.as_str()), ("id", id.as_str())]);
        (id, href)
    };
    GroupView {
        kind_href: visit.link("jobs", &pairs),
        kind,
        name,
        message,
        failed: number(group.failed),
        failing: number(group.failing),
        first: moment(group.first, now),
        last: moment(group.last, now),
        examples: group.examples.into_iter().map(example).collect(),
        ids: group.ids,
    }
}
