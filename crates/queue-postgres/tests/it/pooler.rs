//! The store behind PgBouncer in transaction mode, where every transaction may run on another
//! server connection. `cargo xtask services run pgbouncer -- cargo test` starts a PgBouncer and
//! sets the variable.

use crate::common::{self, assert_sound, claim, complete, enqueue, job, queue, server, settle};
use queue_core::{Detail, EventReach, JobId, State, Storage, StorageExt};
use queue_postgres::{Pooler, PostgresOptions, PostgresStorage};
use server::{Failure, TestSchema, new_schema};
use std::{env, sync::Arc};
use tokio::task::JoinSet;

const URL: &str = "QUEUE_TEST_PGBOUNCER_URL";
const SKIP: &str = "QUEUE_TEST_SKIP";
const TASKS: usize = 16;
const JOBS_EACH: usize = 20;

/// A schema, and the options of stores on it through the pooler; none if the environment skips it.
fn place() -> Result<Option<(TestSchema, PostgresOptions)>, Failure> {
    let is_skipped =
        |name| env::var(SKIP).unwrap_or_default().split(',').any(|skipped| skipped.trim() == name);
    if is_skipped("pgbouncer") || server::url().is_none() {
        return Ok(None);
    }
    let url = env::var(URL).map_err(|_| format!("{URL} is not set, and {SKIP} does not name pgbouncer"))?;
    let schema = new_schema()?;
    let options = PostgresOptions::new(&url)?.schema(&schema.name)?.pooler(Pooler::Transactions);
    Ok(Some((schema, options)))
}

async fn work(store: Arc<PostgresStorage>, task: usize) {
    for n in 0..JOBS_EACH {
        enqueue(&*store, vec![job(&format!("{task}-{n}")), job(&format!("{task}-{n}-b"))]).await;
        let claimed = claim(&*store, 3).await.jobs;
        let settles = claimed.iter().map(|held| {
            let policy = queue_core::lifecycle::Policy::default();
            queue_core::lifecycle::decide(&held.record.meta, complete(held.token), &policy)
                .expect("it is held")
        });
        let request = common::request(1, queue_core::Span::from_secs(60));
        store.apply(settles.collect()).await.expect("it settles");
        for held in store.claim(request).await.expect("it claims").jobs {
            settle(&*store, &held.record.meta, complete(held.token)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_works_without_a_session() {
    let Some((schema, options)) = place().unwrap() else { return };
    let store = Arc::new(PostgresStorage::open(options).await.unwrap());
    assert_eq!(store.capabilities().events, EventReach::None);
    let tasks: JoinSet<_> = (0..TASKS).map(|task| work(store.clone(), task)).collect();
    tasks.join_all().await;
    let mut left = claim(&*store, 10_000).await.jobs;
    for held in left.drain(..) {
        settle(&*store, &held.record.meta, complete(held.token)).await;
    }
    let counts = store.counts(&queue()).await.unwrap();
    assert_eq!(counts.of(State::Completed), (TASKS * JOBS_EACH * 2) as u64);
    let found = store.get_one(&queue(), &JobId::from_static("0-0"), Detail::Full).await.unwrap().unwrap();
    assert!(found.result().is_some());
    assert_sound(&*store).await;
    store.close().await.unwrap();
    schema.remove().await.unwrap();
}
