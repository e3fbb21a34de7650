//! One job: what it is, what happened to it, and what it carries once a visitor opens it.

mod body;
mod timeline;

use super::capitalized;
use crate::{
    answer::{self, Answer},
    problem::{Result, WebProblem},
    visit::{Frame, Visit},
    words::{StateWord, state_word},
};
use askama::Template;
use body::BodyView;
pub(crate) use body::PartName;
use queue::batches::BatchLife;
use queue_core::{JobId, JobMeta, QueueName};
use queue_view::{JobFact, JobReading};
use std::time::Duration;
use timeline::StepView;

const AGE: Duration = Duration::from_millis(950);

#[derive(Template)]
#[template(path = "job.html")]
struct JobPage {
    frame: Frame,
    id: String,
    queue: String,
    queue_href: String,
    state: StateWord,
    reason: Option<String>,
    facts: Vec<FactView>,
    error: Option<(String, String)>,
    timeline: Vec<StepView>,
    body: Option<BodyView>,
    actions: Vec<super::jobs::ActionView>,
    may_edit: bool,
    jobs: String,
    library: Option<super::LibraryLink>,
    batch: Option<BatchLink>,
}

/// The batch that the job is a member of.
struct BatchLink {
    name: String,
    href: String,
}

struct FactView {
    name: String,
    value: String,
    href: Option<String>,
}

/// `GET /job`
pub(crate) async fn job(visit: Visit) -> Result<Answer> {
    let (queue, id) = (visit.queue()?, visit.job_id()?);
    let reading = read(&visit, &queue, &id).await?;
    let frame = visit.live_frame(format!("Job {id}"), Some(queue.as_str()));
    answer::page(&view(&visit, frame, &reading, None))
}

/// The whole job that the form names.
pub(crate) async fn whole(visit: &Visit) -> Result<JobReading> {
    let (queue, id) = (visit.queue()?, visit.job_id()?);
    let found = JobReading::read_whole(&**visit.storage(), &queue, &id).await?;
    found.ok_or_else(|| no_job(&queue, &id))
}

/// The same page with what the job carries, which stays as it was when it was opened.
pub(crate) async fn opened(visit: &Visit) -> Result<Answer> {
    let reading = whole(visit).await?;
    let id = &reading.meta.id;
    let traces = visit.app.traces.as_ref();
    let shown = reading.body.as_ref().map(|body| BodyView::of(body, &reading.meta, traces));
    answer::page(&view(visit, visit.frame(format!("Job {id}")), &reading, shown))
}

async fn read(visit: &Visit, queue: &QueueName, id: &JobId) -> Result<JobReading> {
    let key = visit.key("job", &format!("{queue}\u{0}{id}"));
    let (storage, named, of) = (visit.storage().clone(), queue.clone(), id.clone());
    let read = async move { Ok(JobReading::read(&*storage, &named, &of).await?) };
    let found = visit.app.snapshots.get(key, AGE, read).await?;
    (*found).clone().ok_or_else(|| no_job(queue, id))
}

fn no_job(queue: &QueueName, id: &JobId) -> WebProblem {
    WebProblem::not_found(format!(
        "There is no job “{id}” in the queue “{queue}”, or none any more: records go when their time is over."
    ))
}

fn view(visit: &Visit, frame: Frame, reading: &JobReading, body: Option<BodyView>) -> JobPage {
    let JobReading { meta, now, .. } = reading;
    let is_open = !meta.queue.is_reserved() && !meta.kind.is_reserved();
    let may_change = frame.may.operate && is_open;
    JobPage {
        id: meta.id.to_string(),
        queue: meta.queue.to_string(),
        queue_href: visit.link("queue", &[("queue", meta.queue.as_str())]),
        state: state_word(meta, *now),
        reason: meta.reason.map(|reason| reason.as_str().to_owned()),
        facts: facts(visit, reading),
        error: meta.last_error.as_ref().map(|error| (error.name().to_owned(), error.message().to_owned())),
        timeline: timeline::of(visit, reading),
        actions: if may_change { super::jobs::actions(&[reading.standing()]) } else { Vec::new() },
        may_edit: frame.may.produce && frame.may.payload && is_open,
        jobs: visit.link("jobs", &[("queue", meta.queue.as_str())]),
        library: visit.library_link(meta),
        batch: batch(visit, meta),
        body,
        frame,
    }
}

fn batch(visit: &Visit, meta: &JobMeta) -> Option<BatchLink> {
    let life = BatchLife::of_member(meta)?;
    let (queue, seq) = (meta.queue.as_str(), life.seq().to_string());
    let pairs = [("queue", queue), ("name", life.name().as_str()), ("seq", &seq)];
    Some(BatchLink { name: life.to_string(), href: visit.link("batch", &pairs) })
}

fn facts(visit: &Visit, reading: &JobReading) -> Vec<FactView> {
    let queue = reading.meta.queue.as_str();
    let view = |fact: JobFact| FactView {
        name: capitalized(fact.label),
        href: fact.shared.map(|part| visit.link("jobs", &[("queue", queue), (part, &fact.value)])),
        value: fact.value,
    };
    reading.facts().into_iter().map(view).collect()
}
