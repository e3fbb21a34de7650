//! Gates in a file: what another handle, a reopening, the application's own transaction, and the
//! grouping of calls into one transaction could break.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, request, settle};
use futures_util::FutureExt;
use queue_core::{
    Changed, ClaimedJob, Clock, Detail, EndSignal, Enqueued, Gate, JobId, JobMeta, LeaseToken, ListQuery,
    ManualClock, NewGate, NewJob, Prune, PruneRequest, Span, State, Storage, StorageExt, Walk,
    lifecycle::{Event, Policy},
};
use queue_sqlite::SqliteStorage;
use rusqlite::{Connection, TransactionBehavior};
use std::sync::Arc;

const SUM: &str = "sum";
const SECOND: Span = Span::from_secs(1);

fn sum(needs: u64, timeout: Option<Span>) -> NewJob {
    gated_job(SUM, needs, timeout)
}

fn gated_job(id: &str, needs: u64, timeout: Option<Span>) -> NewJob {
    job(id).with_gate(NewGate { needs, is_sealed: true, timeout })
}

fn sender(id: &str) -> NewJob {
    job(id).with_end_signals([EndSignal::to(JobId::from_static(SUM))])
}

fn member(id: &str) -> NewJob {
    job(id).with_end_signals([EndSignal { raises: true, ..EndSignal::to(JobId::from_static(SUM)) }])
}

fn suspend(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Suspend {
        token,
        needs: None,
        seals: true,
        heeds_urgent: true,
        timeout: None,
        progress: None,
        then,
    }
}

async fn meta(store: &SqliteStorage) -> JobMeta {
    let found = store.get_one(&queue(), &JobId::from_static(SUM), Detail::Meta).await.expect("it reads");
    found.expect("it is there").meta
}

async fn gate(store: &SqliteStorage) -> Gate {
    *meta(store).await.gate.expect("it has a gate")
}

async fn gated(store: &SqliteStorage) -> u64 {
    store.counts(&queue()).await.expect("it counts").gated
}

async fn change(store: &SqliteStorage, id: &'static str, event: Event) {
    let changed = store.change(&queue(), &JobId::from_static(id), event, &Policy::default()).await;
    assert!(matches!(changed, Ok(Changed::Done(_))), "{changed:?}");
}

async fn claim_one(store: &SqliteStorage) -> ClaimedJob {
    let mut jobs = claim(store, 1).await.jobs;
    assert_eq!(jobs.len(), 1, "one job is due");
    jobs.remove(0)
}

async fn complete_one(store: &SqliteStorage) {
    let held = claim_one(store).await;
    settle(store, &held.record.meta, complete(held.token)).await;
}

fn file(place: &Place) -> Connection {
    Connection::open(place.path()).expect("it is there")
}

fn number(place: &Place, sql: &str) -> i64 {
    file(place).query_row(sql, [], |row| row.get(0)).expect("it reads")
}

/// Whether claims look for gated jobs in the queue.
fn is_marked(place: &Place) -> bool {
    number(place, "SELECT marks FROM queue_name") == 2
}

#[tokio::test]
async fn a_gate_outlasts_its_handle_and_times_out_in_the_next() {
    let place = Place::new();
    let clock = Arc::new(ManualClock::default());
    let open = || SqliteStorage::open(place.options().clock(clock.clone()));
    let store = open().await.unwrap();
    enqueue(&store, vec![sum(3, Some(SECOND)), sender("a"), sender("b")]).await;
    complete_one(&store).await;
    let before = meta(&store).await;
    store.close().await.unwrap();
    let store = open().await.unwrap();
    assert_eq!((meta(&store).await, gated(&store).await), (before.clone(), 1));
    complete_one(&store).await;
    assert_eq!(claim(&store, 9).await.next_due, Some(before.run_at));
    clock.advance(SECOND.as_duration());
    assert_eq!((gate(&store).await.signals, gated(&store).await), (2, 0));
    let held = claim_one(&store).await;
    assert_eq!(
        (held.record.meta.gate.as_deref().map(|gate| gate.signals), clock.now()),
        (Some(2), before.run_at)
    );
    assert_sound(&store).await;
}

/// The holder's handle has the job in its cache, at a revision that no signal changes.
#[tokio::test]
async fn signals_of_another_handle_reach_a_job_that_this_one_has_leased() {
    let place = Place::new();
    let (store, other) = (place.open().await, place.open().await);
    enqueue(&store, vec![sum(2, None), sender("a").with_priority(9), sender("b").with_priority(9)]).await;
    change(&store, SUM, Event::Promote).await;
    let held = claim_one(&store).await;
    complete_one(&other).await;
    let extend = Event::Extend { token: held.token, by: SECOND, progress: None };
    let Changed::Done(extended) = settle(&store, &held.record.meta, extend).await else {
        panic!("it is held")
    };
    assert_eq!(extended.gate.map(|gate| gate.signals), Some(1), "the answer shows it");
    complete_one(&other).await;
    settle(&store, &held.record.meta, suspend(held.token, Vec::new())).await;
    let counted = gate(&store).await;
    assert_eq!((counted.signals, counted.closed_at, gated(&store).await), (2, None, 0));
    assert_eq!(claim_one(&other).await.record.meta.id.as_str(), SUM);
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_job_without_a_gate_gets_one_while_its_handle_has_it_in_the_cache() {
    let place = Place::new();
    let (store, other) = (place.open().await, place.open().await);
    enqueue(&store, vec![job(SUM)]).await;
    let held = claim_one(&store).await;
    settle(&store, &held.record.meta, suspend(held.token, vec![member("a"), member("b")])).await;
    assert_eq!((gate(&other).await.needs, gated(&other).await), (2, 1));
    complete_one(&other).await;
    complete_one(&store).await;
    let held = claim_one(&store).await;
    assert_eq!(held.record.meta.gate.as_deref().map(|gate| gate.signals), Some(2));
    settle(&store, &held.record.meta, complete(held.token)).await;
    assert_eq!(meta(&other).await.state, State::Completed);
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_completion_in_a_transaction_of_the_application_signals_if_it_commits() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![sum(1, None), sender("a")]).await;
    let held = claim_one(&store).await;
    for commits in [false, true] {
        let mut connection = file(&place);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        let result = crate::common::text("result");
        let done = store.complete_in(&transaction, &held.record.meta, held.token, result).unwrap();
        assert!(matches!(done, Changed::Done(_)), "{done:?}");
        if commits { transaction.commit() } else { transaction.rollback() }.unwrap();
        assert_eq!(
            (gate(&store).await.signals, gated(&store).await),
            (u64::from(commits), u64::from(!commits))
        );
        assert_eq!(is_marked(&place), !commits);
    }
    assert_eq!(claim_one(&store).await.record.meta.id.as_str(), SUM);
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_queue_is_marked_for_as_long_as_it_has_gated_jobs() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("plain"), gated_job("x", 1, None)]).await;
    assert!(is_marked(&place));
    enqueue(&store, vec![sum(1, None)]).await;
    change(&store, "x", Event::Promote).await;
    assert!(is_marked(&place), "one is left");
    change(&store, SUM, Event::Delete).await;
    assert!(!is_marked(&place));
    assert_sound(&store).await;
}

/// The mark is written at the end of a transaction, and the claim is in the middle of it.
#[tokio::test]
async fn a_claim_in_the_transaction_that_gates_the_first_job_sees_its_time_out() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("plain")]).await;
    complete_one(&store).await;
    let lock = file(&place);
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let queue = queue();
    let mut first = Box::pin(store.enqueue(&queue, vec![vec![job("b")]]));
    assert!((&mut first).now_or_never().is_none());
    let mut second = Box::pin(store.enqueue(&queue, vec![vec![sum(1, Some(SECOND))]]));
    let mut third = Box::pin(store.claim(request(9, Span::MAX)));
    assert!((&mut second).now_or_never().is_none() && (&mut third).now_or_never().is_none());
    lock.execute_batch("COMMIT").unwrap();
    let (_, _, claimed) = (first.await.unwrap(), second.await.unwrap(), third.await.unwrap());
    assert_eq!(claimed.next_due, Some(meta(&store).await.run_at));
}

#[tokio::test]
async fn an_orphan_leaves_not_even_its_queue() {
    let place = Place::new();
    let store = place.open().await;
    assert_eq!(
        enqueue(&store, vec![member("a"), member("b")]).await,
        [Enqueued::Orphaned, Enqueued::Orphaned]
    );
    assert_eq!(number(&place, "SELECT count(*) FROM queue_name"), 0);
    assert_eq!(enqueue(&store, vec![member("a"), job("b")]).await[0], Enqueued::Orphaned);
    assert_eq!(number(&place, "SELECT count(*) FROM queue_job"), 1);
}

#[tokio::test]
async fn nothing_of_gates_is_left_in_the_file_when_their_jobs_are_pruned() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![sum(9, Some(SECOND)), sender("a"), member("b"), sender("c")]).await;
    complete_one(&store).await;
    let everything = PruneRequest { queue: queue(), what: Prune::Everything, limit: 9 };
    assert_eq!(store.prune(everything).await.unwrap(), 4);
    for table in ["queue_gated", "queue_gate", "queue_end_signal"] {
        assert_eq!(number(&place, &format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    assert!(!is_marked(&place));
    assert_sound(&store).await;
}

/// More time out at once than a page or a claim takes, in both places where due jobs then stand.
#[tokio::test]
async fn jobs_whose_gates_have_timed_out_are_due_in_claim_order_before_a_claim_moves_them() {
    let place = Place::new();
    let clock = Arc::new(ManualClock::default());
    let store = SqliteStorage::open(place.options().clock(clock.clone())).await.unwrap();
    let timed = |n: i16| gated_job(&n.to_string(), 1, Some(SECOND)).with_priority(-n);
    enqueue(&store, (0..5).map(timed).chain([job("due"), job("late").with_delay(SECOND)]).collect()).await;
    clock.advance(SECOND.as_duration());
    let list = async || {
        let page = store.list(ListQuery::new(queue(), Walk::Due, 9)).await.unwrap();
        page.jobs.iter().map(|job| job.id.to_string()).collect::<Vec<_>>()
    };
    let expected = ["4", "3", "2", "1", "due", "0", "late"];
    assert_eq!(list().await, expected);
    let gated = store.list(ListQuery::new(queue(), Walk::Gated, 9)).await.unwrap();
    assert_eq!((gated.jobs.len(), store.counts(&queue()).await.unwrap().due()), (0, 7));
    let claimed = claim(&store, 2).await.jobs;
    assert_eq!(claimed.iter().map(|job| job.record.meta.id.as_str()).collect::<Vec<_>>(), &expected[..2]);
    assert_eq!(list().await, &expected[2..]);
    change(&store, "0", Event::Delete).await;
    assert_sound(&store).await;
}
