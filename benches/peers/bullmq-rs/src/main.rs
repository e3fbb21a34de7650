//! `bullmq-official`, the port of BullMQ to Rust by its authors. Results come by its event stream,
//! since the port has no call that waits for one.

use std::collections::HashMap;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bullmq::options::RedisConnectionOptions;
use bullmq::{
    BulkJob, Job as BullJob, Queue, QueueEvent, QueueEvents, QueueEventsOptions, QueueOptions, Worker,
    WorkerOptions,
};
use peers_common::{Job, Peer, Producer, Profile, Setup, handled, run_worker};
use tokio::sync::oneshot;

const QUEUE: &str = "peers";
const KIND: &str = "job";
const CONCURRENCY: usize = 50;
/// How long the event stream has to be subscribed before the first job.
const SUBSCRIBED: Duration = Duration::from_millis(200);

struct Bull {
    connection: RedisConnectionOptions,
    queue: Queue,
    results: Results,
}

impl Peer for Bull {
    type Producer = BullProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        let connection = RedisConnectionOptions::new().url(setup.url().to_owned());
        let options = QueueOptions::new().connection(connection.clone());
        let queue = Queue::with_options(QUEUE, options).await?;
        let results = Results::default();
        if setup.waits_for_results() {
            let options = QueueEventsOptions { connection: connection.clone(), ..Default::default() };
            let events = QueueEvents::with_options(QUEUE, options).await?;
            run_worker(results.clone().follow(events));
            tokio::time::sleep(SUBSCRIBED).await;
        }
        Ok(Self { connection, queue, results })
    }

    fn producer(&self) -> BullProducer {
        BullProducer { queue: self.queue.clone(), results: self.results.clone() }
    }

    async fn start_worker(&self, profile: Profile) -> Result<()> {
        let options = WorkerOptions::new().connection(self.connection.clone());
        let options = match profile {
            Profile::Default => options,
            Profile::Tuned => options.concurrency(CONCURRENCY),
        };
        let handle = |job: BullJob, _| async move {
            let job: Job = serde_json::from_value(job.data().clone())?;
            handled(job.n);
            Ok(job.n.into())
        };
        std::mem::forget(Worker::with_options(QUEUE, handle, options).await?);
        Ok(())
    }

    async fn unfinished(&self) -> Result<u64> {
        let counts = self.queue.get_job_counts().await?;
        Ok(counts.waiting + counts.active + counts.delayed + counts.prioritized + counts.failed)
    }

    fn settings(&self, profile: Profile) -> String {
        match profile {
            Profile::Default => "concurrency 1; finished jobs kept".to_owned(),
            Profile::Tuned => format!("concurrency {CONCURRENCY}; finished jobs kept"),
        }
    }
}

struct BullProducer {
    queue: Queue,
    results: Results,
}

impl Producer for BullProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        self.queue.add(KIND, Job::new(n)).await?;
        Ok(())
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        self.queue.add_bulk(numbers.map(|n| BulkJob::new(KIND, Job::new(n))).collect()).await?;
        Ok(())
    }

    async fn call(&mut self, n: u64) -> Result<()> {
        let job = self.queue.add(KIND, Job::new(n)).await?;
        let result = self.results.wait_for(job.id()).await?;
        ensure!(result == n.to_string(), "the result of {n} is {result}");
        Ok(())
    }
}

/// Results by job: a waiter, or a result that came before its waiter.
#[derive(Clone, Default)]
struct Results(Arc<Mutex<HashMap<String, Arrival>>>);

enum Arrival {
    Expected(oneshot::Sender<String>),
    Here(String),
}

impl Results {
    async fn wait_for(&self, id: &str) -> Result<String> {
        let (sender, receiver) = oneshot::channel();
        {
            let mut arrivals = self.0.lock().expect("nobody panics with it");
            if let Some(Arrival::Here(result)) = arrivals.remove(id) {
                return Ok(result);
            }
            arrivals.insert(id.to_owned(), Arrival::Expected(sender));
        }
        receiver.await.context("the events have ended")
    }

    async fn follow(self, events: QueueEvents) {
        while let Some(next) = events.next_event().await {
            let QueueEvent::Completed { job_id, return_value, .. } = next.event else { continue };
            let mut arrivals = self.0.lock().expect("nobody panics with it");
            match arrivals.remove(&job_id) {
                // A waiter that gave up has no use for it.
                Some(Arrival::Expected(waiter)) => drop(waiter.send(return_value)),
                _ => drop(arrivals.insert(job_id, Arrival::Here(return_value))),
            }
        }
    }
}

fn main() -> ExitCode {
    peers_common::main::<Bull>()
}
