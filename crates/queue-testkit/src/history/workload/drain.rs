//! The end of a workload: works off all jobs, and reads every record.

use super::{
    actor::{Actor, expected, payload},
    handler::{ended, started},
};
use crate::history::{Event as HistoryEvent, History, Op};
use queue_core::{
    ClaimRequest, ClaimedJob, Detail, JobId, ListQuery, Pause, Prune, PruneRequest, Result, Span, Storage,
    StorageExt, WorkerId, lifecycle::Event,
};
use std::collections::BTreeSet;

const BATCH: usize = 100;
/// More than any workload leaves.
const OVERDUE_MAX: usize = 100_000;

/// Works off all jobs, once there are no more faults, and reads every record: those that these
/// histories name, besides the actor's own.
pub(super) async fn drain(actor: &Actor, others: &[History]) {
    if actor.store.capabilities().pause {
        expected(actor.store.set_paused(&actor.queue, None, Pause::Off).await);
    }
    for _ in 0..actor.pace.rounds_max() {
        actor.pace.pass_round().await;
        if work_off(actor).await.expect("nothing goes wrong any more") == 0 {
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
    read_everything(actor, others).await.expect("nothing goes wrong any more");
}

/// Works one round, and returns the number of unfinished jobs.
async fn work_off(actor: &Actor) -> Result<u64> {
    actor.store.rescue(&actor.queue, BATCH, &actor.policy).await?;
    let worker = WorkerId::new(&actor.name).expect("a valid name");
    let lease = Span::from_secs(30);
    let request = ClaimRequest::new(actor.queue.clone(), worker, BATCH, lease, &actor.dice.0);
    for job in actor.store.claim(request).await?.jobs {
        started(actor, &job);
        ended(actor, &job);
        complete(actor, &job).await?;
    }
    Ok(actor.store.counts(&actor.queue).await?.unfinished())
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
