//! Gates beside transactions that stay open, and what only this store could break of them (ADR 81).

use crate::common::{Place, claim, claim_one, complete, enqueue, job, queue, settle, text};
use queue_core::{
    ClaimedJob, Detail, EndSignal, Enqueued, Gate, JobId, NewGate, NewJob, Storage, StorageExt,
    lifecycle::{Event, Policy},
};
use queue_postgres::PostgresStorage;
use std::{sync::Arc, time::Duration};
use tokio::{task::JoinSet, time::timeout};

/// How long a call may take that waits for no other.
const SHORT: Duration = Duration::from_secs(20);

fn the_sum() -> JobId {
    JobId::from_static("sum")
}

fn sum(is_sealed: bool) -> NewJob {
    job("sum").with_gate(NewGate { needs: 0, is_sealed, timeout: None })
}

fn member(id: &str) -> NewJob {
    job(id).with_end_signals([EndSignal { raises: true, ..EndSignal::to(the_sum()) }])
}

async fn gate(store: &PostgresStorage) -> Gate {
    let record =
        store.get_one(&queue(), &the_sum(), Detail::Meta).await.expect("it reads").expect("it is there");
    *record.meta.gate.expect("it has one")
}

async fn seal(store: &PostgresStorage) {
    store.change(&queue(), &the_sum(), Event::Seal, &Policy::default()).await.expect("it is sealed");
}

async fn claim_members(store: &PostgresStorage, count: usize) -> Vec<ClaimedJob> {
    let jobs = claim(store, count).await.jobs;
    assert_eq!(jobs.len(), count);
    jobs
}

async fn finish(store: &PostgresStorage, held: &ClaimedJob) {
    settle(store, &held.record.meta, complete(held.token)).await;
}

/// What is due, none of which is the waiting job.
async fn assert_closed(store: &PostgresStorage) {
    let claimed = claim(store, 9).await;
    assert!(claimed.jobs.is_empty());
    assert!(gate(store).await.closed_at.is_some());
}

async fn assert_opens(store: &PostgresStorage) {
    assert_eq!(claim_one(store).await.record.meta.id, the_sum());
}

#[tokio::test]
async fn a_member_in_an_open_transaction_keeps_the_gate_closed_and_nobody_waits() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    enqueue(&store, vec![sum(false), member("a"), member("b")]).await;
    let mut transaction = pool.begin().await.unwrap();
    let answers = store.enqueue_in(&mut transaction, &queue(), &[member("late")]).await.unwrap().value;
    assert!(answers.iter().all(Enqueued::is_new));
    timeout(SHORT, async {
        for held in claim_members(&store, 2).await {
            finish(&store, &held).await;
        }
        seal(&store).await;
        assert_closed(&store).await;
        let next = claim(&store, 1).await;
        let soon = next.next_due.expect("a rollback sends no hint").since(next.now);
        assert!(soon <= Duration::from_secs(1));
    })
    .await
    .expect("nobody waits");
    transaction.commit().await.unwrap();
    assert_eq!(gate(&store).await.needs, 3);
    finish(&store, &claim_one(&store).await).await;
    assert_opens(&store).await;
    place.finish(&store).await;
}

#[tokio::test]
async fn a_rollback_leaves_a_gate_that_the_next_claim_opens() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    enqueue(&store, vec![sum(false), member("a")]).await;
    let mut transaction = pool.begin().await.unwrap();
    store.enqueue_in(&mut transaction, &queue(), &[member("late")]).await.unwrap();
    finish(&store, &claim_one(&store).await).await;
    seal(&store).await;
    assert_closed(&store).await;
    transaction.rollback().await.unwrap();
    assert_opens(&store).await;
    place.finish(&store).await;
}

#[tokio::test]
async fn a_completion_in_an_open_transaction_locks_nothing_and_counts_at_its_commit() {
    let Some(place) = Place::new().await else { return };
    let (store, pool) = (place.open().await, place.pool(1).await);
    enqueue(&store, vec![sum(false), member("a"), member("b")]).await;
    let held = claim_members(&store, 2).await;
    let mut transaction = pool.begin().await.unwrap();
    let meta = &held[0].record.meta;
    store.complete_in(&mut transaction, meta, held[0].token, text("done")).await.unwrap();
    timeout(SHORT, async {
        finish(&store, &held[1]).await;
        seal(&store).await;
        enqueue(&store, vec![member("c")]).await;
        finish(&store, &claim_one(&store).await).await;
        assert_closed(&store).await;
    })
    .await
    .expect("nobody waits");
    assert_eq!(gate(&store).await.signals, 2);
    transaction.commit().await.unwrap();
    assert_opens(&store).await;
    assert_eq!(gate(&store).await.signals, 3);
    place.finish(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_completions_at_once_open_a_gate_once() {
    const MEMBERS: usize = 64;
    let Some(place) = Place::new().await else { return };
    let stores = [Arc::new(place.open().await), Arc::new(place.open().await)];
    let members = (0..MEMBERS).map(|n| member(&format!("m{n}")));
    enqueue(&*stores[0], std::iter::once(sum(false)).chain(members).collect()).await;
    seal(&stores[0]).await;
    let before = stores[0].get_one(&queue(), &the_sum(), Detail::Meta).await.unwrap().unwrap().meta.revision;
    let held = claim_members(&stores[0], MEMBERS).await;
    let tasks: JoinSet<_> = held
        .into_iter()
        .enumerate()
        .map(|(n, held)| {
            let store = stores[n % 2].clone();
            async move { finish(&store, &held).await }
        })
        .collect();
    tasks.join_all().await;
    let opened = claim_one(&stores[1]).await;
    assert_eq!((opened.record.meta.id, opened.record.meta.revision), (the_sum(), before + 2));
    let counted = gate(&stores[0]).await;
    assert_eq!((counted.needs, counted.signals), (MEMBERS as u64, MEMBERS as u64));
    stores[1].close().await.unwrap();
    place.finish(&stores[0]).await;
}

/// Each enqueue of a member reads the gate with all that waits for a fold.
#[tokio::test]
async fn members_that_come_one_by_one_leave_few_slips() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![sum(false)]).await;
    for n in 0..200 {
        enqueue(&store, vec![member(&format!("m{n}"))]).await;
    }
    let waiting = place.execute("SELECT FROM {schema}.slip").await;
    assert!(waiting <= 64, "{waiting} slips");
    assert_eq!(gate(&store).await.needs, 200);
    place.finish(&store).await;
}

#[tokio::test]
async fn a_fold_that_is_bounded_opens_nothing_until_it_has_all() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![job("sum").with_gate(NewGate { needs: 2, is_sealed: true, timeout: None })]).await;
    // More than all folds of one claim take, the last two of which are signals.
    place
        .execute(
            "INSERT INTO {schema}.slip (queue, target, raises, completed)
             SELECT g.queue, g.seq, CASE WHEN n <= 40000 THEN 1 ELSE 0 END, CASE WHEN n > 2 THEN 1 ELSE 0 END
             FROM {schema}.gate AS g, generate_series(1, 40000) AS n",
        )
        .await;
    for _ in 0..3 {
        assert_closed(&store).await;
    }
    assert_eq!((gate(&store).await.needs, gate(&store).await.signals), (40_002, 39_998));
    place
        .execute(
            "INSERT INTO {schema}.slip (queue, target, completed)
             SELECT g.queue, g.seq, 1 FROM {schema}.gate AS g, generate_series(1, 4) AS n",
        )
        .await;
    assert_opens(&store).await;
    place.finish(&store).await;
}
