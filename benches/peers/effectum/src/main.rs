//! effectum, a queue in a SQLite file. It has no call that waits for a result, so callers ask for
//! the state of their job.

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use effectum::{Job as EffectumJob, JobRunner, JobState, Queue, RunningJob, Worker};
use peers_common::{Job, Peer, Producer, Profile, Setup, handled};

const KIND: &str = "job";
/// As few jobs as a worker fetches, and as many as it runs, where throughput alone counts.
const CONCURRENCY: (u16, u16) = (128, 512);
/// How often a caller asks for the state of its job.
const ASK_EVERY: Duration = Duration::from_millis(1);
/// Where the header of a SQLite file says what its journal is, and what stands there for WAL.
const JOURNAL: (usize, u8) = (18, 2);

struct Effectum {
    queue: Arc<Queue>,
    path: PathBuf,
}

impl Peer for Effectum {
    type Producer = EffectumProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let path = setup.path("jobs.db");
        Ok(Self { queue: Arc::new(Queue::new(&path).await?), path })
    }

    fn producer(&self) -> EffectumProducer {
        EffectumProducer(self.queue.clone())
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let runner = JobRunner::builder(KIND, handle).build();
        let builder = Worker::builder(&self.queue, Arc::new(())).jobs(vec![runner]);
        let (least, most) = CONCURRENCY;
        let builder = match profile {
            Profile::Default => builder,
            Profile::Tuned => builder.min_concurrency(least).max_concurrency(most),
        };
        std::mem::forget(builder.build().await?);
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let jobs = self.queue.num_active_jobs().await?;
        Ok(jobs.pending + jobs.running)
    }

    fn settings(&self, profile: Profile) -> String {
        let (at, wal) = JOURNAL;
        let is_wal = std::fs::read(&self.path).is_ok_and(|file| file.get(at) == Some(&wal));
        // What NORMAL leaves out depends on the journal.
        let durability = if is_wal {
            "WAL, synchronous=NORMAL: a power cut can lose the newest"
        } else {
            "rollback journal, synchronous=NORMAL: each commit is flushed, with fewer flushes than by FULL"
        };
        match profile {
            Profile::Default => format!("concurrency 1; {durability}"),
            Profile::Tuned => {
                let (least, most) = CONCURRENCY;
                format!("fetches at {least}, concurrency {most}; {durability}")
            }
        }
    }
}

struct EffectumProducer(Arc<Queue>);

impl Producer for EffectumProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        EffectumJob::builder(KIND).json_payload(&Job::new(n))?.add_to(&self.0).await?;
        Ok(())
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        let jobs = numbers.map(|n| Ok(EffectumJob::builder(KIND).json_payload(&Job::new(n))?.build()));
        self.0.add_jobs(jobs.collect::<Result<_>>()?).await?;
        Ok(())
    }

    async fn call(&mut self, n: u64) -> Result<()> {
        let id = EffectumJob::builder(KIND).json_payload(&Job::new(n))?.add_to(&self.0).await?;
        loop {
            match self.0.get_job_status(id).await?.state {
                JobState::Succeeded => return Ok(()),
                JobState::Failed | JobState::Cancelled => bail!("job {n} did not succeed"),
                _ => tokio::time::sleep(ASK_EVERY).await,
            }
        }
    }
}

async fn handle(job: RunningJob, _: Arc<()>) -> Result<u64, String> {
    let job: Job = job.json_payload().map_err(|error| error.to_string())?;
    handled(job.n);
    Ok(job.n)
}

fn main() -> ExitCode {
    peers_common::main::<Effectum>()
}
