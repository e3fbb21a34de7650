//! The task that enqueues jobs and waits for their outcomes.

use super::actor::{Actor, expected};
use crate::history::{Answer, Ask, Event as HistoryEvent, Op, asked::status, digest};
use futures_util::StreamExt;
use queue_core::{Detail, Enqueued, EventStream, Interest, JobId, JobRecord, Seq, Storage, StorageExt};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// The longest time of a wait: far longer than any fault.
const DEADLINE: Duration = Duration::from_secs(30);
/// A waiter reads again after this long, since a hint may be lost.
const REREAD: Duration = Duration::from_millis(50);

/// Enqueues jobs and waits for the outcome of each.
pub(super) async fn wait(actor: Actor) {
    for number in actor.pace.steps() {
        let id = JobId::new(format!("{}-{number}", actor.name)).expect("a valid id");
        let id = if actor.dice.one_in(3) { actor.shared_id() } else { id };
        let hints = actor.store.subscribe(&actor.queue, Interest::Jobs(vec![id.clone()])).await;
        let groups = vec![vec![actor.job(id.clone(), number).awaited()]];
        let send = || actor.store.enqueue(&actor.queue, groups.clone());
        if let Some(stored) = expected(actor.insist(send).await) {
            let seq = stored.value[0].first().and_then(Enqueued::seq).expect("an answer for the job");
            await_outcome(&actor, &id, seq, expected(hints)).await;
        }
        actor.pause().await;
    }
}

async fn await_outcome(actor: &Actor, id: &JobId, seq: Seq, mut hints: Option<EventStream>) {
    let ends_at = Instant::now() + DEADLINE;
    let deadline_ns = u64::try_from(DEADLINE.as_nanos()).ok();
    let call = actor.recorder.invoke(vec![HistoryEvent {
        op: Op::Wait,
        process: actor.store.process(),
        queue: actor.queue.as_str().to_owned(),
        id: Some(id.as_str().to_owned()),
        seq: Some(seq.get()),
        ask: Ask { deadline_ns, ..Ask::default() },
        ..HistoryEvent::default()
    }]);
    let outcome = loop {
        // The last read before the answer "timed out" has to come after the deadline.
        let is_late = Instant::now() >= ends_at;
        let found = expected(actor.store.get_one(&actor.queue, id, Detail::Full).await);
        if let Some(outcome) = found.and_then(|found| outcome(found, seq)) {
            break outcome;
        }
        if is_late {
            break HistoryEvent { answer: Some(Answer::TimedOut), ..HistoryEvent::default() };
        }
        hear(&mut hints).await;
    };
    actor.recorder.ok(call, vec![outcome]);
}

/// The answer if the life has ended.
fn outcome(found: Option<JobRecord>, seq: Seq) -> Option<HistoryEvent> {
    let Some(record) = found.filter(|record| record.meta.seq == seq) else {
        return Some(HistoryEvent { answer: Some(Answer::Expired), ..HistoryEvent::default() });
    };
    let result = record.result().map(digest::of_payload);
    let state = record.meta.state;
    state.is_terminal().then(|| HistoryEvent {
        answer: Some(Answer::Ended(status(state))),
        result,
        ..HistoryEvent::default()
    })
}

/// Waits for a hint, or until it is time to read again.
async fn hear(hints: &mut Option<EventStream>) {
    match hints {
        None => sleep(REREAD).await,
        Some(stream) => {
            if let Ok(None) = timeout(REREAD, stream.next()).await {
                *hints = None;
            }
        }
    }
}
