//! Starts an operation, shows its progress, and reports its outcome.

use super::{
    bulk_report,
    confirm::{confirm, refuse_without_a_person},
    filter_args::ChangedArgs,
    operation_wait::OperationWait,
};
use crate::{
    effect::Effect,
    exit::{CliError, Exit},
    output::{self, Format, plural},
    session::{Jobs, Missing, Session},
    signals::StopSignals,
};
use queue::{
    Error, IdSource as _, TimeOrderedIds,
    operations::{Action, DRY_RUN_MAX, DryRun, Operation, OperationId, OperationStatus, Operations, Started},
    queue_core::{Retention, Span},
    view::Standing,
};
use serde_json::json;
use std::{pin::pin, time::Duration};

/// Between two looks at an operation that runs.
const LOOK: Duration = Duration::from_millis(200);
/// How long an operation stays leased without a sign of life, unless the command says it.
const LEASE: Duration = Duration::from_secs(30);

/// What a command wants done to many jobs.
pub(crate) struct Wanted<'a> {
    pub(crate) action: Action,
    pub(crate) filter: &'a ChangedArgs,
    /// How the jobs stand where no state is named.
    pub(crate) standings: &'a [Standing],
    /// The name under which it is started; generated if there is none.
    pub(crate) name: Option<String>,
    /// What was done to a job, in words.
    pub(crate) word: &'static str,
    pub(crate) lease: Duration,
    /// The caller has said yes to the removal of records.
    pub(crate) yes: bool,
}

impl<'a> Wanted<'a> {
    /// An action on the jobs of a filter, under a name that is made up.
    pub(crate) fn new(action: Action, filter: &'a ChangedArgs, word: &'static str) -> Self {
        Self { action, filter, standings: &[], name: None, word, lease: LEASE, yes: false }
    }

    /// Whether a person has to confirm first: a removed job cannot be restored, while a cancelled
    /// one can be redriven.
    fn asks(&self) -> bool {
        let removes = match self.action {
            Action::Delete | Action::Retain(Retention::Remove) => true,
            Action::Retain(Retention::Keep(span)) => span == Span::ZERO,
            _ => false,
        };
        removes && !self.yes && !self.filter.dry_run
    }
}

/// Counts the jobs, or changes them and waits for the end.
pub(crate) async fn carry_out(wanted: Wanted<'_>, session: &Session) -> Result<Exit, CliError> {
    let asks = wanted.asks();
    if asks {
        let name = &session.name;
        refuse_without_a_person(&format!("this removes the jobs of the queue {name:?} that match"))?;
    }
    session
        .with_jobs(Missing::Refuse, async |jobs| {
            let operations = Operations::of(jobs.storage().clone());
            let operation = wanted.filter.operation(jobs, wanted.action.clone(), wanted.standings).await?;
            if wanted.filter.dry_run {
                hint_scheduled(&wanted, &operations, jobs, session).await?;
                return dry_run(&operations, &operation, session).await;
            }
            if asks {
                let found = operations.dry_run(&operation).await?;
                confirm(&format!("this removes {} of the queue {:?}", counted(found), session.name))?;
            }
            // Only now, so that Ctrl-C ends a question.
            let mut signals = StopSignals::listen()?;
            let drawn = || TimeOrderedIds::default().next_id().to_string();
            let name = wanted.name.clone().unwrap_or_else(drawn);
            let id = OperationId::new(jobs.name(), &name).map_err(Error::from)?;
            if operations.start(&name, &operation).await? == Started::Before
                && session.out.format() == Format::Human
            {
                output::note(format!("the operation {id:?} was started before"));
            }
            let ended = follow(&operations, &id, wanted.lease, session, &mut signals).await?;
            if ended.as_ref().is_some_and(|ended| ended.counts().met() == 0) {
                hint_scheduled(&wanted, &operations, jobs, session).await?;
            }
            report(ended, &id, wanted.word, session)
        })
        .await
}

/// Runs the operations of the store until this one is over, or all of them are.
pub(crate) async fn go_on(
    id: Option<&OperationId>,
    lease: Duration,
    jobs: &Jobs,
    session: &Session,
    signals: &mut StopSignals,
) -> Result<Exit, CliError> {
    let operations = Operations::of(jobs.storage().clone());
    let open = if let Some(id) = id {
        vec![id.clone()]
    } else {
        let found = operations.list().await?;
        for unreadable in found.unreadable.iter().filter(|job| !job.meta().state.is_terminal()) {
            output::note(format!(
                "{:?} is left to a program that can read it: {}",
                unreadable.name(),
                unreadable.error()
            ));
        }
        let all = found.operations.into_iter().rev();
        all.filter(|status| !status.is_over()).map(|status| status.id().clone()).collect()
    };
    let mut exit = Exit::Ok;
    for id in open {
        let ended = follow(&operations, &id, lease, session, signals).await?;
        match report(ended, &id, "changed", session)? {
            Exit::Ok => {}
            Exit::Interrupted => return Ok(Exit::Interrupted),
            other => exit = other,
        }
    }
    Ok(exit)
}

/// Says to a person how many scheduled jobs match too, which a cancel without `--state` leaves
/// alone.
async fn hint_scheduled(
    wanted: &Wanted<'_>,
    operations: &Operations,
    jobs: &Jobs,
    session: &Session,
) -> Result<(), CliError> {
    let may_mean = matches!(wanted.action, Action::Cancel { .. }) && !wanted.filter.names_state();
    if !may_mean || session.out.format() == Format::Json {
        return Ok(());
    }
    let scheduled = wanted.filter.operation(jobs, wanted.action.clone(), &[Standing::Scheduled]).await?;
    let found = operations.dry_run(&scheduled).await?;
    if found.jobs > 0 {
        let which = counted(found).replacen(" job", " scheduled job", 1);
        let verb = if found.jobs == 1 { "matches" } else { "match" };
        output::note(format!("{which} {verb} too; add --state scheduled"));
    }
    Ok(())
}

async fn dry_run(
    operations: &Operations,
    operation: &Operation,
    session: &Session,
) -> Result<Exit, CliError> {
    let found = operations.dry_run(operation).await?;
    let out = session.out.after(Effect::None);
    out.answer(|| counted(found), || json!({"jobs": found.jobs, "has_more": found.has_more}))?;
    Ok(Exit::Ok)
}

fn counted(found: DryRun) -> String {
    if found.has_more { format!("more than {DRY_RUN_MAX} jobs") } else { plural(found.jobs, "job", "jobs") }
}

/// Runs operations in this process until the given one has ended, in this process or another.
/// `None` after a signal.
async fn follow(
    operations: &Operations,
    id: &OperationId,
    lease: Duration,
    session: &Session,
    signals: &mut StopSignals,
) -> Result<Option<OperationStatus>, CliError> {
    let waits = OperationWait::of(id, session);
    let worker = operations.worker().lease(lease).poll_interval(LOOK);
    let worker = worker.on_event(waits.clone().observer()).build()?;
    let stop = worker.stop_token();
    let mut running = pin!(worker.run());
    let mut is_interrupted = false;
    loop {
        tokio::select! {
            _ = &mut running => break,
            () = signals.next() => {
                is_interrupted = true;
                stop.cancel();
            }
            () = tokio::time::sleep(LOOK) => {
                let seen = status(operations, id, session).await?;
                if seen.is_over() {
                    stop.cancel();
                } else if seen.meta().state.is_waiting() && is_paused(operations).await {
                    waits.tell("its queue is paused: `queue resume --queue queue.operations`");
                }
                show(&seen, session);
            }
        }
    }
    let ended = status(operations, id, session).await?;
    Ok(Some(ended).filter(|ended| ended.is_over() || !is_interrupted))
}

/// Whether all operations are paused; a store that cannot say it is not asked further.
async fn is_paused(operations: &Operations) -> bool {
    match operations.queue() {
        Ok(queue) => queue.is_paused().await.unwrap_or(false),
        Err(_) => false,
    }
}

async fn status(
    operations: &Operations,
    id: &OperationId,
    session: &Session,
) -> Result<OperationStatus, CliError> {
    let missing =
        || CliError::new(Exit::NotFound, format!("there is no operation {id:?} in {}", session.url));
    operations.get(id).await?.ok_or_else(missing)
}

/// Shows a person at a terminal the progress of an operation.
fn show(status: &OperationStatus, session: &Session) {
    let counts = status.counts();
    if session.out.format() == Format::Human && output::is_watched() && counts.met() > 0 {
        output::note(format!("{} so far", plural(counts.met(), "job", "jobs")));
    }
}

fn report(
    ended: Option<OperationStatus>,
    id: &OperationId,
    word: &str,
    session: &Session,
) -> Result<Exit, CliError> {
    let Some(status) = ended else {
        if session.out.format() == Format::Human {
            output::note(format!("stopped; the operation {id:?} goes on with `queue bulk run`"));
        }
        return Ok(Exit::Interrupted);
    };
    session.out.answer(|| words(&status, word), || json!(status.view()))?;
    Ok(if status.meta().state == queue::State::Completed && status.counts().failed == 0 {
        Exit::Ok
    } else {
        Exit::Negative
    })
}

fn words(status: &OperationStatus, word: &str) -> String {
    let counts = status.counts();
    let done = bulk_report::counted(word, counts.done, counts.gone, counts.skipped);
    let failed = match counts.failed {
        0 => String::new(),
        failed => format!(", could not change {failed}"),
    };
    let cut = if status.is_cut() { "; there may be more: raise --cap" } else { "" };
    let words = format!("{done}{failed}{cut}");
    match (status.error(), status.meta().state) {
        (Some(error), _) => format!("{words}: {error}"),
        (None, queue::State::Cancelled) => format!("{words}, then the operation was cancelled"),
        (None, _) => words,
    }
}
