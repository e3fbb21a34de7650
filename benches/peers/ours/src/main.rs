//! This project, by its public API. The worker has a handle of its own, as in a process of its own,
//! except for the stores of one process: memory, and files, where a second handle would be a second
//! process with its own journal.

use std::ops::Range;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use peers_common::{Job, Peer, Producer, Profile, Setup, handled, run_worker};
use queue::prelude::*;
use queue::worker::{Context, JobError, Router};

const QUEUE: &str = "peers";
const WAIT_MAX: Duration = Duration::from_secs(30);
/// Jobs that the worker holds ready, where throughput alone counts.
const PREFETCH: usize = 4000;

type Jobs = Queue<Job, u64>;

struct Ours {
    url: String,
    jobs: Jobs,
}

impl Peer for Ours {
    type Producer = OurProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let url = match setup.store.as_str() {
            "memory" => "memory:".to_owned(),
            "files" => format!("file:{}", setup.path("jobs").display()),
            "sqlite" => format!("sqlite:{}", setup.path("jobs.db").display()),
            "postgres" | "redis" => setup.url().to_owned(),
            other => bail!("no store {other}"),
        };
        Ok(Self { jobs: Queue::new(open(&url).await?, QUEUE)?, url })
    }

    fn producer(&self) -> OurProducer {
        OurProducer(self.jobs.clone())
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let is_of_one_process = self.url.starts_with("memory:") || self.url.starts_with("file:");
        let jobs =
            if is_of_one_process { self.jobs.clone() } else { Queue::new(open(&self.url).await?, QUEUE)? };
        let builder = jobs.worker(Router::new(()).handle("default", handle)?);
        let builder = match profile {
            Profile::Default => builder,
            Profile::Tuned => builder.prefetch(PREFETCH),
        };
        run_worker(builder.build()?.run());
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        Ok(self.jobs.counts().await?.unfinished())
    }

    fn settings(&self, profile: Profile) -> String {
        match profile {
            Profile::Default => "64 handlers, prefetch by itself; results kept for an hour".to_owned(),
            Profile::Tuned => format!("64 handlers, prefetch {PREFETCH}; results kept for an hour"),
        }
    }
}

struct OurProducer(Jobs);

impl Producer for OurProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        self.0.enqueue(Id::Generated, Job::new(n)).await?;
        Ok(())
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        let jobs = numbers.map(|n| (Id::Generated, Job::new(n)));
        self.0.enqueue_many(jobs, JobOptions::new()).await?;
        Ok(())
    }

    async fn call(&mut self, n: u64) -> Result<()> {
        let result = self.0.enqueue_and_wait(Id::Generated, Job::new(n), WAIT_MAX).await?;
        ensure!(result == n, "the result of {n} is {result}");
        Ok(())
    }
}

async fn handle(job: Job, _: Context) -> Result<u64, JobError> {
    handled(job.n);
    Ok(job.n)
}

fn main() -> ExitCode {
    peers_common::main::<Ours>()
}
