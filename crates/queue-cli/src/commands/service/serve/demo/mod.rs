//! `queue serve --demo`: a store in memory with everything that a dashboard shows, made up.

mod handlers;
mod history;
mod still;
mod traffic;

use crate::exit::CliError;
use queue::{
    JobKind, JobOptions, MemoryStorage, Queue, Raw, Storage, SystemRng,
    queue_core::{Pause, QueueName, Rng},
    schedules::{Schedule, Timing},
    worker::{WorkQueue, Worker, WorkerBuilder},
};
use queue_telemetry::QueueMetrics;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use still::StillTime;
use tokio_util::sync::CancellationToken;
use traffic::Traffic;

/// The queues of the demonstration, each with its kinds.
const QUEUES: [(&str, &[&str]); 4] = [
    ("billing", &["charge", "invoice", "dunning"]),
    ("emails", &["welcome", "receipt", "newsletter"]),
    ("images", &["thumbnail", "transcode"]),
    ("webhooks", &["deliver"]),
];
/// The queue that is paused when it begins.
const PAUSED: &str = "webhooks";

/// A store with traffic: what makes the jobs, and what works on them.
#[derive(Debug)]
pub(super) struct Demo {
    storage: Arc<dyn Storage>,
    workers: Vec<Worker>,
    pace: Pace,
}

/// What goes on in the store besides the work.
#[derive(Debug)]
enum Pace {
    Traffic(Traffic),
    /// Nothing.
    Still(StillTime),
}

impl Demo {
    /// A store with schedules and ninety days of invented history. Later calls go through the layer
    /// that `metered` adds.
    pub(super) async fn begin(
        metered: impl FnOnce(Arc<dyn Storage>) -> Arc<dyn Storage>,
        metrics: &QueueMetrics,
    ) -> Result<Self, CliError> {
        let storage: Arc<dyn Storage> = Arc::new(MemoryStorage::new());
        let rng: Arc<dyn Rng> = Arc::new(SystemRng);
        history::write(&*storage, &*rng).await?;
        let storage = metered(storage);
        schedules(&storage).await?;
        batches(&storage).await?;
        let workers = vec![
            observed(worker(&storage, &rng, "web-1", &["emails", "webhooks"], 12)?, metrics)?,
            observed(worker(&storage, &rng, "media-1", &["images", "billing"], 8)?, metrics)?,
        ];
        let traffic = Traffic::new(&storage, rng)?;
        traffic.backlog().await?;
        pause_one(&*storage).await?;
        Ok(Self { storage, workers, pace: Pace::Traffic(traffic) })
    }

    /// A store with the same content each time, in which no time passes.
    pub(super) async fn still() -> Result<Self, CliError> {
        let (storage, time) = still::make().await?;
        Ok(Self { storage, workers: Vec::new(), pace: Pace::Still(time) })
    }

    pub(super) fn storage(&self) -> Arc<dyn Storage> {
        self.storage.clone()
    }

    /// Makes jobs and works on them until it is stopped.
    pub(super) async fn run(self, stop: CancellationToken) {
        let tokens: Vec<CancellationToken> = self.workers.iter().map(Worker::stop_token).collect();
        let work = futures_util::future::join_all(self.workers.iter().map(Worker::run));
        let end = async {
            stop.cancelled().await;
            tokens.iter().for_each(CancellationToken::cancel);
        };
        let make = async {
            let go_on = async {
                match &self.pace {
                    Pace::Traffic(traffic) => traffic.run().await,
                    Pace::Still(time) => time.run(&*self.storage).await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = go_on => {}
            }
        };
        tokio::join!(work, end, make);
    }
}

fn worker(
    storage: &Arc<dyn Storage>,
    rng: &Arc<dyn Rng>,
    name: &str,
    queues: &[&str],
    slots: usize,
) -> Result<WorkerBuilder, CliError> {
    let clients: Vec<Queue<Raw, Raw>> =
        queues.iter().map(|queue| Queue::new(storage.clone(), queue)).collect::<Result<_, _>>()?;
    let kinds = QUEUES.iter().filter(|(queue, _)| queues.contains(queue)).flat_map(|(_, kinds)| *kinds);
    let router = handlers::router(kinds.copied(), rng)?;
    let builder = clients[0].worker(router).id(queue::WorkerId::new(name)?).concurrency(slots);
    Ok(clients[1..].iter().fold(builder, |builder, queue| builder.also(WorkQueue::from(queue))))
}

fn observed(worker: WorkerBuilder, metrics: &QueueMetrics) -> Result<Worker, CliError> {
    let metrics = metrics.clone();
    Ok(worker.on_event(move |event| metrics.observe(event)).build()?)
}

async fn pause_one(storage: &dyn Storage) -> Result<(), CliError> {
    Ok(storage.set_paused(&QueueName::from_static(PAUSED), None, Pause::UntilResumed).await?)
}

/// A batch that its members end within a minute, and one to which more would be added.
async fn batches(storage: &Arc<dyn Storage>) -> Result<(), CliError> {
    let billing: Queue<Value> = Queue::new(storage.clone(), "billing")?;
    let invoices = billing.of(JobKind::<Value>::new("invoice"));
    for (name, members, is_whole) in [("invoices-june", 150, true), ("invoices-july", 25, false)] {
        let batch = invoices.batch(name).on_end("dunning", &"all customers").open().await?;
        let each = (1..=members).map(|number| (format!("c-{number}"), json!({"customer": number})));
        drop(batch.add_all(each).await?);
        if is_whole {
            batch.seal().await?;
        }
    }
    Ok(())
}

async fn schedules(storage: &Arc<dyn Storage>) -> Result<(), CliError> {
    let billing: Queue<Value> = Queue::new(storage.clone(), "billing")?;
    let emails: Queue<Value> = Queue::new(storage.clone(), "emails")?;
    let all: [(&Queue<Value>, &str, &str, &'static str); 4] = [
        (&billing, "monthly-invoices", "0 4 1 * *", "invoice"),
        (&billing, "dunning", "30 9 * * 1-5", "dunning"),
        (&emails, "weekly-digest", "0 7 * * 1", "newsletter"),
        (&emails, "morning-mail", "*/5 * * * *", "newsletter"),
    ];
    for (queue, name, pattern, kind) in all {
        let timing = Timing::cron(pattern, "UTC").map_err(queue::Error::from)?;
        let schedule = Schedule::new(name, timing, json!({"for": "all customers"}))
            .options(JobOptions::new().max_attempts(3))
            .jitter(Duration::from_secs(5));
        let _ = queue.of(JobKind::<Value>::new(kind)).schedules().put(&schedule).await?;
    }
    let _ = emails.schedules().pause("weekly-digest").await?;
    Ok(())
}
