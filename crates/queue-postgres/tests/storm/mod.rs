//! Faults that strike stores while they work: after so many calls the server or the connection to
//! it is harmed, a bounded number of times, and then never again.
#![allow(dead_code, unused_imports, reason = "each test file uses a part")]

mod stormy;
mod strikes;

pub(crate) use strikes::{
    Crashes, LostReplies, Strike, Terminations, end_listener, in_database, proxy_of, through,
};

use crate::common::server::{TestSchema, new_schema, url};
use async_trait::async_trait;
use queue_core::{Clock, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};
use queue_testkit::{Facility, Failure, Harness, Place};
use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};
use stormy::Stormy;

/// How often a storm strikes. A workload makes several hundred calls, and must end without faults.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rhythm {
    pub(crate) calls_between: usize,
    pub(crate) strikes_max: usize,
}

impl Rhythm {
    /// Something is always broken.
    pub(crate) const OFTEN: Self = Self { calls_between: 9, strikes_max: 30 };
    /// For faults from which the server takes a while to recover.
    pub(crate) const SELDOM: Self = Self { calls_between: 60, strikes_max: 4 };
}

/// The variable with the number of workloads, for longer runs.
const ROUNDS: &str = "QUEUE_TEST_FAULT_ROUNDS";

/// The number of workloads of each kind.
pub(crate) fn rounds() -> u64 {
    env::var(ROUNDS).map_or(2, |text| text.parse().expect("QUEUE_TEST_FAULT_ROUNDS is a number"))
}

/// Makes schemas whose stores a storm strikes; `begin` makes the storm.
pub(crate) struct StormHarness<B>(pub(crate) B);

#[async_trait]
impl<B: Begin> Harness for StormHarness<B> {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        let schema = new_schema()?;
        let strike = self.0.begin(&schema).await?;
        Ok(Box::new(StormPlace { storm: Arc::new(Storm::new(strike)), schema, clock }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle]
    }
}

/// Prepares the strikes on the stores of one schema.
#[async_trait]
pub(crate) trait Begin: Send + Sync + 'static {
    async fn begin(&self, schema: &TestSchema) -> Result<Box<dyn Strike>, Failure>;
}

#[derive(Debug)]
struct StormPlace {
    schema: TestSchema,
    storm: Arc<Storm>,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Place for StormPlace {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let url = self.storm.strike.url(&url().ok_or("there is no server")?);
        let named = format!("{url}?application_name={}", application(&self.schema));
        let options = PostgresOptions::new(&named)?.schema(&self.schema.name)?;
        let options = options.connections_max(4).clock(self.clock.clone());
        Ok(Arc::new(Stormy { store: PostgresStorage::open(options).await?, storm: self.storm.clone() }))
    }

    async fn clean_up(&self) -> Result<(), Failure> {
        let strikes = self.storm.strikes.load(SeqCst);
        assert_eq!(
            strikes,
            self.storm.strike.rhythm().strikes_max,
            "the workload was long enough for all strikes, and for some peace"
        );
        self.schema.remove().await
    }
}

/// The name under which the server lists the store's sessions.
pub(crate) fn application(schema: &TestSchema) -> String {
    schema.name.replace(' ', "_")
}

/// Counts calls, and strikes.
#[derive(Debug)]
pub(crate) struct Storm {
    strike: Box<dyn Strike>,
    calls: AtomicUsize,
    strikes: AtomicUsize,
}

impl Storm {
    fn new(strike: Box<dyn Strike>) -> Self {
        Self { strike, calls: AtomicUsize::new(0), strikes: AtomicUsize::new(0) }
    }

    /// Counts one more call, and strikes when it is time. Other calls are under way.
    async fn pass(&self, store: &PostgresStorage) {
        let Rhythm { calls_between, strikes_max } = self.strike.rhythm();
        let call = self.calls.fetch_add(1, SeqCst) + 1;
        if !call.is_multiple_of(calls_between) || call / calls_between > strikes_max + 1 {
            return;
        }
        if call / calls_between == strikes_max + 1 {
            self.strike.calm().await;
            // A call finds out here what the last strike broke.
            while store.workers().await.is_err() {}
            return;
        }
        self.strikes.fetch_add(1, SeqCst);
        self.strike.strike().await;
    }
}
