//! Operations on all jobs that a filter selects: counted first, then started, and cancelled.

use super::JobAction;
use crate::{
    answer::Answer,
    pages::{ConfirmPage, DELETED, HiddenField, SURE, confirm, filter_of, operation},
    problem::{Result, WebProblem},
    visit::Visit,
};
use queue::{
    Change,
    operations::{Operation, OperationId, Operations, Started},
};
use queue_core::{Error, QueueName};
use queue_view::{JobFilter, words::plural};

/// What the form asks for.
struct Asked {
    queue: QueueName,
    action: JobAction,
    filter: JobFilter,
}

impl Asked {
    fn of(visit: &Visit) -> Result<Self> {
        let filter = filter_of(&visit.form)?;
        Ok(Self { queue: visit.open_queue()?, action: JobAction::of(visit)?, filter })
    }

    fn operation(&self) -> Operation {
        operation(&self.queue, self.action.action(), &self.filter)
    }

    fn words(&self) -> Vec<(String, String)> {
        let parts = self.filter.parts().into_iter();
        [("queue", self.queue.to_string())]
            .into_iter()
            .chain(parts)
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

/// `POST /bulk`: counts the jobs, changes nothing, and asks.
pub(crate) async fn count_jobs(visit: Visit) -> Result<Answer> {
    let asked = Asked::of(&visit)?;
    let found = Operations::of(visit.storage().clone()).dry_run(&asked.operation()).await?;
    let jobs = plural(found.jobs, "job", "jobs");
    let jobs = if found.has_more { format!("more than {jobs}") } else { jobs };
    let is_final = asked.action == JobAction::Delete;
    let field = |name: &str, value: &str| HiddenField::of((name, value));
    let mut fields = vec![
        field("queue", asked.queue.as_str()),
        field("action", asked.action.name()),
        // A form that is sent twice starts one operation.
        field("operation", visit.app.ids.next_id().as_str()),
    ];
    fields.extend(asked.filter.parts().into_iter().map(|(name, value)| field(name, &value)));
    confirm(&visit, asked.action.label(), |frame| ConfirmPage {
        frame,
        question: format!("{}: {jobs}", asked.action.label()),
        details: asked.words(),
        action: "./bulk-start",
        fields,
        label: format!("{} {jobs}", asked.action.label()),
        warning: if is_final { DELETED } else { "" },
        is_final,
        typed: is_final.then(|| asked.queue.to_string()),
        is_empty: found.jobs == 0,
    })
}

/// `POST /bulk-start`
pub(crate) async fn start_operation(visit: Visit) -> Result<Answer> {
    let asked = Asked::of(&visit)?;
    if asked.action == JobAction::Delete && visit.form.get("typed") != Some(asked.queue.as_str()) {
        return Err(WebProblem::invalid(
            "The name of the queue was not typed as it is, so nothing was deleted. Go back and type it.",
        ));
    }
    let id = OperationId::new(&asked.queue, visit.required("operation")?).map_err(Error::from)?;
    let operation = asked.operation();
    let subject = format!(
        "operation {id} on {}",
        asked
            .words()
            .into_iter()
            .map(|(name, value)| format!("{name} {value}"))
            .collect::<Vec<_>>()
            .join(", ")
    );
    let record = visit.begin(asked.action.name(), asked.queue.as_str(), subject).await?;
    let started = Operations::of(visit.storage().clone()).start(id.name(), &operation).await;
    let outcome = match &started {
        Ok(Started::New) => "started",
        Ok(Started::Before) => "started before",
        Err(_) => "not started",
    };
    visit.end(record, outcome).await;
    let did = if started? == Started::New { "started" } else { "before" };
    Ok(crate::answer::see(&visit.link("operations", &[("did", did)])))
}

/// `POST /bulk-cancel`
pub(crate) async fn cancel_operation(visit: Visit) -> Result<Answer> {
    let id: OperationId = visit.required("operation")?.parse().map_err(Error::from)?;
    let operations = Operations::of(visit.storage().clone());
    if !visit.sees(id.queue()) || operations.get(&id).await?.is_none() {
        return Ok(visit.done("missing", 1, 0));
    }
    if !visit.is_sure() {
        return ask(&visit, &id);
    }
    let record = visit.begin("cancel operation", id.queue().as_str(), format!("operation {id}")).await?;
    let changed = operations.cancel(&id).await;
    visit.end(record, if changed.is_ok() { "asked to stop" } else { "the store refused" }).await;
    let did = match changed? {
        Change::Missing => "missing",
        Change::NotAllowed(_) => "unchanged",
        _ => "stopped",
    };
    Ok(visit.done(did, 1, 0))
}

/// Asks before an operation ends, since it does not go on where it stopped.
fn ask(visit: &Visit, id: &OperationId) -> Result<Answer> {
    confirm(visit, "Stop an operation", |frame| ConfirmPage {
        frame,
        question: format!("Stop the operation {id}?"),
        details: Vec::new(),
        action: "./bulk-cancel",
        fields: vec![HiddenField::of(("operation", &id.to_string())), HiddenField::of(SURE)],
        label: "Stop it".to_owned(),
        warning: "What it has changed stays changed, and it does not go on.",
        is_final: true,
        typed: None,
        is_empty: false,
    })
}
