//! The floor of Redis: a key for each job, and lists on which a second connection waits.

use std::ops::Range;

use anyhow::{Result, ensure};
use peers_common::{Job, Peer, Producer, Profile, Setup, Workload, handled, run_worker};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Pipeline, cmd, pipe};

use crate::{ENQUEUE, json, require, settings};

const JOBS: &str = "jobs";
const ANSWERS: &str = "answers";
/// Seconds: for ever.
const NO_TIMEOUT: u32 = 0;

pub(crate) struct RedisFloor {
    client: Client,
    connection: MultiplexedConnection,
    workload: Workload,
}

impl Peer for RedisFloor {
    type Producer = RedisProducer;

    /// There is no floor for 50 calls at once: a worker that answers one job at a time is slower
    /// than a queue, which takes many.
    async fn open(setup: &Setup) -> Result<Self> {
        require(setup, &[ENQUEUE, &[Workload::Pickup, Workload::Call]])?;
        let client = Client::open(setup.url())?;
        Ok(Self { connection: connect(&client).await?, client, workload: setup.workload() })
    }

    fn producer(&self) -> RedisProducer {
        RedisProducer { connection: self.connection.clone(), workload: self.workload }
    }

    async fn start_worker(&self, _: Profile) -> Result<()> {
        run_worker(work(connect(&self.client).await?, self.workload));
        Ok(())
    }

    /// The server holds nothing else.
    async fn unfinished(&self) -> Result<u64> {
        Ok(cmd("DBSIZE").query_async(&mut self.connection.clone()).await?)
    }

    fn settings(&self, profile: Profile) -> String {
        settings(
            profile,
            "a SET a call, one connection; 1,000 in a pipeline; pickup is LPUSH to a BLPOP that waits, a call the same there and back",
        )
    }
}

/// One connection for all callers. A pop may wait longer than the driver waits for an answer by
/// default.
async fn connect(client: &Client) -> Result<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new().set_response_timeout(None);
    Ok(client.get_multiplexed_async_connection_with_config(&config).await?)
}

/// Takes one job after the other. An answer goes out with the command that waits for the next job.
async fn work(mut connection: MultiplexedConnection, workload: Workload) -> Result<()> {
    let mut commands = pipe();
    loop {
        let job: Job = serde_json::from_slice(&popped(&mut commands, JOBS, &mut connection).await?)?;
        handled(job.n);
        commands = pipe();
        if workload == Workload::Call {
            commands.cmd("LPUSH").arg(ANSWERS).arg(job.n).ignore();
        }
    }
}

/// Sends the commands together with one that waits for an element of a list, which is the answer.
async fn popped(
    commands: &mut Pipeline,
    list: &str,
    connection: &mut MultiplexedConnection,
) -> Result<Vec<u8>> {
    let commands = commands.cmd("BLPOP").arg(list).arg(NO_TIMEOUT);
    let ((_, element),): ((String, Vec<u8>),) = commands.query_async(connection).await?;
    Ok(element)
}

pub(crate) struct RedisProducer {
    connection: MultiplexedConnection,
    workload: Workload,
}

impl Producer for RedisProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        let command = match self.workload {
            Workload::Pickup => cmd("LPUSH").arg(JOBS).arg(json(n)?).take(),
            _ => cmd("SET").arg(n).arg(json(n)?).take(),
        };
        Ok(command.exec_async(&mut self.connection).await?)
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        let mut commands = pipe();
        for n in numbers {
            commands.cmd("SET").arg(n).arg(json(n)?).ignore();
        }
        Ok(commands.exec_async(&mut self.connection).await?)
    }

    /// The caller's connection is its own: other calls on it would wait behind the pop.
    async fn call(&mut self, n: u64) -> Result<()> {
        let mut commands = pipe();
        commands.cmd("LPUSH").arg(JOBS).arg(json(n)?).ignore();
        let answer = popped(&mut commands, ANSWERS, &mut self.connection).await?;
        ensure!(answer == n.to_string().as_bytes(), "the answer to {n} is {answer:?}");
        Ok(())
    }
}
