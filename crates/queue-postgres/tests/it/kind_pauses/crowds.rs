//! Kinds are paused and resumed while many claim: a pause that was answered holds, and each job is
//! done once.

use super::{KINDS, ids, line_count, of_kind, pause};
use crate::common::{Place, assert_sound, claim, complete, enqueue, queue, request, server, settle};
use crate::storm::{self, LostReplies, StormHarness, Terminations};
use queue_core::{
    Budget, Changed, ClaimedJob, Kind, Pause, Rng, SeededRng, Span, State, Storage, StorageExt, SystemClock,
    lifecycle::Policy,
};
use queue_postgres::PostgresStorage;
use queue_testkit::Harness;
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
};
use tokio::task::JoinSet;

/// Claims until the test is over, and completes what it gets.
async fn work(store: Arc<PostgresStorage>, is_over: Arc<AtomicBool>) -> Vec<ClaimedJob> {
    let mut all = Vec::new();
    while !is_over.load(SeqCst) {
        let jobs = claim(&*store, 3).await.jobs;
        for job in &jobs {
            assert!(matches!(settle(&*store, &job.record.meta, complete(job.token)).await, Changed::Done(_)));
        }
        all.extend(jobs);
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_claim_after_the_answer_of_a_pause_gets_a_job_of_the_kind() {
    let Some(place) = Place::new().await else { return };
    let mut stores = Vec::new();
    for _ in 0..4 {
        stores.push(Arc::new(place.open().await));
    }
    for round in 0..12 {
        let mail = (0..90).map(|n| of_kind(KINDS[n % 3], &format!("{round}-{n}"))).collect();
        enqueue(&*stores[0], mail).await;
        let is_over = Arc::new(AtomicBool::new(false));
        let workers: JoinSet<_> =
            stores[1..].iter().map(|store| work(store.clone(), is_over.clone())).collect();
        pause(&stores[0], "mail", Pause::UntilResumed).await;
        // All claims from here on bring other kinds, on every handle.
        let after = claim(&*stores[0], 30).await;
        assert!(
            after.jobs.iter().all(|job| job.record.meta.kind.as_str() != "mail"),
            "{:?}",
            ids(&after.jobs)
        );
        is_over.store(true, SeqCst);
        workers.join_all().await;
        for store in &stores {
            let late = claim(&**store, 30).await;
            assert!(
                late.jobs.iter().all(|job| job.record.meta.kind.as_str() != "mail"),
                "{:?}",
                ids(&late.jobs)
            );
        }
        pause(&stores[0], "mail", Pause::Off).await;
    }
    place.finish(&stores[0]).await;
}

/// Pauses and resumes kinds at random while others claim, and enqueues more.
async fn toggle(store: Arc<PostgresStorage>, seed: u64, is_over: Arc<AtomicBool>) {
    let rng = SeededRng::new(seed);
    for round in 0..40 {
        let kind = KINDS[usize::try_from(rng.next_u64() % 3).expect("small")];
        let is_on = rng.next_u64().is_multiple_of(2);
        pause(&store, kind, if is_on { Pause::UntilResumed } else { Pause::Off }).await;
        let jobs = (0..6).map(|n| {
            let priority = i16::try_from(n % 2).expect("small");
            of_kind(KINDS[n % 3], &format!("{seed}-{round}-{n}")).with_priority(priority)
        });
        enqueue(&*store, jobs.collect()).await;
    }
    for kind in KINDS {
        pause(&store, kind, Pause::Off).await;
    }
    while store.counts(&queue()).await.expect("it counts").unfinished() > 0 {}
    is_over.store(true, SeqCst);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn claims_that_meet_while_kinds_are_paused_and_resumed_lease_each_job_once() {
    let Some(place) = Place::new().await else { return };
    let is_over = Arc::new(AtomicBool::new(false));
    let mut workers = JoinSet::new();
    for _ in 0..4 {
        workers.spawn(work(Arc::new(place.open().await), is_over.clone()));
    }
    let store = Arc::new(place.open().await);
    toggle(store.clone(), 7, is_over).await;
    let all: Vec<ClaimedJob> = workers.join_all().await.into_iter().flatten().collect();
    let ids: HashSet<_> = all.iter().map(|job| job.record.meta.id.clone()).collect();
    assert_eq!((all.len(), ids.len()), (240, 240));
    for _ in 0..2 {
        assert_eq!(claim(&*store, 1).await.jobs.len(), 0);
    }
    assert_eq!(line_count(&place).await, (0, false));
    place.finish(&store).await;
}

/// Calls until it succeeds.
async fn insist<T, F: Future<Output = queue_core::Result<T>>>(call: impl Fn() -> F) -> T {
    loop {
        if let Ok(answer) = call().await {
            return answer;
        }
    }
}

/// Claims and completes what the faults let through, and rescues what they left leased.
async fn work_in_a_storm(store: Arc<dyn Storage>, is_over: Arc<AtomicBool>) {
    while !is_over.load(SeqCst) {
        drop(store.rescue(&queue(), 100, &Policy::default()).await);
        let Ok(claimed) = store.claim(request(3, Span::from_millis(500))).await else { continue };
        for job in claimed.jobs {
            drop(store.settle(&job.record.meta, complete(job.token), &Policy::default()).await);
        }
    }
}

async fn survive(harness: &dyn Harness) {
    const JOBS: usize = 240;
    let place = harness.create(Arc::new(SystemClock)).await.expect("the server answers");
    let is_over = Arc::new(AtomicBool::new(false));
    let mut stores = Vec::new();
    for _ in 0..4 {
        stores.push(place.connect().await.expect("it opens"));
    }
    let store = stores.pop().expect("four are open");
    let work = |store| work_in_a_storm(store, is_over.clone());
    let workers: JoinSet<_> = stores.into_iter().map(work).collect();
    let q = queue();
    for n in 0..JOBS / 6 {
        let kind = Kind::from_static(KINDS[n % 3]);
        let pause = if n % 4 < 2 { Pause::UntilResumed } else { Pause::Off };
        insist(|| store.set_paused(&q, Some(&kind), pause)).await;
        let jobs: Vec<_> = (0..6)
            .map(|i| of_kind(KINDS[i % 3], &format!("{n}-{i}")).with_max_stalls(Budget::Unlimited))
            .collect();
        insist(|| store.enqueue(&q, vec![jobs.clone()])).await;
    }
    for kind in KINDS {
        let kind = Kind::from_static(kind);
        insist(|| store.set_paused(&q, Some(&kind), Pause::Off)).await;
    }
    while insist(|| store.counts(&q)).await.unfinished() > 0 {}
    is_over.store(true, SeqCst);
    workers.join_all().await;
    assert_eq!(insist(|| store.counts(&q)).await.of(State::Completed), JOBS as u64);
    assert_sound(&*store).await;
    store.close().await.expect("it closes");
    place.clean_up().await.expect("it is removed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn faults_while_kinds_are_paused_and_resumed_lose_no_job() {
    if server::url().is_none() {
        return;
    }
    for _ in 0..storm::rounds() {
        survive(&StormHarness(Terminations)).await;
        survive(&StormHarness(LostReplies)).await;
    }
}
