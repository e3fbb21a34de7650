//! Claims of many tasks on one handle share statements, each with a token of its own (ADR 38).

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, request, settle};
use crate::merging::{CALLS, behind_a_lock, transactions};
use crate::partitions::{PATIENCE, of};
use futures_util::future::join_all;
use queue_core::{Claimed, Kind, NewJob, Pause, Rng, SeededRng, Span, Storage, lifecycle::Event};
use queue_postgres::PostgresStorage;
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::{
    task::{JoinSet, yield_now},
    time::{sleep, timeout},
};

/// Two claims go side by side, and one behind each of them has what came meanwhile.
const STATEMENTS: i64 = 4;

/// How many claims are dropped, and by how many callers: `QUEUE_TEST_DROPS=10000` for a long run.
const DROPS: usize = 400;
const CALLERS: u64 = 16;
/// About how long a claim takes that waits for another one.
const LEAVES_WITHIN_MS: u64 = 12;

/// Sends as many claims at once as there are jobs, and counts the statements that lease them.
async fn assert_shared(place: &Place, store: &PostgresStorage, jobs: Vec<NewJob>) {
    let count = jobs.len();
    enqueue(store, jobs).await;
    let (_, before) = transactions(place, "lease").await;
    let claims = join_all((0..count).map(|_| claim(store, 1)));
    let answers = behind_a_lock(place, "lease", claims).await;
    assert!(answers.iter().all(|claimed| claimed.jobs.len() == 1), "one each");
    let held: Vec<_> = answers.into_iter().flat_map(|claimed| claimed.jobs).collect();
    let ids: HashSet<_> = held.iter().map(|held| &held.record.meta.id).collect();
    let tokens: HashSet<_> = held.iter().map(|held| held.token).collect();
    assert_eq!((ids.len(), tokens.len()), (count, count));
    assert_eq!(transactions(place, "lease").await.1 - before, STATEMENTS);
    for held in &held {
        settle(store, &held.record.meta, complete(held.token)).await;
    }
    assert_sound(store).await;
}

fn numbered(prefix: &str) -> Vec<NewJob> {
    (0..CALLS).map(|n| job(&format!("{prefix}{n}"))).collect()
}

#[tokio::test]
async fn claims_that_come_meanwhile_share_a_statement() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    // From here on the handle knows the queue.
    enqueue(&store, vec![job("first")]).await;
    assert_shared(&place, &store, numbered("plain")).await;
    place.finish(&store).await;
}

#[tokio::test]
async fn claims_of_a_queue_with_a_paused_kind_share_a_statement_too() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    let paused = NewJob { kind: Kind::from_static("paused"), ..job("first") };
    enqueue(&store, vec![paused.clone()]).await;
    store.set_paused(&queue(), Some(&paused.kind), Pause::UntilResumed).await.expect("it pauses kinds");
    assert!(claim(&store, 1).await.jobs.is_empty(), "the handle knows that the queue has lines");
    assert_shared(&place, &store, numbered("open")).await;
    place.finish(&store).await;
}

#[tokio::test]
async fn claims_in_turn_share_a_statement_too() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![of("first", "first")]).await;
    assert_eq!(claim(&store, 1).await.jobs.len(), 1);
    let jobs = (0..CALLS).map(|n| of(&format!("p{}", n % 5), &n.to_string())).collect();
    assert_shared(&place, &store, jobs).await;
    place.finish(&store).await;
}

/// Drops claims at random moments, from before they are sent to after their answers came, and gives
/// back the jobs of the others. Answers how many jobs that were.
async fn drop_claims(store: Arc<PostgresStorage>, caller: u64, drops: usize) -> u64 {
    let rng = SeededRng::new(caller);
    let (mut dropped, mut given_back) = (0, 0);
    while dropped < drops {
        let limit = usize::try_from(rng.next_u64() % 4).expect("it is small");
        let leave = sleep(Duration::from_millis(rng.next_u64() % LEAVES_WITHIN_MS));
        let request = request(limit, Span::from_secs(3_600));
        let heard: Option<Claimed> = tokio::select! {
            biased;
            claimed = store.claim(request) => Some(claimed.expect("claim answers")),
            () = leave => None,
        };
        dropped += usize::from(heard.is_none());
        for held in heard.into_iter().flat_map(|claimed| claimed.jobs) {
            settle(&*store, &held.record.meta, Event::release(held.token)).await;
            given_back += 1;
        }
    }
    given_back
}

/// The leases are an hour long, so a job that is not given back would not come in time.
#[tokio::test(flavor = "multi_thread")]
async fn what_claims_leased_that_are_dropped_at_random_goes_back_at_once_uncharged() {
    let Some(place) = Place::new().await else { return };
    let store = Arc::new(place.open().await);
    let drops = std::env::var("QUEUE_TEST_DROPS").ok().and_then(|text| text.parse().ok()).unwrap_or(DROPS);
    let partitioned = (0..CALLS).map(|n| of(&format!("p{}", n % 5), &format!("of-{n}"))).collect();
    for jobs in [numbered("plain"), partitioned] {
        enqueue(&*store, jobs).await;
        let each = drops / usize::try_from(CALLERS).expect("it is small");
        let callers = (0..CALLERS).map(|caller| drop_claims(store.clone(), caller, each));
        let given_back: u64 = callers.collect::<JoinSet<_>>().join_all().await.into_iter().sum();
        let mut leases = 0;
        let drained = timeout(PATIENCE, async {
            let mut ids = HashSet::new();
            while ids.len() < CALLS {
                for held in claim(&*store, CALLS).await.jobs {
                    let meta = &held.record.meta;
                    assert_eq!((meta.failures, meta.stalls), (0, 0), "nobody was charged for {}", meta.id);
                    settle(&*store, meta, complete(held.token)).await;
                    assert!(ids.insert(meta.id.clone()), "{} ran twice", meta.id);
                    leases += meta.epoch - 1;
                }
                yield_now().await;
            }
        });
        drained.await.expect("all jobs came back");
        println!(
            "{drops} claims were dropped, which had leased {} jobs; {given_back} others",
            leases - given_back
        );
        assert!(leases > given_back, "some had leased");
        assert_sound(&*store).await;
    }
    place.finish(&store).await;
}
