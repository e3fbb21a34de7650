//! A table of the program's own as source and sink, without a store: webhooks come in, are
//! delivered a few at a time, and their outcome is written back. It prints what happens, and ends
//! once nothing is left to deliver.
//!
//! ```text
//! cargo run -p queue-worker --example webhook_inbox
//! ```

use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use queue_worker::runtime::{
    Finality, Group, ItemError, Pace, PacedLoop, Pool, Processor, Sink, Source, handler_fn, tick_fn,
};
use std::{collections::BTreeMap, convert::Infallible, error::Error, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Attempts before a webhook that keeps failing counts as dead.
const ATTEMPTS_MAX: u32 = 3;

#[derive(Clone, Debug)]
struct Webhook {
    id: u32,
    target: &'static str,
    attempts: u32,
    status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Waiting,
    InDelivery,
    Delivered,
    Dead,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeliveryError {
    /// The receiver does not exist any more.
    Gone,
    /// The receiver is too busy.
    Busy,
}

/// The table. Its rows are what a database would hold.
#[derive(Debug, Default)]
struct Inbox(Mutex<BTreeMap<u32, Webhook>>);

impl Inbox {
    fn rows(&self) -> MutexGuard<'_, BTreeMap<u32, Webhook>> {
        self.0.lock()
    }

    fn receive(&self, id: u32, target: &'static str) {
        let webhook = Webhook { id, target, attempts: 0, status: Status::Waiting };
        // The id of the sender is the key, so that a webhook that is sent twice is delivered once.
        self.rows().entry(id).or_insert(webhook);
        println!("received  #{id} for {target}");
    }

    fn is_settled(&self) -> bool {
        self.rows().values().all(|row| matches!(row.status, Status::Delivered | Status::Dead))
    }

    fn set(&self, id: u32, status: Status) {
        if let Some(row) = self.rows().get_mut(&id) {
            row.status = status;
        }
    }
}

#[async_trait]
impl Source<Webhook> for Inbox {
    type Error = Infallible;

    async fn claim(&self, limit: usize) -> Result<Vec<Webhook>, Infallible> {
        let mut rows = self.rows();
        let waiting = rows.values_mut().filter(|row| row.status == Status::Waiting).take(limit);
        Ok(waiting.map(claimed).collect())
    }

    async fn release(&self, webhooks: &[Webhook]) -> Result<(), Infallible> {
        for webhook in webhooks {
            self.set(webhook.id, Status::Waiting);
        }
        Ok(())
    }
}

fn claimed(row: &mut Webhook) -> Webhook {
    row.status = Status::InDelivery;
    row.attempts += 1;
    row.clone()
}

#[async_trait]
impl Sink<Webhook> for Inbox {
    type Output = u16;
    type Failure = DeliveryError;
    type Error = Infallible;

    async fn mark_done(&self, webhook: &Webhook, http_status: &u16) -> Result<(), Infallible> {
        println!("delivered #{} on attempt {}: {http_status}", webhook.id, webhook.attempts);
        self.set(webhook.id, Status::Delivered);
        Ok(())
    }

    async fn mark_failed(
        &self,
        webhook: &Webhook,
        error: &ItemError<DeliveryError>,
        finality: Finality,
    ) -> Result<(), Infallible> {
        let is_dead = finality == Finality::Terminal || webhook.attempts >= ATTEMPTS_MAX;
        let (status, verdict) =
            if is_dead { (Status::Dead, "dead") } else { (Status::Waiting, "will be tried again") };
        println!("failed    #{} on attempt {}: {error:?}, {verdict}", webhook.id, webhook.attempts);
        self.set(webhook.id, status);
        Ok(())
    }
}

/// Stands in for an HTTP client.
async fn deliver(webhook: Webhook) -> Result<u16, DeliveryError> {
    match (webhook.target, webhook.attempts) {
        ("gone.example", _) => Err(DeliveryError::Gone),
        ("busy.example", 1) => Err(DeliveryError::Busy),
        ("buggy.example", _) => panic!("an unexpected redirect"),
        _ => Ok(204),
    }
}

/// Webhooks arrive from several senders at once.
async fn receive_all(inbox: &Arc<Inbox>) -> Result<(), Box<dyn Error>> {
    let senders = Pool::new(2)?;
    let targets = ["shop.example", "busy.example", "gone.example", "buggy.example", "mail.example"];
    for (id, target) in (1..).zip(targets) {
        let inbox = inbox.clone();
        drop(senders.submit(async move { inbox.receive(id, target) }).await?);
    }
    senders.shutdown(Duration::from_secs(5)).await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The panic of a handler is part of the show and ends up in the table, so its backtrace is not
    // printed.
    std::panic::set_hook(Box::new(|_| ()));
    let inbox = Arc::new(Inbox::default());
    receive_all(&inbox).await?;

    let processor = Processor::builder(inbox.clone(), handler_fn(deliver), inbox.clone())
        .concurrency(2)
        .handle_budget(Duration::from_secs(10))
        .is_terminal(|error| *error == DeliveryError::Gone)
        .build()?;
    let delivery =
        PacedLoop::builder(processor).interval(Duration::from_millis(50)).immediate_first_tick().build()?;

    let stop = CancellationToken::new();
    let (inbox_to_watch, stop_group) = (inbox.clone(), stop.clone());
    let watcher = tick_fn(move |_| {
        if inbox_to_watch.is_settled() {
            stop_group.cancel();
        }
        std::future::ready(Ok::<_, Infallible>(Pace::Idle))
    });
    let interval = Duration::from_millis(20);
    let watcher = PacedLoop::builder(watcher).interval(interval).max_idle_interval(interval).build()?;

    Group::new().add("delivery", delivery).add("watcher", watcher).run(stop).await?;
    for Webhook { id, target, attempts, status } in inbox.rows().values() {
        println!("#{id} {target:<14} {status:?} after {attempts} attempts");
    }
    Ok(())
}
