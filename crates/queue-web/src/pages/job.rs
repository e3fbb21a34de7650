//! One job: what it is, what happened to it, and what it carries once a visitor opens it.

mod body;
mod timeline;

use crate::{
    answer::{self, Answer},
    problem::{Result, WebProblem},
    visit::{Frame, Visit},
    words::{StateWord, state_word},
};
use askama::Template;
use body::BodyView;
use queue_core::{
    Budget, Detail, JobAttempts, JobBody, JobId, JobMeta, QueueName, Stamped, StorageExt, Timestamp,
};
use queue_view::{
    Standing,
    words::{age, moment},
};
use std::time::Duration;
use timeline::TimelineEntry;

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
    timeline: Vec<TimelineEntry>,
    body: Option<BodyView>,
    actions: Vec<super::jobs::ActionView>,
    jobs: String,
}

struct FactView {
    name: &'static str,
    value: String,
    href: Option<String>,
}

/// What a store tells of a job.
struct JobReading {
    meta: JobMeta,
    attempts: Vec<queue_core::Attempt>,
    now: Timestamp,
}

/// `GET /job`
pub(crate) async fn job(visit: Visit) -> Result<Answer> {
    let (queue, id) = (visit.queue()?, visit.job_id()?);
    let reading = read(&visit, &queue, &id).await?;
    let frame = visit.live_frame(format!("Job {id}"), Some(queue.as_str()));
    answer::page(&view(&visit, frame, &reading, None))
}

/// The same page with what the job carries, which stays as it was when it was opened.
pub(crate) async fn opened(visit: &Visit) -> Result<Answer> {
    let (queue, id) = (visit.queue()?, visit.job_id()?);
    let found = visit.storage().get_whole(&queue, std::slice::from_ref(&id)).await?;
    let record = found.value.into_iter().flatten().next().ok_or_else(no_job)?;
    let body: Option<JobBody> = record.body;
    let attempts = attempts_of(visit, &queue, &id).await?.map(|found| found.attempts).unwrap_or_default();
    let reading = JobReading { meta: record.meta, attempts, now: found.now };
    let shown = body.map(|body| BodyView::of(&body, &reading.meta, visit.app.traces.as_ref()));
    answer::page(&view(visit, visit.frame(format!("Job {id}")), &reading, shown))
}

async fn read(visit: &Visit, queue: &QueueName, id: &JobId) -> Result<JobReading> {
    let key = visit.key("job", &format!("{queue}\u{0}{id}"));
    let (storage, queue, id) = (visit.storage().clone(), queue.clone(), id.clone());
    let read = async move {
        let Stamped { now, value, .. } = storage.get(&queue, std::slice::from_ref(&id), Detail::Meta).await?;
        let found = value.into_iter().flatten().next();
        let attempts = match &found {
            Some(_) if storage.capabilities().attempts => storage.attempts_of(&queue, &id).await?.value,
            _ => None,
        };
        Ok((now, found.map(|record| record.meta), attempts.map(|found| found.attempts).unwrap_or_default()))
    };
    let found = visit.app.snapshots.get(key, AGE, read).await?;
    let (now, meta, attempts) = (*found).clone();
    Ok(JobReading { meta: meta.ok_or_else(no_job)?, attempts, now })
}

async fn attempts_of(visit: &Visit, queue: &QueueName, id: &JobId) -> Result<Option<JobAttempts>> {
    if !visit.storage().capabilities().attempts {
        return Ok(None);
    }
    Ok(visit.storage().attempts_of(queue, id).await?.value)
}

fn no_job() -> WebProblem {
    WebProblem::not_found("There is no job of this id, or none any more: records go when their time is over.")
}

fn view(visit: &Visit, frame: Frame, reading: &JobReading, body: Option<BodyView>) -> JobPage {
    let JobReading { meta, attempts, now } = reading;
    let may_change = frame.may.operate && !meta.queue.is_reserved() && !meta.kind.is_reserved();
    JobPage {
        id: meta.id.to_string(),
        queue: meta.queue.to_string(),
        queue_href: visit.link("queue", &[("queue", meta.queue.as_str())]),
        state: state_word(meta, *now),
        reason: meta.reason.map(|reason| reason.as_str().to_owned()),
        facts: facts(visit, meta, *now),
        error: meta.last_error.as_ref().map(|error| (error.name().to_owned(), error.message().to_owned())),
        timeline: timeline::of(visit, meta, attempts, *now),
        actions: if may_change { super::jobs::actions(&[Standing::of(meta, *now)]) } else { Vec::new() },
        jobs: visit.link("jobs", &[("queue", meta.queue.as_str())]),
        body,
        frame,
    }
}

fn facts(visit: &Visit, job: &JobMeta, now: Timestamp) -> Vec<FactView> {
    let plain = |name, value: String| FactView { name, value, href: None };
    let queue = job.queue.as_str();
    let linked = |name, value: &str, field: &str| FactView {
        name,
        value: value.to_owned(),
        href: Some(visit.link("jobs", &[("queue", queue), (field, value)])),
    };
    let mut facts = vec![linked("Kind", job.kind.as_str(), "kind"), plain("Attempts", attempts(job))];
    if job.stalls > 0 {
        facts.push(plain("Stalls", format!("{} of {}", job.stalls, limit(job.max_stalls))));
    }
    facts.push(plain("Priority", job.priority.to_string()));
    facts.extend(job.wait_time(now).map(|time| plain("Waited", age(time))));
    facts.extend(job.run_time(now).map(|time| plain("Ran", age(time))));
    facts.extend(job.tags.iter().map(|tag| linked("Tag", tag.as_str(), "tag")));
    if let Some(lease) = &job.lease {
        facts.push(linked("Held by", lease.worker.as_str(), "worker"));
        facts.push(plain("Lease ends", moment(lease.expires_at, now).relative));
    }
    facts.extend(job.time_limit.map(|limit| plain("Time limit", age(limit.as_duration()))));
    facts.extend(job.expires_at().map(|at| plain("Must start", moment(at, now).relative)));
    facts.extend(
        job.on_failure.as_ref().map(|kind| plain("If it fails", format!("a job of kind {kind} follows"))),
    );
    if job.cancel_requested {
        facts.push(plain("Cancel", "asked to stop".to_owned()));
    }
    facts.extend(job.purge_at.map(|at| plain("Record ends", moment(at, now).relative)));
    facts
        .push(plain("Number", format!("{} (revision {}, epoch {})", job.seq.get(), job.revision, job.epoch)));
    facts
}

/// Attempts made of those that may be.
pub(super) fn attempts(job: &JobMeta) -> String {
    match job.max_attempts {
        Budget::Limited(limit) => format!("{} of {limit}", job.attempts_made()),
        Budget::Unlimited => job.attempts_made().to_string(),
    }
}

fn limit(budget: Budget) -> String {
    match budget {
        Budget::Limited(limit) => limit.to_string(),
        Budget::Unlimited => "any number".to_owned(),
    }
}
