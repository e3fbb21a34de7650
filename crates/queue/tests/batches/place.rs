//! Where the store of a case is: a place of its own, which is cleared behind it.

use crate::{remote::behind_a_server, stage::Stage};
use queue::{
    FsOptions, FsStorage, ManualClock, MemoryStorage, PostgresOptions, PostgresStorage, RedisOptions,
    RedisStorage, SqliteOptions, SqliteStorage, Storage,
    queue_core::{Clock, Prune, PruneRequest, QueueName},
    sqlx::{self, AssertSqlSafe, Connection, PgConnection},
};
use std::{
    process,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tempfile::TempDir;

/// More than a case leaves.
const RECORDS_MAX: usize = 10_000;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Store {
    Memory,
    Files,
    Sqlite,
    Postgres,
    Redis,
    RedisCluster,
    /// The store in memory behind a server.
    Remote,
}

/// A place for one store.
pub(crate) struct Place {
    store: Store,
    clock: Arc<ManualClock>,
    directory: TempDir,
    /// Where the server is, and the schema or namespace that no other place has.
    url: String,
    space: String,
}

impl Store {
    /// The name of its server, as `QUEUE_TEST_SKIP` has it, and the variable that says where it is.
    fn server(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Memory | Self::Files | Self::Sqlite | Self::Remote => None,
            Self::Postgres => Some(("postgres", "QUEUE_TEST_POSTGRES_URL")),
            Self::Redis => Some(("redis", "QUEUE_TEST_REDIS_URL")),
            Self::RedisCluster => Some(("redis-cluster", "QUEUE_TEST_REDIS_CLUSTER_URL")),
        }
    }
}

impl Place {
    /// A new place; none if its server is skipped.
    pub(crate) fn of(store: Store) -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let url = match store.server() {
            None => String::new(),
            Some((name, variable)) => {
                let Ok(url) = std::env::var(variable) else {
                    let skipped = std::env::var("QUEUE_TEST_SKIP").unwrap_or_default();
                    let is_skipped = skipped.split(',').any(|skipped| skipped.trim() == name);
                    assert!(is_skipped, "{variable} does not say where a server is");
                    return None;
                };
                url
            }
        };
        let space = format!("batches_{}_{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let directory = tempfile::tempdir().expect("a directory");
        Some(Self { store, clock: Arc::new(ManualClock::default()), directory, url, space })
    }

    pub(crate) async fn stage(&self) -> Stage {
        Stage::on(self.open().await, self.clock.clone())
    }

    async fn open(&self) -> Arc<dyn Storage> {
        let clock: Arc<dyn Clock> = self.clock.clone();
        let path = self.directory.path().join("jobs");
        match self.store {
            Store::Memory => Arc::new(MemoryStorage::with_clock(clock)),
            Store::Remote => behind_a_server(Arc::new(MemoryStorage::with_clock(clock))).await,
            Store::Files => {
                let options = FsOptions::new(path).clock(clock);
                Arc::new(FsStorage::open(options).await.expect("opens"))
            }
            Store::Sqlite => {
                let options = SqliteOptions::new(path).clock(clock);
                Arc::new(SqliteStorage::open(options).await.expect("opens"))
            }
            Store::Postgres => {
                let options = PostgresOptions::new(&self.url).expect("a URL");
                let options = options.schema(&self.space).expect("a name").clock(clock);
                Arc::new(PostgresStorage::open(options).await.expect("opens"))
            }
            Store::Redis | Store::RedisCluster => {
                let url = format!("{}?namespace={}", self.url, self.space);
                let options = RedisOptions::new(&url).expect("a URL").clock(clock);
                Arc::new(RedisStorage::open(options).await.expect("opens"))
            }
        }
    }

    /// Takes from a server what the case left there.
    pub(crate) async fn clear(self) {
        match self.store {
            Store::Memory | Store::Files | Store::Sqlite | Store::Remote => {}
            Store::Postgres => {
                let mut server = PgConnection::connect(&self.url).await.expect("it connects");
                let drop = format!("DROP SCHEMA {} CASCADE", self.space);
                sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut server).await.expect("it is dropped");
            }
            Store::Redis | Store::RedisCluster => {
                let queue = QueueName::new("imports").expect("a name");
                let all = PruneRequest { queue, what: Prune::Everything, limit: RECORDS_MAX };
                self.open().await.prune(all).await.expect("it prunes");
            }
        }
    }
}
