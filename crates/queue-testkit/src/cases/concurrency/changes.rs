//! Changes of an id by callers that do not hold the job, beside a producer that replaces it: the id
//! has a job at every moment, so no change may be answered as missing.

use super::{ROUNDS, race_two};
use crate::bench::prelude::*;
use crate::cases::cases;
use crate::fault::Overtaken;
use queue_core::{
    Changed, Detail, ErrorKind, NewJob, OnFailed, OnWaiting, Prune, Retention, State, StorageExt,
    lifecycle::{Amendment, Event, OnProcessing, Rejected},
};
use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::task::yield_now;

/// The number of changes beside replacements that the environment asks for.
const CHANGES: &str = "QUEUE_TESTKIT_CHANGES";

/// How many times the job is replaced before a change arrives.
const REPLACED: usize = 3;

const CANCEL: Event = Event::Cancel { processing: OnProcessing::Request };
const PUT_OFF: Event = Event::Reschedule { delay: KEPT };
const REDRIVE: Event = Event::Redrive { content_type: None };
const RETAIN: Event = Event::SetRetention(Retention::Forever);

cases! { "concurrency":
    a_change_that_replacements_overtake_changes_the_job_that_waits_now [I4 I9];
    a_change_of_a_finished_job_that_was_replaced_meets_the_job_that_waits_now [I4 I9];
    an_amendment_that_replacements_overtake_changes_the_job_that_waits_now [I4 I9];
    a_cancel_beside_replacements_finds_a_job [I1 I9];
    a_promotion_beside_replacements_finds_a_job [I1 I9];
    a_reschedule_beside_replacements_finds_a_job [I1 I9];
    an_amendment_beside_replacements_finds_a_job [I1 I9];
    a_delete_beside_replacements_finds_a_job [I1 I9];
    a_redrive_beside_replacements_finds_a_job [I1 I9];
    a_retention_beside_replacements_finds_a_job [I1 I9];
}

/// A job that takes the place of the one that waits or is over.
fn replacing() -> NewJob {
    job("a")
        .with_delay(KEPT)
        .with_on_waiting(OnWaiting::Replace { max_wait: None })
        .with_on_failed(OnFailed::Replace)
}

fn prioritize() -> Event {
    Event::Amend(Amendment::of_priority(7))
}

/// Changes the job while it is replaced, and returns the answer.
async fn overtaken(bench: &Bench, event: Event) -> Changed {
    let queue = bench.queue().clone();
    let store = Overtaken::new(bench.store(), REPLACED, move |store, _| {
        let queue = queue.clone();
        async move {
            let replaced =
                store.enqueue(&queue, vec![vec![replacing()]]).await.expect("enqueue answers").value;
            assert!(replaced[0][0].is_new(), "{replaced:?}");
        }
    });
    store.change(bench.queue(), &id("a"), event, &policy()).await.expect("change answers")
}

async fn assert_changes_the_new_job(bench: &Bench, event: Event) {
    let former = bench.put_job(replacing()).await;
    let changed = overtaken(bench, event.clone()).await;
    let Changed::Done(meta) = changed else { panic!("{event:?}: {changed:?}") };
    assert!(meta.seq.get() >= former.get() + REPLACED as u64, "{event:?}: {meta:?}");
    let left = bench.store().get_one(bench.queue(), &id("a"), Detail::Meta).await;
    let left = left.expect("get answers").map(|record| record.meta.seq);
    let is_kept = !matches!(event, Event::Delete);
    assert_eq!(left, is_kept.then_some(meta.seq), "{event:?}");
}

async fn a_change_that_replacements_overtake_changes_the_job_that_waits_now(bench: &Bench) {
    for event in [CANCEL, Event::Promote, PUT_OFF, Event::Delete] {
        assert_changes_the_new_job(bench, event).await;
        bench.prune(Prune::Everything, 10).await;
    }
}

async fn an_amendment_that_replacements_overtake_changes_the_job_that_waits_now(bench: &Bench) {
    assert_changes_the_new_job(bench, prioritize()).await;
    assert_eq!(bench.meta("a").await.priority, 7);
}

/// A job that waits cannot be redriven or retained, which is another answer than "no such job".
async fn a_change_of_a_finished_job_that_was_replaced_meets_the_job_that_waits_now(bench: &Bench) {
    for event in [REDRIVE, RETAIN] {
        bench.enqueue(replacing()).await;
        bench.changed("a", CANCEL).await;
        let changed = overtaken(bench, event.clone()).await;
        assert_eq!(changed, Changed::Rejected(Rejected::NotAllowed(State::Queued)), "{event:?}");
    }
}

async fn a_cancel_beside_replacements_finds_a_job(bench: &Bench) {
    change_beside_replacements(bench, &[CANCEL]).await;
}

async fn a_promotion_beside_replacements_finds_a_job(bench: &Bench) {
    change_beside_replacements(bench, &[Event::Promote]).await;
}

async fn a_reschedule_beside_replacements_finds_a_job(bench: &Bench) {
    change_beside_replacements(bench, &[PUT_OFF]).await;
}

async fn an_amendment_beside_replacements_finds_a_job(bench: &Bench) {
    change_beside_replacements(bench, &[prioritize()]).await;
}

async fn a_delete_beside_replacements_finds_a_job(bench: &Bench) {
    change_beside_replacements(bench, &[Event::Delete]).await;
}

async fn a_redrive_beside_replacements_finds_a_job(bench: &Bench) {
    change_beside_replacements(bench, &[CANCEL, REDRIVE]).await;
}

async fn a_retention_beside_replacements_finds_a_job(bench: &Bench) {
    change_beside_replacements(bench, &[CANCEL, RETAIN]).await;
}

/// The answers to the changes of a race.
#[derive(Debug, Default, PartialEq, Eq)]
struct Answers {
    done: usize,
    not_allowed: usize,
    missing: usize,
    /// The bound of the changes was reached, which says to try again.
    conflicts: usize,
}

/// Sends the events one after the other, as often as the environment asks for, while another task
/// replaces the job all the time.
async fn change_beside_replacements(bench: &Bench, events: &[Event]) {
    bench.put_job(replacing()).await;
    let (events, is_over) = (events.to_vec(), Arc::new(AtomicBool::new(false)));
    let over = EndOfChanges(is_over.clone());
    let ((events, answers), replaced) = race_two(
        bench,
        |bench| async move {
            let answers = changes(&bench, &events).await;
            drop(over);
            (events, answers)
        },
        |bench| async move {
            let mut replaced = 0;
            while !is_over.load(Ordering::SeqCst) {
                replaced += usize::from(replace(&bench).await);
                yield_now().await;
            }
            replaced
        },
    )
    .await;
    if asked_for().is_some() {
        println!("{events:?} beside {replaced} replacements: {answers:?}");
    }
    assert_eq!(answers.missing, 0, "{events:?} beside {replaced} replacements: {answers:?}");
}

/// Whether the job was replaced. A store may say that others were quicker too often.
async fn replace(bench: &Bench) -> bool {
    match bench.store().enqueue(bench.queue(), vec![vec![replacing()]]).await {
        Ok(answers) => answers.value[0][0].is_new(),
        Err(error) if error.kind() == ErrorKind::Conflict => false,
        Err(error) => panic!("a replacement: {error:?}"),
    }
}

/// Stops the producer when the changes have ended, also by a panic.
struct EndOfChanges(Arc<AtomicBool>);

impl Drop for EndOfChanges {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

async fn changes(bench: &Bench, events: &[Event]) -> Answers {
    let mut answers = Answers::default();
    for _ in 0..asked_for().unwrap_or(ROUNDS) {
        for event in events {
            match bench.store().change(bench.queue(), &id("a"), event.clone(), &policy()).await {
                Ok(Changed::Done(_)) => answers.done += 1,
                Ok(Changed::Rejected(_)) => answers.not_allowed += 1,
                Ok(Changed::Missing) => answers.missing += 1,
                Err(error) if error.kind() == ErrorKind::Conflict => answers.conflicts += 1,
                other => panic!("{event:?}: {other:?}"),
            }
            // The id is free after a delete, and only then.
            if matches!(event, Event::Delete) {
                bench.enqueue(replacing()).await;
            }
        }
        yield_now().await;
    }
    answers
}

/// The number of changes of each verb that the environment asks for.
pub(crate) fn asked_for() -> Option<usize> {
    let number =
        |text: String| text.parse().unwrap_or_else(|_| panic!("{CHANGES} is a number, not {text:?}"));
    env::var(CHANGES).ok().map(number)
}
