//! Jobs for the demonstration, as long as it runs.

use super::{PAUSED, QUEUES};
use queue::{JobKind, JobOptions, Queue, Storage, queue_core::Rng};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// How long between two jobs.
const PAUSE: Duration = Duration::from_millis(500);
/// Completed jobs are kept for so long, which bounds the memory that the demonstration takes.
const KEPT: Duration = Duration::from_mins(20);
const FAILED_KEPT: Duration = Duration::from_hours(6);
/// The queue whose tenants take turns.
const LIMITED: &str = "emails";
/// The most jobs that wait in the queue without a worker.
const PAUSED_MAX: u64 = 40;

/// What makes the jobs.
#[derive(Debug)]
pub(super) struct Traffic {
    queues: Vec<Queue<Value>>,
    rng: Arc<dyn Rng>,
}

impl Traffic {
    pub(super) fn new(storage: &Arc<dyn Storage>, rng: Arc<dyn Rng>) -> queue::Result<Self> {
        let queues = QUEUES.iter().map(|(name, _)| Queue::new(storage.clone(), *name));
        Ok(Self { queues: queues.collect::<queue::Result<_>>()?, rng })
    }

    /// What is there when the demonstration begins: some that fail, some that wait for their time,
    /// and limits of the tenants whose mails take turns.
    pub(super) async fn backlog(&self) -> queue::Result<()> {
        for limited in self.queues.iter().filter(|queue| queue.name().as_str() == LIMITED) {
            limited.limits().each_partition(2).partition("tenant-3", 1).set().await?;
        }
        for (queue, kind, doomed, delay_s) in [
            ("billing", "charge", 9, 0),
            ("emails", "receipt", 14, 0),
            ("images", "transcode", 6, 0),
            ("emails", "welcome", 0, 1_800),
            ("emails", "newsletter", 0, 7_200),
            ("webhooks", "deliver", 0, 0),
        ] {
            for number in 0..10 {
                let options = self.options(queue).delay(Duration::from_secs(delay_s * number / 5));
                let options =
                    if number < doomed { options.max_attempts(1 + (number as u32) % 2) } else { options };
                self.enqueue(queue, kind, number < doomed, options).await?;
            }
        }
        Ok(())
    }

    /// Enqueues for ever.
    pub(super) async fn run(&self) {
        loop {
            tokio::time::sleep(PAUSE).await;
            self.one().await;
        }
    }

    /// Enqueues a job. What the store does not take is left out.
    pub(super) async fn one(&self) {
        // Mails are the most frequent.
        let place = [0, 1, 1, 1, 1, 2, 2, 3][(self.rng.next_u64() % 8) as usize];
        let (queue, kinds) = QUEUES[place];
        if queue == PAUSED && self.is_full(place).await {
            return;
        }
        let kind = kinds[(self.rng.next_u64() % kinds.len() as u64) as usize];
        let options = match self.rng.next_u64() % 25 {
            0 => self.options(queue).delay(Duration::from_secs(60 + self.rng.next_u64() % 1_800)),
            1 => self.options(queue).priority(-5),
            _ => self.options(queue),
        };
        drop(self.enqueue(queue, kind, false, options).await);
    }

    async fn is_full(&self, place: usize) -> bool {
        self.queues[place].counts().await.is_ok_and(|counts| counts.unfinished() > PAUSED_MAX)
    }

    fn options(&self, queue: &str) -> JobOptions {
        let number = self.rng.next_u64();
        let tenant = format!("tenant-{}", number % 5 + 1);
        let options = JobOptions::new();
        let options = if queue == LIMITED { options.partition(&tenant) } else { options };
        options
            .max_attempts(4)
            .keep_completed(KEPT)
            .keep_failed(FAILED_KEPT)
            .tag(tenant)
            .header("traceparent", format!("00-{:032x}-{:016x}-01", self.rng.next_u128(), number | 1))
    }

    async fn enqueue(
        &self,
        queue: &str,
        kind: &'static str,
        is_doomed: bool,
        options: JobOptions,
    ) -> queue::Result<()> {
        let Some(client) = self.queues.iter().find(|client| client.name().as_str() == queue) else {
            return Ok(());
        };
        let number = self.rng.next_u64() % 1_000_000;
        let mut payload = json!({
            "customer": format!("c-{}", number % 997),
            "order": number,
            "lines": [{"sku": format!("A-{}", number % 89), "price": 12.50}, {"sku": "B-7", "price": 3}],
            "password": "hunter2",
        });
        if is_doomed {
            payload["doomed"] = Value::Bool(true);
        }
        let id = format!("{kind}-{:07x}", self.rng.next_u64() >> 36);
        let client = client.of(JobKind::<Value>::new(kind));
        drop(client.enqueue_with(id, payload, options).await?);
        Ok(())
    }
}
