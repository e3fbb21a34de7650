//! `rusty-sidekiq`. A job leaves Redis by BRPOP before its handler runs, so a crash loses it, and
//! the store cannot tell a finished job from a running one.

use std::process::ExitCode;

use anyhow::Result;
use async_trait::async_trait;
use peers_common::{Job, Peer, Producer, Profile, Setup, handled, run_worker};
use sidekiq::{Processor, ProcessorConfig, RedisConnectionManager, RedisPool, Worker, WorkerOpts};

const QUEUE: &str = "peers";
const WORKERS: usize = 50;
/// A connection for each worker, and some for what the processor does besides.
const CONNECTIONS: u32 = 64;

struct Sidekiq {
    url: String,
    pool: RedisPool,
}

impl Peer for Sidekiq {
    type Producer = SidekiqProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let manager = RedisConnectionManager::new(setup.url())?;
        Ok(Self { url: setup.url().to_owned(), pool: bb8::Pool::builder().build(manager).await? })
    }

    fn producer(&self) -> SidekiqProducer {
        SidekiqProducer(self.pool.clone())
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let (builder, manager) = (bb8::Pool::builder(), RedisConnectionManager::new(self.url.as_str())?);
        let queues = vec![QUEUE.to_owned()];
        let mut processor = match profile {
            Profile::Default => Processor::new(builder.build(manager).await?, queues),
            Profile::Tuned => {
                let pool = builder.max_size(CONNECTIONS).build(manager).await?;
                Processor::new(pool, queues).with_config(ProcessorConfig::default().num_workers(WORKERS))
            }
        };
        processor.register(Handler);
        run_worker(processor.run());
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let mut connection = self.pool.get().await?;
        let mut asked = redis::pipe();
        asked.llen(format!("queue:{QUEUE}")).zcard("retry");
        let (queued, to_retry): (u64, u64) = asked.query_async(connection.unnamespaced_borrow_mut()).await?;
        Ok(queued + to_retry)
    }

    fn settings(&self, profile: Profile) -> String {
        let durability = "a job leaves Redis before its handler runs, so a crash loses it";
        match profile {
            Profile::Default => format!("a worker for each processor, 10 connections; {durability}"),
            Profile::Tuned => format!("{WORKERS} workers, {CONNECTIONS} connections; {durability}"),
        }
    }
}

struct SidekiqProducer(RedisPool);

impl Producer for SidekiqProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        Handler::perform_async(&self.0, Job::new(n)).await?;
        Ok(())
    }
}

#[derive(Clone)]
struct Handler;

#[async_trait]
impl Worker<Job> for Handler {
    fn opts() -> WorkerOpts<Job, Self> {
        WorkerOpts::new().queue(QUEUE)
    }

    async fn perform(&self, job: Job) -> sidekiq::Result<()> {
        handled(job.n);
        Ok(())
    }
}

fn main() -> ExitCode {
    peers_common::main::<Sidekiq>()
}
