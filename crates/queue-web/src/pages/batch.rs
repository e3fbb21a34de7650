//! One batch: how far it is, what it does at its end, and which members are worth a look.

use super::{
    batches::{counts, progress_meter},
    capitalized,
    overview::TileView,
};
use crate::{
    answer::{self, Answer},
    problem::{Result, WebProblem},
    visit::{Frame, Visit},
    words::{StateWord, batch_word},
};
use askama::Template;
use http::StatusCode;
use queue::{
    Queue, Raw,
    batches::{BatchDetails, OnTimeout},
};
use queue_core::{ErrorKind, JobMeta, QueueName, Timestamp};
use queue_view::{
    BatchCallbackView,
    words::{Moment, age, moment, number},
};
use std::time::Duration;

const AGE: Duration = Duration::from_millis(950);

#[derive(Template)]
#[template(path = "batch.html")]
#[allow(clippy::struct_excessive_bools, reason = "each is a part of the page that is there or not")]
struct BatchPage {
    frame: Frame,
    queue: String,
    queue_href: String,
    batches: String,
    name: String,
    seq: String,
    /// The jobs of its tag.
    members: String,
    /// Those that failed.
    failed_members: String,
    state: StateWord,
    meter: String,
    progress: String,
    added: String,
    /// Present if the counts are not current: members may have ended since.
    counted_until: Option<Moment>,
    tiles: Vec<TileView>,
    opened: Moment,
    ended: Option<Moment>,
    timeout: String,
    /// When the time-out comes; absent once the batch is over.
    timeout_at: Option<Moment>,
    at_timeout: &'static str,
    /// Absent if the members are kept until they are swept.
    kept_for: Option<String>,
    first_failure: Option<Moment>,
    callbacks: Vec<CallbackRow>,
    /// Why it stands still, if it does.
    standstill: Option<String>,
    oldest: Option<MemberView>,
    /// How many members wait for another try, and the newest error of one.
    retrying: Option<String>,
    last_retried: Option<MemberView>,
    retrying_members: String,
    errors: Vec<MemberView>,
    has_failed: bool,
    can_seal: bool,
    can_cancel: bool,
    can_abandon: bool,
    can_sweep: bool,
}

struct CallbackRow {
    on: &'static str,
    kind: String,
    /// Its job, once that was enqueued, if the visitor sees its queue.
    job_href: Option<String>,
    queue: String,
    /// Absent if the visitor does not see the queue.
    queue_href: Option<String>,
}

/// A member that is worth a look, and since when it is as it is.
struct MemberView {
    id: String,
    href: String,
    since: Moment,
    error: String,
}

/// `GET /batch`
pub(crate) async fn batch(visit: Visit) -> Result<Answer> {
    let queue = visit.queue()?;
    let name = visit.field("name").ok_or_else(|| WebProblem::invalid("The address names no batch."))?;
    let key = visit.key("batch", &format!("{queue}\u{0}{name}"));
    let found = visit.app.snapshots.get(key, AGE, read(visit.client(&queue)?, name.to_owned())).await?;
    let found = (*found).as_ref().ok_or_else(|| no_batch(&queue, name))?;
    let is_later = visit.field("seq").is_some_and(|seq| seq != found.status.seq.to_string());
    if is_later {
        return Err(taken_again(&visit, found));
    }
    answer::page(&view(&visit, &queue, found))
}

/// For the link of a member of an earlier batch of the name.
fn taken_again(visit: &Visit, found: &BatchDetails) -> WebProblem {
    let (name, seq) = (&found.status.name, visit.field("seq").unwrap_or_default());
    WebProblem::not_found(format!(
        "There is no record of the batch “{name}@{seq}” any more: “{name}” is the batch {} now. The tag “batch:{name}@{seq}” finds its members.",
        found.status.seq
    ))
}

fn no_batch(queue: &QueueName, name: &str) -> WebProblem {
    WebProblem::not_found(format!(
        "There is no batch “{name}” in the queue “{queue}”, or none any more: records go when their time is over."
    ))
}

async fn read(client: Queue<Raw, Raw>, name: String) -> Result<Option<BatchDetails>> {
    client.batches().details(&name).await.map_err(|error| unreadable(&name, error))
}

/// Says of a batch that another program may read why this server does not.
fn unreadable(name: &str, error: queue_core::Error) -> WebProblem {
    match error.kind() {
        ErrorKind::Unsupported | ErrorKind::Corrupt => WebProblem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("The batch “{name}” cannot be read here: {}.", error.message()),
        ),
        _ => error.into(),
    }
}

fn view(visit: &Visit, queue: &QueueName, found: &BatchDetails) -> BatchPage {
    let BatchDetails { status, oldest, now, .. } = found;
    let at = |at: Timestamp| moment(at, *now);
    let details = found.view();
    let batch = &details.batch;
    let tag = status.life().tag();
    let members = |state: Option<&str>| {
        let state = state.map(|state| ("state", state));
        let pairs = [("queue", queue.as_str()), ("tag", tag.as_str())].into_iter().chain(state);
        visit.link("jobs", &pairs.collect::<Vec<_>>())
    };
    let frame = visit.live_frame(format!("Batch {}", status.name), Some(queue.as_str()));
    let is_open = !queue.is_reserved() && !status.is_over();
    let callbacks = batch.callbacks.iter();
    BatchPage {
        queue: queue.to_string(),
        queue_href: visit.link("queue", &[("queue", queue.as_str())]),
        batches: visit.link("batches", &[("queue", queue.as_str())]),
        seq: status.seq.to_string(),
        members: members(None),
        failed_members: members(Some("failed")),
        state: batch_word(batch),
        meter: progress_meter(batch),
        progress: batch.progress(),
        added: number(batch.added),
        counted_until: status.counted_until().map(at),
        tiles: counts(batch).map(|(label, count)| tile(label, count, members)).into(),
        opened: at(status.meta.created_at),
        ended: status.ended_at.map(at),
        timeout: age(status.spec.timeout().as_duration()),
        timeout_at: status.timeout_at().map(at),
        at_timeout: match status.spec.on_timeout {
            OnTimeout::Leave => "members that have not ended go on then",
            _ => "members that have not ended are cancelled then",
        },
        kept_for: status.kept_for().map(|keep| age(keep.as_duration())),
        first_failure: status.first_failure.map(at),
        callbacks: callbacks.map(|callback| callback_row(visit, queue, callback)).collect(),
        standstill: details.standstill().map(capitalized),
        retrying: details.retrying.map(|retrying| retrying.count()),
        last_retried: found.last_retried().map(|(job, _)| member(visit, job, *now)),
        retrying_members: members(Some("failing")),
        oldest: oldest.as_ref().map(|job| member(visit, job, *now)),
        errors: found.errors().map(|(job, _)| member(visit, job, *now)).collect(),
        has_failed: status.failed > 0,
        can_seal: is_open && frame.may.produce && batch.state == "open",
        can_cancel: is_open && frame.may.operate && !status.was_cancelled,
        can_abandon: is_open && frame.may.operate,
        can_sweep: status.is_abandoned && !queue.is_reserved() && frame.may.operate,
        name: status.name.to_string(),
        frame,
    }
}

/// A count, which leads to the members that stand so now.
fn tile(label: &'static str, count: u64, members: impl Fn(Option<&str>) -> String) -> TileView {
    let (state, class) = match label {
        "Completed" => (Some("completed"), ""),
        "Failed" => (Some("failed"), "bad"),
        "Cancelled" => (Some("cancelled"), "warn"),
        _ => (None, ""),
    };
    TileView {
        label,
        number: number(count),
        note: String::new(),
        href: members(state),
        class: if count == 0 { "" } else { class },
    }
}

fn callback_row(visit: &Visit, own: &QueueName, callback: &BatchCallbackView) -> CallbackRow {
    let queue = callback.queue.as_deref().unwrap_or(own.as_str());
    let is_seen = QueueName::new(queue).is_ok_and(|queue| visit.sees(&queue));
    let job = callback.id.as_deref().filter(|_| is_seen);
    CallbackRow {
        on: callback.on,
        kind: callback.kind.clone(),
        job_href: job.map(|id| visit.link("job", &[("queue", queue), ("id", id)])),
        queue: queue.to_owned(),
        queue_href: is_seen.then(|| visit.link("queue", &[("queue", queue)])),
    }
}

fn member(visit: &Visit, job: &JobMeta, now: Timestamp) -> MemberView {
    let pairs = [("queue", job.queue.as_str()), ("id", job.id.as_str())];
    MemberView {
        id: job.id.to_string(),
        href: visit.link("job", &pairs),
        since: moment(job.entered_at(), now),
        error: job.last_error.as_ref().map(ToString::to_string).unwrap_or_default(),
    }
}
