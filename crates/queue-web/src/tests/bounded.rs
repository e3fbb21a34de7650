//! What a page costs the store, however much the store holds.

use super::{client, dashboard, enqueue, fail_one, get, memory, new_job};
use crate::{Dashboard, routes::table};
use async_trait::async_trait;
use futures_util::future::join_all;
use http::Method;
use parking_lot::Mutex;
use queue::Raw;
use queue_core::{
    Applied, Counts, Detail, Failure, Finding, JobAttempts, JobId, JobRecord, Limit, LimitScope, ListQuery,
    Page, Partition, PartitionPage, PartitionQuery, QueueName, QueuesPage, QueuesQuery, Result, SeriesPage,
    SeriesQuery, Stamped, Storage, StorageLayer, WorkerInfo,
    lifecycle::{Cause, Transition},
};
use std::{collections::BTreeMap, sync::Arc};

/// Counts the calls of a store that read, what they ask for, and what the store looked at for it.
#[derive(Debug)]
struct CountedStore {
    store: Arc<dyn Storage>,
    calls: Mutex<BTreeMap<&'static str, u64>>,
    rows: Mutex<ReadRows>,
}

/// Jobs, queues and entries of series.
#[derive(Clone, Copy, Debug, Default)]
struct ReadRows {
    asked: u64,
    looked_at: u64,
}

impl CountedStore {
    fn count(&self, verb: &'static str, asked: usize, looked_at: u64) {
        *self.calls.lock().entry(verb).or_default() += 1;
        let mut rows = self.rows.lock();
        rows.asked += asked as u64;
        rows.looked_at += looked_at;
    }

    /// The calls and rows since the last time.
    fn taken(&self) -> (u64, ReadRows) {
        let calls = std::mem::take(&mut *self.calls.lock());
        (calls.values().sum(), std::mem::take(&mut *self.rows.lock()))
    }
}

#[async_trait]
impl StorageLayer for CountedStore {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.count("get", ids.len(), ids.len() as u64);
        self.store.get(queue, ids, what).await
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.count("apply", 0, 0);
        self.store.apply(batch).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        let asked = query.limit;
        let page = self.store.list(query).await?;
        self.count("list", asked, page.looked_at);
        Ok(page)
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        self.count("attempts", ids.len(), ids.len() as u64);
        self.store.attempts(queue, ids).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        let asked = query.limit();
        let page = self.store.queues(query).await?;
        self.count("queues", asked, page.queues.len() as u64);
        Ok(page)
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        self.count("limits", 0, 0);
        self.store.limits(queue).await
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        let asked = query.page_limit();
        let page = self.store.partitions(query).await?;
        self.count("partitions", asked, page.partitions.len() as u64);
        Ok(page)
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        let workers = self.store.workers().await?;
        self.count("workers", 0, workers.len() as u64);
        Ok(workers)
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        let asked = query.limit();
        let found = self.store.read_series(query).await?;
        self.count("read_series", asked, found.value.entries.len() as u64);
        Ok(found)
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        self.count("counts", 0, 0);
        self.store.counts(queue).await
    }

    async fn diagnose(&self) -> Result<Vec<Finding>> {
        self.count("diagnose", 0, 0);
        self.store.diagnose().await
    }
}

/// The most calls of each page, and the most rows that it asks for, however many there are.
const BOUNDS: [(&str, u64, u64); 14] = [
    ("/", 6, 10_000),
    ("/queue", 9, 11_000),
    ("/jobs", 3, 600),
    ("/job", 3, 600),
    ("/errors", 3, 2_600),
    ("/kinds", 6, 10_000),
    ("/workers", 3, 600),
    ("/schedules", 7, 5_000),
    ("/batches", 5, 1_200),
    ("/batch", 6, 200),
    ("/new-job", 1, 10),
    ("/new-schedule", 1, 10),
    ("/operations", 10, 10_000),
    // It looks at a hundred queues; its own bounds are tested with it.
    ("/doctor", 800, 80_000),
];
/// How many rows a store may look at for one that was asked for: what a filter leaves out is looked
/// at too, up to a bound of the store.
const LOOKED_AT_MAX: u64 = 20_000;
/// The filters of `/jobs`, each of which matches little or nothing of a full store.
const FILTERS: [&str; 8] = [
    "",
    "state=queued",
    "state=completed",
    "kind=nobody",
    "id_prefix=nobody",
    "tag=nobody",
    "worker=nobody",
    "since_ms=3600&kind=nobody&id_prefix=zz",
];

async fn full_store() -> Arc<CountedStore> {
    let store = memory();
    for batch in 0..200 {
        let jobs = (0..500).map(|number| new_job(&format!("{batch}-{number}"), "k", "1")).collect();
        enqueue(&store, "mail", jobs).await;
    }
    for number in 0..700 {
        fail_one(&store, "mail", "w", Failure::new("E", format!("no {number}")), Cause::Terminal).await;
    }
    for number in 0..60 {
        enqueue(&store, &format!("queue-{number}"), vec![new_job("a", "k", "1")]).await;
        client(&store, "mail").batch(format!("import-{number}")).open().await.unwrap();
    }
    let job = |key: String| new_job(&key, "k", "1").with_partition(Partition::new(&key).unwrap());
    enqueue(&store, "mail", (0..2_500).map(|number| job(format!("of-{number}"))).collect()).await;
    counted(store)
}

fn counted(store: Arc<dyn Storage>) -> Arc<CountedStore> {
    Arc::new(CountedStore { store, calls: Mutex::default(), rows: Mutex::default() })
}

/// Checks what was read since the last time.
fn check(store: &CountedStore, what: &str, calls_max: u64, rows_max: u64) {
    let (calls, ReadRows { asked, looked_at }) = store.taken();
    assert!(calls <= calls_max, "{what}: {calls} calls");
    assert!(asked <= rows_max, "{what}: {asked} rows asked for");
    assert!(looked_at <= asked + LOOKED_AT_MAX, "{what}: {looked_at} rows looked at for {asked}");
}

#[tokio::test]
async fn each_page_makes_few_calls_and_asks_for_few_rows_of_a_full_store() {
    let store = full_store().await;
    for route in table().iter().filter(|route| route.method == Method::GET) {
        if matches!(route.path, "/login" | "/changes") {
            continue;
        }
        let (_, calls_max, rows_max) = BOUNDS
            .iter()
            .find(|(path, ..)| *path == route.path)
            .unwrap_or_else(|| panic!("{} has no bound", route.path));
        let dashboard: Dashboard = dashboard(store.clone());
        store.taken();
        let got =
            get(&dashboard, &format!("{}?queue=mail&id=0-1&state=failed&name=import-7", route.path)).await;
        assert!(got.status.is_success() || route.path == "/job", "{}: {}", route.path, got.status);
        check(&store, route.path, *calls_max, *rows_max);
    }
}

#[tokio::test]
async fn the_jobs_errors_schedules_and_batches_of_all_queues_cost_few_reads_of_a_hundred_queues() {
    let store = full_store().await;
    for number in 0..150 {
        let queue = format!("tenant-{number}");
        enqueue(&store.store, &queue, vec![new_job("a", "k", "1")]).await;
        fail_one(&store.store, &queue, "w", Failure::new("E", "no"), Cause::Terminal).await;
    }
    for (path, calls_max, rows_max) in [
        ("/jobs", 110, 7_000),
        ("/jobs?id_prefix=a", 210, 7_000),
        ("/errors", 210, 12_000),
        ("/schedules", 110, 60_000),
        ("/batches", 210, 6_000),
    ] {
        let dashboard: Dashboard = dashboard(store.clone());
        store.taken();
        let got = get(&dashboard, path).await;
        assert!(got.status.is_success() && got.text.contains("were not read"), "{path}: {}", got.text);
        check(&store, path, calls_max, rows_max);
    }
}

#[tokio::test]
async fn a_filter_that_matches_nothing_stops_looking() {
    let store = full_store().await;
    for filter in FILTERS {
        let dashboard: Dashboard = dashboard(store.clone());
        store.taken();
        let got = get(&dashboard, &format!("/jobs?queue=mail&{filter}")).await;
        assert!(got.status.is_success(), "{filter}: {}", got.status);
        check(&store, filter, 3, 600);
    }
}

#[tokio::test]
async fn a_bulk_action_counts_so_many_and_no_more_before_it_asks() {
    let store = full_store().await;
    let dashboard: Dashboard = dashboard(store.clone());
    let page = get(&dashboard, "/jobs?queue=mail").await;
    let proof = page.proof();
    store.taken();
    let form = format!("proof={proof}&queue=mail&action=cancel&state=queued");
    let asked = super::ask(&dashboard, Method::POST, "/bulk", Some(&super::everybody()), &form).await;
    assert!(asked.status.is_success() && asked.text.contains("Cancel: more than 10"), "{}", asked.text);
    check(&store, "/bulk", 40, 20_000);
}

#[tokio::test(start_paused = true)]
async fn fifty_tabs_cost_the_store_what_one_costs() {
    let store = full_store().await;
    let dashboard: Dashboard = dashboard(store.clone());
    store.taken();
    get(&dashboard, "/").await;
    let (of_one, _) = store.taken();
    tokio::time::advance(std::time::Duration::from_mins(1)).await;
    join_all((0..50).map(|_| get(&dashboard, "/"))).await;
    assert_eq!(store.taken().0, of_one);
}

#[tokio::test]
async fn the_page_of_a_batch_steps_through_no_members_that_wait() {
    let store = memory();
    let batch = client(&store, "mail").batch("import").open().await.unwrap();
    let payload = |row: u32| (row.to_string(), Raw(new_job("any", "any", "1").payload));
    batch.add_all((0..1_000).map(payload)).await.unwrap();
    fail_one(&store, "mail", "w", Failure::new("E", "no"), Cause::Terminal).await;
    let store = counted(store);
    let got = get(&dashboard(store.clone()), "/batch?queue=mail&name=import").await;
    assert!(got.text.contains("E: no") && got.text.contains("0.1 % of 1\u{202f}000"), "{}", got.text);
    let (calls, ReadRows { looked_at, .. }) = store.taken();
    assert!(calls <= 6 && looked_at <= 10, "{calls} calls, {looked_at} rows");
}

/// The dashboard made two calls for each job.
#[tokio::test]
async fn a_change_of_a_hundred_jobs_is_two_calls_of_the_store() {
    let inner = memory();
    let ids: Vec<String> = (0..100).map(|number| format!("job-{number}")).collect();
    enqueue(&inner, "mail", ids.iter().map(|id| new_job(id, "k", "1")).collect()).await;
    let store = counted(inner.clone());
    let dashboard = dashboard(store.clone());
    let named: Vec<String> = ids.iter().map(|id| format!("id={id}")).collect();
    let page = get(&dashboard, "/jobs?queue=mail").await;
    let form = format!("proof={}&queue=mail&action=cancel&sure=yes&{}", page.proof(), named.join("&"));
    store.taken();
    let got = super::ask(&dashboard, Method::POST, "/change", Some(&super::everybody()), &form).await;
    assert!(got.location().contains("did=cancel&n=100"), "{} {}", got.status, got.location());
    let (calls, rows) = (store.calls.lock().clone(), *store.rows.lock());
    // The record of the action reads the time, by a read of no job.
    assert_eq!((calls["get"], rows.asked, calls["apply"]), (2, 100, 1), "{calls:?}");
}
