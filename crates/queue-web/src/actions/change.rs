//! Changes of jobs that the form names.

use crate::{
    answer::Answer,
    pages::{ConfirmPage, DELETED, HiddenField, SURE, confirm},
    problem::{Result, WebProblem},
    visit::Visit,
};
use queue::operations::Action;
use queue_core::{
    JobId, QueueName,
    lifecycle::{OnProcessing, Policy},
};
use queue_view::words::plural;

/// The most jobs of one form: more are an operation.
const IDS_MAX: usize = 100;

/// What can be done with jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobAction {
    Redrive,
    Promote,
    Cancel,
    Delete,
}

impl JobAction {
    pub(crate) const ALL: [Self; 4] = [Self::Redrive, Self::Promote, Self::Cancel, Self::Delete];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Redrive => "redrive",
            Self::Promote => "promote",
            Self::Cancel => "cancel",
            Self::Delete => "delete",
        }
    }

    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Redrive => "Run again",
            Self::Promote => "Run now",
            Self::Cancel => "Cancel",
            Self::Delete => "Delete",
        }
    }

    /// The change, as operations have it.
    pub(crate) const fn action(self) -> Action {
        match self {
            Self::Redrive => Action::REDRIVE,
            Self::Promote => Action::Promote,
            Self::Cancel => Action::Cancel { processing: OnProcessing::Request },
            Self::Delete => Action::Delete,
        }
    }

    /// Whether it ends or deletes jobs, which a page asks about first.
    const fn ends(self) -> bool {
        matches!(self, Self::Cancel | Self::Delete)
    }

    /// The action that a form names.
    pub(super) fn of(visit: &Visit) -> Result<Self> {
        let name = visit.required("action")?;
        let found = Self::ALL.into_iter().find(|action| action.name() == name);
        found.ok_or_else(|| WebProblem::invalid("There is no such action."))
    }
}

/// `POST /change`: the jobs that the form names.
pub(crate) async fn change_jobs(visit: Visit) -> Result<Answer> {
    let queue = visit.open_queue()?;
    let action = JobAction::of(&visit)?;
    let ids: Vec<JobId> = visit.form.all("id").map(JobId::new).collect::<Result<_, _>>()?;
    if ids.is_empty() {
        return Ok(visit.done("none-chosen", 0, 0));
    }
    if ids.len() > IDS_MAX {
        return Err(WebProblem::invalid(format!(
            "At most {IDS_MAX} jobs are changed by name; more are an operation."
        )));
    }
    if action.ends() && !visit.is_sure() {
        return ask(&visit, &queue, action, &ids);
    }
    let subject = match ids.as_slice() {
        [id] => format!("job {id}"),
        _ => format!("{} jobs: {}", ids.len(), ids.iter().map(JobId::as_str).collect::<Vec<_>>().join(", ")),
    };
    let record = visit.begin(action.name(), queue.as_str(), subject).await?;
    let event = action.action().event();
    let changed = queue_view::change_jobs(&**visit.storage(), &queue, &ids, &event, &Policy::default()).await;
    let done = match changed {
        Ok(changed) => changed.done() as u64,
        Err(error) => {
            visit.end(record, "the store did not answer, so some may be changed").await;
            return Err(error.into());
        }
    };
    let not = ids.len() as u64 - done;
    visit.end(record, format!("{done} changed, {not} left alone")).await;
    Ok(if done == 0 { visit.done("unchanged", 0, 0) } else { visit.done(action.name(), done, not) })
}

/// Asks before jobs are cancelled or deleted.
fn ask(visit: &Visit, queue: &QueueName, action: JobAction, ids: &[JobId]) -> Result<Answer> {
    let mut fields = vec![
        HiddenField::of(("queue", queue.as_str())),
        HiddenField::of(("action", action.name())),
        HiddenField::of(SURE),
    ];
    fields.extend(ids.iter().map(|id| HiddenField::of(("id", id.as_str()))));
    let jobs = plural(ids.len() as u64, "job", "jobs");
    let label = format!("{} {jobs}", action.label());
    confirm(visit, &format!("{} jobs", action.label()), |frame| ConfirmPage {
        frame,
        question: format!("{label} of the queue {queue}?"),
        details: ids.iter().take(10).map(|id| ("Job".to_owned(), id.to_string())).collect(),
        action: "./change",
        fields,
        label,
        warning: match action {
            JobAction::Delete => DELETED,
            _ => "A job that runs is asked to stop, and what it has done so far is not undone.",
        },
        is_final: true,
        typed: None,
        is_empty: false,
    })
}
