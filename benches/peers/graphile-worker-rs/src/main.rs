//! `graphile_worker`, the port of Graphile Worker to Rust. It keeps no results.

use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use graphile_worker::{
    IntoTaskHandlerResult, JobSpec, LocalQueueConfig, RawJobSpec, TaskHandler, WorkerContext, WorkerOptions,
    WorkerUtils,
};
use peers_common::{Job, Peer, Producer, Profile, Setup, handled, run_worker};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;

const SCHEMA: &str = "graphile_worker";
/// Handlers, jobs fetched ahead, and connections, where throughput alone counts.
const CONCURRENCY: usize = 24;
const AHEAD: usize = 500;
const CONNECTIONS: u32 = 20;
const SETTLE_EVERY: Duration = Duration::from_millis(1);

struct Graphile {
    url: String,
    pool: PgPool,
}

impl Peer for Graphile {
    type Producer = GraphileProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let url = setup.url().to_owned();
        let pool = PgPool::connect(&url).await?;
        WorkerUtils::new(pool.clone(), SCHEMA).migrate().await?;
        Ok(Self { url, pool })
    }

    fn producer(&self) -> GraphileProducer {
        GraphileProducer(WorkerUtils::new(self.pool.clone(), SCHEMA))
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let options = WorkerOptions::default().schema(SCHEMA).define_job::<Task>().database_url(&self.url);
        let options = match profile {
            Profile::Default => options,
            Profile::Tuned => options
                .concurrency(CONCURRENCY)
                .local_queue(LocalQueueConfig::default().with_size(AHEAD))
                .max_pg_conn(CONNECTIONS)
                .complete_job_batch_delay(SETTLE_EVERY)
                .fail_job_batch_delay(SETTLE_EVERY),
        };
        let worker = options.init().await?;
        run_worker(async move { worker.run().await });
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM graphile_worker._private_jobs";
        let (count,): (i64,) = sqlx::query_as(sql).fetch_one(&self.pool).await?;
        Ok(count.try_into()?)
    }

    fn settings(&self, profile: Profile) -> String {
        match profile {
            Profile::Default => "a handler for each processor; finished jobs removed".to_owned(),
            Profile::Tuned => format!(
                "concurrency {CONCURRENCY}, local queue of {AHEAD}, settles gathered for 1 ms, {CONNECTIONS} connections; finished jobs removed"
            ),
        }
    }
}

struct GraphileProducer(WorkerUtils);

impl Producer for GraphileProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        self.0.add_job(Task(Job::new(n)), JobSpec::default()).await?;
        Ok(())
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        let jobs = numbers.map(|n| {
            let payload = serde_json::to_value(Job::new(n))?;
            Ok(RawJobSpec { identifier: Task::IDENTIFIER.into(), payload, spec: JobSpec::default() })
        });
        self.0.add_raw_jobs(&jobs.collect::<Result<Vec<_>>>()?).await?;
        Ok(())
    }
}

#[derive(Deserialize, Serialize)]
struct Task(Job);

impl TaskHandler for Task {
    const IDENTIFIER: &'static str = "job";

    async fn run(self, _: WorkerContext) -> impl IntoTaskHandlerResult {
        handled(self.0.n);
        Ok::<(), String>(())
    }
}

fn main() -> ExitCode {
    peers_common::main::<Graphile>()
}
