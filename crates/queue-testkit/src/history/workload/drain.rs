//! The end of a workload: works off all jobs, and reads every record.

use super::{
    actor::{Actor, expected, payload},
    handler::{ended, started},
    load::SKEW,
};
use crate::history::{Event as HistoryEvent, History, Op};
use queue_core::{
    ClaimRequest, ClaimedJob, Detail, JobId, JobMeta, ListQuery, Pause, Prune, PruneRequest, Result, Span,
    Storage, StorageExt, Walk, WorkerId, lifecycle::Event,
};
use std::collections::BTreeSet;
use tokio::time::sleep;

const BATCH: usize = 100;
/// The most claims of a round; more than the slots of partitions make necessary.
const CLAIMS_MAX: usize = 1_000;
/// A store that notes signals beside the gate may open it with one claim and give the job with the
/// next.
const QUIET_ROUNDS: usize = 2;
/// More than any workload leaves.
const OVERDUE_MAX: usize = 100_000;

/// Works off all jobs, once there are no more faults, and reads every record: those that these
/// histories name, besides the actor's own.
pub(super) async fn drain(actor: &Actor, others: &[History]) {
    if actor.store.capabilities().pause {
        expected(actor.store.set_paused(&actor.queue, None, Pause::Off).await);
    }
    let mut quiet_rounds = 0;
    for _ in 0..actor.pace.rounds_max() {
        actor.pace.pass_round().await;
        let has_worked = work_off(actor).await.expect("nothing goes wrong any more");
        quiet_rounds = if has_worked { 0 } else { quiet_rounds + 1 };
        if quiet_rounds == QUIET_ROUNDS {
            break;
        }
    }
    // Overdue records count as absent, and may still be counted until they are removed.
    let overdue = PruneRequest { queue: actor.queue.clone(), what: Prune::Expired, limit: OVERDUE_MAX };
    actor.store.prune(overdue).await.expect("nothing goes wrong any more");
    actor.recorder.mark(HistoryEvent {
        op: Op::Drain,
        queue: actor.queue.as_str().to_owned(),
        ..HistoryEvent::default()
    });
    // Among merged histories a call ends later by the skew, and the reads are to come after it.
    if !others.is_empty() {
        sleep(SKEW).await;
    }
    read_everything(actor, others).await.expect("nothing goes wrong any more");
}

/// Works one round. False if no job was there that waits for something else than signals. Every
/// gate is sealed, so that what stays closed lacks signals.
async fn work_off(actor: &Actor) -> Result<bool> {
    if actor.has_gates() {
        seal_all(actor).await?;
    }
    actor.store.rescue(&actor.queue, BATCH, &actor.policy).await?;
    let mut has_worked = false;
    for _ in 0..CLAIMS_MAX {
        if !claim_and_complete(actor).await? {
            break;
        }
        has_worked = true;
    }
    let counts = actor.store.counts(&actor.queue).await?;
    Ok(has_worked || counts.unfinished() > sleepers(actor).await?)
}

/// False if the claim found no job.
async fn claim_and_complete(actor: &Actor) -> Result<bool> {
    let worker = WorkerId::new(&actor.name).expect("a valid name");
    let lease = Span::from_secs(30);
    let request = ClaimRequest::new(actor.queue.clone(), worker, BATCH, lease, &actor.dice.0);
    let claimed = actor.store.claim(request).await?.jobs;
    for job in &claimed {
        started(actor, job);
        ended(actor, job);
        complete(actor, job).await?;
    }
    Ok(!claimed.is_empty())
}

/// How many jobs wait behind gates that never time out.
async fn sleepers(actor: &Actor) -> Result<u64> {
    if !actor.has_gates() {
        return Ok(0);
    }
    let page = actor.store.list(gated(actor)).await?;
    Ok(page.jobs.iter().filter(|job| job.run_at.is_far(page.now)).count() as u64)
}

fn gated(actor: &Actor) -> ListQuery {
    ListQuery::new(actor.queue.clone(), Walk::Gated, BATCH)
}

async fn seal_all(actor: &Actor) -> Result<()> {
    let is_open = |job: &&JobMeta| job.gate.as_ref().is_some_and(|gate| !gate.is_sealed);
    for job in actor.store.list(gated(actor)).await?.jobs.iter().filter(is_open) {
        actor.store.change(&actor.queue, &job.id, Event::Seal, &actor.policy).await?;
    }
    Ok(())
}

async fn complete(actor: &Actor, job: &ClaimedJob) -> Result<()> {
    let result = payload(format!("{} {}", actor.name, job.record.meta.seq));
    let complete = Event::Complete { token: job.token, result, retention: None, then: Vec::new() };
    actor.store.settle(&job.record.meta, complete, &actor.policy).await?;
    Ok(())
}

async fn read_everything(actor: &Actor, others: &[History]) -> Result<()> {
    for ids in enqueued_ids(actor, others).chunks(BATCH) {
        actor.store.get(&actor.queue, ids, Detail::Full).await?;
    }
    let mut query = ListQuery::all(actor.queue.clone(), BATCH);
    while let Some(next) = actor.store.list(query.clone()).await?.next {
        query.after = Some(next);
    }
    actor.store.counts(&actor.queue).await?;
    // Not every store offers a cross-check.
    drop(actor.store.verify().await);
    Ok(())
}

fn enqueued_ids(actor: &Actor, others: &[History]) -> Vec<JobId> {
    let own = actor.recorder.history();
    let events = others.iter().chain([&own]).flat_map(History::events);
    let enqueues = events.filter(|event| matches!(event.op, Op::Enqueue | Op::Then));
    let ids: BTreeSet<&String> = enqueues.filter_map(|event| event.id.as_ref()).collect();
    ids.into_iter().map(|id| JobId::new(id).expect("it was one")).collect()
}
