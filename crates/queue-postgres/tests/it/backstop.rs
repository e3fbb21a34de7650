//! A worker whose listening connection is lost and cannot be restored: it finds the next job by
//! polling the store, which it does in any case.

use crate::common::{Place, queue};
use crate::storm::{application, end_listener, proxy_of, through};
use async_trait::async_trait;
use queue_core::{
    ClaimRequest, Claimed, ContentType, JobId, Kind, NewJob, Payload, Result, Storage, StorageLayer,
};
use queue_postgres::{PostgresOptions, PostgresStorage};
use queue_testkit::proxy::Traffic;
use queue_worker::{Context, JobError, Router, Worker};
use sqlx::PgConnection;
use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};

const JOBS: usize = 5;
/// The longest time that a test may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A layer that notes what the worker's claims find.
#[derive(Debug)]
struct Watched {
    store: Arc<PostgresStorage>,
    seen: Mutex<Seen>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The jobs whose producer got the answer that they are stored.
    stored: usize,
    found: usize,
    /// The claims that found nothing, and how many of them began after something was stored.
    idle: usize,
    missed: usize,
}

impl Watched {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().expect("nobody panics")
    }

    async fn wait_until(&self, holds: impl Fn(&Seen) -> bool) {
        let until = async {
            while !holds(&self.seen()) {
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(PATIENCE, until).await.expect("the worker looks");
    }
}

#[async_trait]
impl StorageLayer for Watched {
    type Inner = PostgresStorage;

    fn inner(&self) -> &PostgresStorage {
        &self.store
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let stored = self.seen().stored;
        let claimed = self.store.claim(request).await?;
        let mut seen = self.seen();
        seen.found += claimed.jobs.len();
        if claimed.jobs.is_empty() {
            seen.idle += 1;
            seen.missed += usize::from(stored > seen.found);
        }
        Ok(claimed)
    }
}

async fn listeners(place: &Place, connection: &mut PgConnection) -> i64 {
    let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND query LIKE 'LISTEN%'";
    let counted = sqlx::query_as(count).bind(application(&place.schema)).fetch_one(connection).await;
    let (count,): (i64,) = counted.expect("the server answers");
    count
}

fn job(n: usize) -> NewJob {
    let payload = Payload::new("null", ContentType::from_static("application/json"));
    NewJob::new(JobId::new(n.to_string()).expect("a valid id"), Kind::from_static("work"), payload)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_listener_the_next_look_finds_the_next_job() {
    let Some(place) = Place::new().await else { return };
    let proxy = proxy_of(&place.schema.url);
    let url =
        format!("{}?application_name={}", through(&proxy, &place.schema.url), application(&place.schema));
    let options = PostgresOptions::new(&url).unwrap().schema(&place.schema.name).unwrap();
    let store = Arc::new(PostgresStorage::open(options).await.unwrap());
    let watched = Arc::new(Watched { store: store.clone(), seen: Mutex::default() });
    let (started, mut starts) = mpsc::unbounded_channel();
    let router = Router::new(started).handle("work", async |(): (), job: Context<_>| {
        let started: &mpsc::UnboundedSender<String> = job.state();
        started.send(job.meta().id.to_string()).map_err(JobError::retryable)
    });
    let worker = Worker::builder(watched.clone(), queue(), router.unwrap())
        .poll_interval(Duration::from_millis(100))
        .build()
        .unwrap();
    let test = async {
        let (producer, mut connection) = (place.open().await, place.schema.connect().await.unwrap());
        while listeners(&place, &mut connection).await == 0 {}
        // Open connections keep working; new ones are refused.
        proxy.set(Traffic::Refuse).await.unwrap();
        assert!(end_listener(&place.schema).await);
        while listeners(&place, &mut connection).await > 0 {}
        for n in 0..JOBS {
            // A worker that has just ended a job claims at once; a worker whose claim found nothing
            // waits for its time.
            let idle = watched.seen().idle;
            watched.wait_until(|seen| seen.idle > idle).await;
            producer.enqueue(&queue(), vec![vec![job(n)]]).await.unwrap();
            watched.seen().stored += 1;
            assert_eq!(timeout(PATIENCE, starts.recv()).await.expect("it starts"), Some(n.to_string()));
        }
        assert_eq!(watched.seen().missed, 0, "the first look after each job finds it");
        assert_eq!(listeners(&place, &mut connection).await, 0, "nobody told it to look");
        worker.stop_token().cancel();
    };
    tokio::join!(worker.run(), test);
    proxy.set(Traffic::Pass).await.unwrap();
    store.close().await.unwrap();
    let last = place.open().await;
    place.finish(&last).await;
}
