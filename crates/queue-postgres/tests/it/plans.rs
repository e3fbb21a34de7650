//! Answers are right under every plan that the server chooses: never more than the limit, in order,
//! each job once.

use crate::common::{Place, claim, complete, enqueue, job, queue, request, settle};
use queue_core::{
    Applied, ClaimedJob, Kind, NewJob, Partition, Pause, Span, Storage,
    lifecycle::{Event, Policy, decide},
};
use queue_postgres::{PostgresOptions, PostgresStorage};
use std::{collections::HashSet, fmt::Debug, sync::Arc};
use tokio::task::JoinSet;

/// Settings that forbid what a sensible plan would use, leave no memory for it, or force generic
/// plans.
const BAD: &[&[&str]] = &[
    &["enable_indexscan=off", "enable_indexonlyscan=off", "enable_bitmapscan=off"],
    &["enable_nestloop=off"],
    &["enable_hashjoin=off", "enable_hashagg=off", "enable_sort=off"],
    &["enable_indexscan=off", "enable_nestloop=off", "enable_material=off"],
    &["work_mem=64kB", "enable_indexscan=off", "enable_bitmapscan=off"],
    &["plan_cache_mode=force_generic_plan", "enable_indexscan=off", "enable_indexonlyscan=off"],
    &["plan_cache_mode=force_custom_plan", "random_page_cost=1000", "cursor_tuple_fraction=1"],
];
/// Wrong statistics of the tables that claims read.
const STATISTICS: &[&str] = &[
    // These say: a million rows in a few pages.
    "UPDATE pg_class SET reltuples = 1000000, relpages = 1
        WHERE relnamespace = to_regnamespace('{schema}') AND relkind IN ('r', 'i')",
    // These say: no rows.
    "UPDATE pg_class SET reltuples = 0, relpages = 0
        WHERE relnamespace = to_regnamespace('{schema}') AND relkind IN ('r', 'i')",
    // These say: a million pages without rows.
    "UPDATE pg_class SET reltuples = 1, relpages = 1000000
        WHERE relnamespace = to_regnamespace('{schema}') AND relkind IN ('r', 'i')",
];
const JOBS: usize = 120;
const LIMIT: usize = 7;
const WORKERS: usize = 4;

async fn open_with_bad_plans(place: &Place, settings: &[&str]) -> Arc<PostgresStorage> {
    let option =
        |setting: &&str| setting.split_once('=').map(|(name, value)| format!("options[{name}]={value}"));
    let settings: Vec<String> = settings.iter().filter_map(option).collect();
    let url = format!("{}?{}", place.schema.url, settings.join("&"));
    let options = PostgresOptions::new(&url).expect("a URL").schema(&place.schema.name).expect("a name");
    Arc::new(PostgresStorage::open(options).await.expect("it opens"))
}

/// Claims until nothing is left.
async fn drain(store: Arc<PostgresStorage>) -> Vec<ClaimedJob> {
    let mut all = Vec::new();
    loop {
        let jobs = claim(&*store, LIMIT).await.jobs;
        assert!(jobs.len() <= LIMIT, "{} jobs", jobs.len());
        assert!(jobs.is_sorted_by_key(|job| {
            let meta = &job.record.meta;
            // Partitions take turns.
            let at = meta.partition.is_none().then_some((meta.run_at, meta.seq));
            (meta.priority, at)
        }));
        if jobs.is_empty() {
            return all;
        }
        all.extend(jobs);
    }
}

/// Concurrent claims lease every job once, and keep limit and order.
async fn assert_claims_are_right(place: Place, store: Arc<PostgresStorage>, under: &dyn Debug) {
    let drains: JoinSet<_> = (0..WORKERS).map(|_| drain(store.clone())).collect();
    let mut all: Vec<ClaimedJob> = drains.join_all().await.into_iter().flatten().collect();
    all.extend(drain(store.clone()).await);
    let ids: HashSet<_> = all.iter().map(|job| job.record.meta.id.clone()).collect();
    assert_eq!((all.len(), ids.len()), (JOBS, JOBS), "{under:?}");
    place.finish(&store).await;
}

fn jobs_of_three_priorities() -> Vec<NewJob> {
    (0..JOBS).map(|n| job(&n.to_string()).with_priority(i16::try_from(n % 3).expect("small"))).collect()
}

/// The same with two kinds in turn, of which one was set aside; it stays in its line.
async fn enqueue_and_set_aside(store: &PostgresStorage) {
    let other = Kind::from_static("other");
    let mut jobs = jobs_of_three_priorities();
    jobs.iter_mut().step_by(2).for_each(|job| job.kind = other.clone());
    enqueue(store, jobs).await;
    store.set_paused(&queue(), Some(&other), Pause::UntilResumed).await.expect("it pauses kinds");
    let first = claim(store, JOBS).await;
    assert_eq!((first.jobs.len(), first.set_aside), (JOBS / 2, JOBS / 2));
    for job in &first.jobs {
        settle(store, &job.record.meta, Event::release(job.token)).await;
    }
    store.set_paused(&queue(), Some(&other), Pause::Off).await.expect("it resumes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn claims_of_lines_keep_limit_and_order_under_bad_plans_and_wrong_statistics() {
    for (settings, statistics) in BAD.iter().flat_map(|bad| STATISTICS.iter().map(move |wrong| (bad, wrong)))
    {
        let Some(place) = Place::new().await else { return };
        let store = open_with_bad_plans(&place, settings).await;
        assert!(place.execute(statistics).await > 0, "there are tables");
        enqueue_and_set_aside(&store).await;
        assert_claims_are_right(place, store, &(settings, statistics)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn claims_in_turn_keep_limit_and_order_under_bad_plans_and_wrong_statistics() {
    for (settings, statistics) in BAD.iter().zip(STATISTICS.iter().cycle()) {
        let Some(place) = Place::new().await else { return };
        let store = open_with_bad_plans(&place, settings).await;
        assert!(place.execute(statistics).await > 0, "there are tables");
        let keys = ["a", "b", "c", "d", "e"].map(|key| Partition::new(key).expect("a key"));
        let jobs = jobs_of_three_priorities().into_iter().zip(keys.iter().cycle());
        enqueue(&*store, jobs.map(|(job, key)| job.with_partition(key.clone())).collect()).await;
        assert_claims_are_right(place, store, &(settings, statistics)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn claims_keep_limit_and_order_under_bad_plans() {
    for settings in BAD {
        let Some(place) = Place::new().await else { return };
        let store = open_with_bad_plans(&place, settings).await;
        enqueue(&*store, jobs_of_three_priorities()).await;
        assert_claims_are_right(place, store, settings).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn claims_keep_limit_and_order_under_wrong_statistics() {
    for (settings, statistics) in BAD.iter().flat_map(|bad| STATISTICS.iter().map(move |wrong| (bad, wrong)))
    {
        let Some(place) = Place::new().await else { return };
        let store = open_with_bad_plans(&place, settings).await;
        enqueue(&*store, jobs_of_three_priorities()).await;
        assert!(place.execute(statistics).await > 0, "there are tables");
        assert_claims_are_right(place, store, &(settings, statistics)).await;
    }
}

/// Sends every settle, in its own order, together with heartbeats.
async fn settle_all(store: Arc<PostgresStorage>, jobs: Vec<ClaimedJob>) {
    let of =
        |job: &ClaimedJob, event| decide(&job.record.meta, event, &Policy::default()).expect("it is held");
    let beats = jobs
        .iter()
        .map(|job| of(job, Event::Extend { token: job.token, by: Span::from_secs(60), progress: None }));
    store.apply(beats.collect()).await.expect("no batch is lost to a deadlock");
    let settles = jobs.iter().map(|job| of(job, complete(job.token)));
    let answers = store.apply(settles.collect()).await.expect("no batch is lost to a deadlock").value;
    assert!(answers.iter().all(Applied::is_done), "the first settle is done, the others repeat it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn batches_over_the_same_jobs_in_any_order_all_get_through() {
    for settings in [&[][..]].iter().chain(BAD) {
        let Some(place) = Place::new().await else { return };
        let store = open_with_bad_plans(&place, settings).await;
        enqueue(&*store, (0..JOBS).map(|n| job(&n.to_string())).collect()).await;
        let jobs = store.claim(request(JOBS, Span::from_secs(60))).await.unwrap().jobs;
        let mut reversed = jobs.clone();
        reversed.reverse();
        let mut batches = JoinSet::new();
        for n in 0..8 {
            let jobs = if n % 2 == 0 { jobs.clone() } else { reversed.clone() };
            batches.spawn(settle_all(store.clone(), jobs));
        }
        batches.join_all().await;
        assert_eq!(store.counts(&queue()).await.unwrap().unfinished(), 0);
        place.finish(&store).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn enqueues_of_the_same_ids_in_any_order_all_get_through() {
    let Some(place) = Place::new().await else { return };
    let store = open_with_bad_plans(&place, &[]).await;
    for round in 0..10 {
        let mut enqueues = JoinSet::new();
        for n in 0..8 {
            let mut jobs: Vec<_> = (0..50).map(|id| job(&format!("{round}-{id}"))).collect();
            if n % 2 == 1 {
                jobs.reverse();
            }
            let store = store.clone();
            enqueues.spawn(async move {
                enqueue(&*store, jobs).await.iter().filter(|answer| answer.is_new()).count()
            });
        }
        assert_eq!(enqueues.join_all().await.iter().sum::<usize>(), 50);
    }
    place.finish(&store).await;
}
