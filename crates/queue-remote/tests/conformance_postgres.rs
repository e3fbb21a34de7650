//! The conformance suite through servers, over a schema of its own for each case. Each handle has a
//! server of its own: several of them over one database are as good as one.

mod common;

use async_trait::async_trait;
use common::harness::{RemoteHarness, Servers};
use queue_core::{Clock, Storage};
use queue_postgres::{
    PostgresOptions, PostgresStorage,
    sqlx::{self, AssertSqlSafe, Connection, PgConnection},
};
use queue_testkit::{Failure, Harness, Place};
use std::{
    collections::hash_map::RandomState,
    env,
    hash::{BuildHasher, Hasher},
    process::ExitCode,
    sync::Arc,
};

const URL: &str = "QUEUE_TEST_POSTGRES_URL";
const SKIP: &str = "QUEUE_TEST_SKIP";

fn main() -> ExitCode {
    if env::var(SKIP).unwrap_or_default().split(',').any(|name| name.trim() == "postgres") {
        println!("skipped: {SKIP} names postgres");
        return ExitCode::SUCCESS;
    }
    let url = env::var(URL).unwrap_or_else(|_| {
        panic!("{URL} is not set: run this with `cargo xtask services run postgres`, or set {SKIP}=postgres")
    });
    let behind = Arc::new(PostgresHarness { url });
    let snapshot = "conformance_postgres.snapshot";
    queue_testkit::run(
        "remote-postgres",
        RemoteHarness { behind, servers: Servers::PerHandle, reopens: true, snapshot },
    )
}

struct PostgresHarness {
    url: String,
}

#[async_trait]
impl Harness for PostgresHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        // Random, so that none was left behind by an earlier process.
        let schema = format!("remote {:016x}", RandomState::new().build_hasher().finish());
        Ok(Box::new(SchemaPlace { url: self.url.clone(), schema, clock }))
    }
}

/// One schema, dropped at the end.
#[derive(Debug)]
struct SchemaPlace {
    url: String,
    schema: String,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Place for SchemaPlace {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let options = PostgresOptions::new(&self.url)?.schema(&self.schema)?;
        let options = options.connections_max(4).clock(self.clock.clone());
        Ok(Arc::new(PostgresStorage::open(options).await?))
    }

    async fn clean_up(&self) -> Result<(), Failure> {
        let text =
            format!("SET client_min_messages = error; DROP SCHEMA IF EXISTS \"{}\" CASCADE", self.schema);
        let mut connection = PgConnection::connect(&self.url).await?;
        sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut connection).await?;
        connection.close().await?;
        Ok(())
    }
}
