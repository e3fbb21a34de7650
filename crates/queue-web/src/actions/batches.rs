//! Batches: sealing one, cancelling its members, abandoning it, and sweeping what it left.

use crate::{
    answer::Answer,
    audit::AuditEntry,
    pages::{ConfirmPage, HiddenField, SURE, confirm},
    problem::{Result, WebProblem},
    visit::Visit,
};
use queue::{
    Change, Raw,
    batches::{Batch, BatchError, BatchSweep},
};
use queue_core::{Error, QueueName};
use queue_http::Scope;
use queue_view::words::{age, number};

/// What ends a batch, or the records that it left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BatchStop {
    Cancel,
    Abandon,
    Sweep,
}

impl BatchStop {
    /// What the form asks for.
    fn of(visit: &Visit) -> Result<Self> {
        match visit.required("action")? {
            "cancel" => Ok(Self::Cancel),
            "abandon" => Ok(Self::Abandon),
            "sweep" => Ok(Self::Sweep),
            _ => Err(WebProblem::invalid("A batch can be cancelled, abandoned or swept.")),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Abandon => "abandon",
            Self::Sweep => "sweep",
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Cancel => "Cancel",
            Self::Abandon => "Abandon",
            Self::Sweep => "Sweep",
        }
    }

    const fn warning(self) -> &'static str {
        match self {
            Self::Cancel => {
                "No more members come. The workers cancel those that wait, while some of them still run, and ask those that run to stop; then the callbacks run. What was done so far is not undone."
            }
            Self::Abandon => {
                "No callback of the batch runs any more, and its members go on. Nothing takes this back."
            }
            Self::Sweep => {
                "The workers keep the records of the members for that time from now on, and delete them then. All members must have ended."
            }
        }
    }
}

/// `POST /seal-batch`
pub(crate) async fn seal_batch(visit: Visit) -> Result<Answer> {
    let queue = visit.open_queue()?;
    // A batch is sealed on its page, which shows how far it is.
    visit.check(Scope::View)?;
    let Some(batch) = named(&visit, &queue).await? else { return Ok(visit.done("missing", 1, 0)) };
    let record = visit.begin("seal batch", queue.as_str(), format!("batch {}", batch.name())).await?;
    let sealed = batch.seal().await.map(|()| "batch-seal");
    end(&visit, record, sealed).await
}

/// `POST /stop-batch`
pub(crate) async fn stop_batch(visit: Visit) -> Result<Answer> {
    let queue = visit.open_queue()?;
    let stop = BatchStop::of(&visit)?;
    let Some(batch) = named(&visit, &queue).await? else { return Ok(visit.done("missing", 1, 0)) };
    if !visit.is_sure() {
        return ask(&visit, &queue, stop, &batch).await;
    }
    let name = batch.name().as_str();
    let what = format!("{} batch", stop.name());
    let record = visit.begin(&what, queue.as_str(), format!("batch {name}")).await?;
    let stopped = match stop {
        BatchStop::Cancel => batch.cancel().await.map(|change| match change {
            Change::Requested => "batch-cancel",
            Change::Missing => "missing",
            _ => "unchanged",
        }),
        BatchStop::Abandon => batch.abandon().await.map(|change| match change {
            Change::Done => "batch-abandon",
            Change::Missing => "missing",
            _ => "unchanged",
        }),
        BatchStop::Sweep => batch.sweep().await.map(|swept| match swept {
            BatchSweep::Sweeping => "batch-sweep",
            BatchSweep::Swept => "batch-swept",
            _ => "unchanged",
        }),
    };
    end(&visit, record, stopped).await
}

/// The batch that the form names, unless its name is that of a later batch by now.
async fn named(visit: &Visit, queue: &QueueName) -> Result<Option<Batch<Raw, Raw>>> {
    let found = visit.client(queue)?.batches().find(visit.required("name")?).await?;
    let seq = visit.form.get("seq").map(str::parse::<u64>).transpose();
    let seq = seq.map_err(|_no_number| WebProblem::invalid("The number of a batch is a whole number."))?;
    Ok(found.filter(|batch| seq.is_none_or(|seq| batch.seq().get() == seq)))
}

/// Records what came of an action, and goes back with it.
async fn end(visit: &Visit, record: AuditEntry, changed: Result<&'static str, Error>) -> Result<Answer> {
    let did = changed.or_else(|error| refused(&error).ok_or(error));
    visit.end(record, did.as_ref().map_or("the store refused", |did| *did)).await;
    Ok(visit.done(did?, 1, 0))
}

/// The word for a batch that was removed or has ended meanwhile.
fn refused(error: &Error) -> Option<&'static str> {
    match std::error::Error::source(error)?.downcast_ref()? {
        BatchError::NoBatch { .. } => Some("missing"),
        BatchError::Ended { .. } | BatchError::GoesOn { .. } => Some("unchanged"),
        _ => None,
    }
}

/// Asks before a batch is stopped, which no page takes back.
async fn ask(visit: &Visit, queue: &QueueName, stop: BatchStop, batch: &Batch<Raw, Raw>) -> Result<Answer> {
    let name = batch.name().as_str();
    let status = batch.status().await?;
    let detail = match stop {
        BatchStop::Sweep => ("Members are kept for", age(status.spec.keep().as_duration())),
        BatchStop::Cancel | BatchStop::Abandon => ("Members that have not ended", number(status.waiting)),
    };
    let details = [("Queue", queue.to_string()), detail];
    let seq = batch.seq().to_string();
    let fields =
        [("queue", queue.as_str()), ("name", name), ("seq", seq.as_str()), ("action", stop.name()), SURE];
    let label = stop.label();
    confirm(visit, &format!("{label} a batch"), |frame| ConfirmPage {
        frame,
        question: format!("{label} the batch {name}?"),
        details: details.map(|(name, value)| (name.to_owned(), value)).into(),
        action: "./stop-batch",
        fields: fields.map(HiddenField::of).into(),
        label: format!("{label} it"),
        warning: stop.warning(),
        is_final: true,
        typed: None,
        is_empty: false,
    })
}
