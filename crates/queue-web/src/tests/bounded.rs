//! What a page costs the store, however much the store holds.

use super::{dashboard, enqueue, fail_one, get, memory, new_job};
use crate::{Dashboard, routes::table};
use async_trait::async_trait;
use futures_util::future::join_all;
use http::Method;
use parking_lot::Mutex;
use queue_core::{
    Detail, Failure, JobAttempts, JobId, JobRecord, ListQuery, Page, QueueName, QueuesPage, QueuesQuery,
    Result, SeriesPage, SeriesQuery, Stamped, Storage, StorageLayer, WorkerInfo, lifecycle::Cause,
};
use std::{collections::BTreeMap, sync::Arc};

/// Counts the calls of a store that read, and what they read.
#[derive(Debug)]
struct CountedStore {
    store: Arc<dyn Storage>,
    calls: Mutex<BTreeMap<&'static str, u64>>,
    records: Mutex<u64>,
}

impl CountedStore {
    fn count(&self, verb: &'static str, records: usize) {
        *self.calls.lock().entry(verb).or_default() += 1;
        *self.records.lock() += records as u64;
    }

    /// The calls and records since the last time.
    fn taken(&self) -> (u64, u64) {
        let calls = std::mem::take(&mut *self.calls.lock());
        (calls.values().sum(), std::mem::take(&mut *self.records.lock()))
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
        self.count("get", ids.len());
        self.store.get(queue, ids, what).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        let page = self.store.list(query).await?;
        self.count("list", page.jobs.len());
        Ok(page)
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        self.count("attempts", ids.len());
        self.store.attempts(queue, ids).await
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        let page = self.store.queues(query).await?;
        self.count("queues", page.queues.len());
        Ok(page)
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        self.count("workers", 0);
        self.store.workers().await
    }

    async fn read_series(&self, query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        self.count("read_series", 0);
        self.store.read_series(query).await
    }
}

/// The most calls of each page, and the most records that they may bring.
const BOUNDS: [(&str, u64, u64); 10] = [
    ("/", 6, 600),
    ("/queue", 7, 600),
    ("/jobs", 3, 600),
    ("/job", 3, 600),
    ("/errors", 3, 1_600),
    ("/kinds", 6, 600),
    ("/workers", 3, 600),
    ("/schedules", 7, 600),
    ("/operations", 10, 200),
    // It looks at a hundred queues; its own bounds are tested with it.
    ("/doctor", 800, 80_000),
];

async fn full_store() -> Arc<CountedStore> {
    let store = memory();
    for batch in 0..100 {
        let jobs = (0..500).map(|number| new_job(&format!("{batch}-{number}"), "k", "1")).collect();
        enqueue(&store, "mail", jobs).await;
    }
    for number in 0..700 {
        fail_one(&store, "mail", "w", Failure::new("E", format!("no {number}")), Cause::Terminal).await;
    }
    for number in 0..60 {
        enqueue(&store, &format!("queue-{number}"), vec![new_job("a", "k", "1")]).await;
    }
    Arc::new(CountedStore { store, calls: Mutex::default(), records: Mutex::default() })
}

#[tokio::test]
async fn each_page_makes_few_calls_and_reads_few_records_of_a_full_store() {
    let store = full_store().await;
    for route in table().iter().filter(|route| route.method == Method::GET) {
        if matches!(route.path, "/login" | "/changes") {
            continue;
        }
        let (_, calls_max, records_max) = BOUNDS
            .iter()
            .find(|(path, ..)| *path == route.path)
            .unwrap_or_else(|| panic!("{} has no bound", route.path));
        let dashboard: Dashboard = dashboard(store.clone());
        store.taken();
        let got = get(&dashboard, &format!("{}?queue=mail&id=0-1&state=failed", route.path)).await;
        assert!(got.status.is_success() || route.path == "/job", "{}: {}", route.path, got.status);
        let (calls, records) = store.taken();
        assert!((1..=*calls_max).contains(&calls), "{}: {calls} calls", route.path);
        assert!(records <= *records_max, "{}: {records} records", route.path);
    }
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
