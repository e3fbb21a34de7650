//! Calls about the same jobs in opposite orders, all at once: the server never has to end one to
//! let another continue. Each test has its own database, which counts its deadlocks.

use crate::common::{enqueue, fail, job, queue, request, text};
use crate::database::Database;
use crate::load::{LASTS, params, under};
use crate::storm::rounds;
use queue_core::{
    ClaimedJob, NewJob, OnFailed, Pause, Prune, PruneRequest, Rng, SeededRng, Span, Storage, StorageExt,
    lifecycle::{Event, OnProcessing, Policy, Transition, decide},
};
use queue_postgres::PostgresStorage;
use sqlx::{Connection, PgConnection};
use std::sync::Arc;
use tokio::{task::JoinSet, time::sleep};

const JOBS: usize = 60;
const TASKS: u64 = 8;
/// The batches that each task sends of each kind.
const BATCHES: usize = 6;

/// Texts that people sort differently from bytes.
fn ids() -> impl Iterator<Item = String> {
    (0..JOBS).map(|n| if n % 2 == 0 { format!("a{n}") } else { format!("B{n}") })
}

/// The items in this task's own order.
fn shuffled<T: Clone>(of: &[T], rng: &SeededRng) -> Vec<T> {
    let mut keyed: Vec<(u64, T)> = of.iter().map(|item| (rng.next_u64(), item.clone())).collect();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, item)| item).collect()
}

/// A change, of each kind in turn; those that come too late are refused one by one.
fn change(job: &ClaimedJob, rng: &SeededRng) -> Option<Transition> {
    let token = job.token;
    let event = match rng.next_u64() % 8 {
        0 | 1 => Event::Extend { token, by: Span::from_secs(60), progress: None },
        2 => Event::Await,
        3 => Event::Cancel { processing: OnProcessing::Request },
        4 => Event::release(token),
        5 => fail(token),
        _ => Event::Complete { token, result: text("result"), retention: None, then: Vec::new() },
    };
    decide(&job.record.meta, event, &Policy::default()).ok()
}

async fn collide(store: Arc<PostgresStorage>, held: Vec<ClaimedJob>, seed: u64) {
    const FINE: &str = "no call loses against another";
    let rng = SeededRng::new(seed);
    let ids: Vec<NewJob> = ids().map(|id| job(&id).with_on_failed(OnFailed::Replace)).collect();
    for _ in 0..BATCHES {
        let batch = |jobs: Vec<ClaimedJob>| jobs.iter().filter_map(|job| change(job, &rng)).collect();
        store.apply(batch(shuffled(&held, &rng))).await.expect(FINE);
        store.enqueue(&queue(), vec![shuffled(&ids, &rng)]).await.expect(FINE);
        let pause = if rng.next_u64().is_multiple_of(2) { Pause::UntilResumed } else { Pause::Off };
        store.set_paused(&queue(), Some(&job("any").kind), pause).await.expect(FINE);
        let request = request(20, Span::from_millis(1));
        let some = shuffled(&held, &rng).split_off(JOBS / 2);
        store.apply(batch(some)).await.expect(FINE);
        store.claim(request).await.expect(FINE);
        store.rescue(&queue(), JOBS, &Policy::default()).await.expect(FINE);
        let finished = Prune::FinishedBefore(Span::ZERO);
        let prune = PruneRequest { queue: queue(), what: finished, limit: JOBS };
        store.prune(prune).await.expect(FINE);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn batches_that_overlap_in_any_order_never_deadlock() {
    let Some(database) = Database::new().await else { return };
    let store = database.open().await;
    for round in 0..rounds() {
        enqueue(&*store, ids().map(|id| job(&id)).collect()).await;
        let held = store.claim(request(JOBS, Span::from_secs(60))).await.expect("it claims").jobs;
        let mut tasks = JoinSet::new();
        for task in 0..TASKS {
            // The calls use several handles, since one handle would merge them.
            tasks.spawn(collide(database.open().await, held.clone(), round * TASKS + task));
        }
        tasks.join_all().await;
        store.set_paused(&queue(), Some(&job("any").kind), Pause::Off).await.expect("it resumes");
        let everything = PruneRequest { queue: queue(), what: Prune::Everything, limit: usize::MAX };
        store.prune(everything).await.expect("it prunes");
    }
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
    store.close().await.expect("it closes");
    database.assert_none().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_load_of_everything_never_deadlocks() {
    let Some(database) = Database::new().await else { return };
    for seed in 0..rounds() {
        under(&database.options(), params(seed), async {
            sleep(LASTS).await;
            1
        })
        .await;
        let mut connection = PgConnection::connect(&database.url).await.expect("the server answers");
        let drop = sqlx::raw_sql("SET client_min_messages = error; DROP SCHEMA queue CASCADE");
        drop.execute(&mut connection).await.expect("it is there");
        connection.close().await.expect("it closes");
    }
    database.assert_none().await;
}
