//! Outcomes share calls: what ends within a moment goes together.

use super::Run;
use crate::{
    ServiceError,
    wire::{ItemAnswer, ItemsAnswer, items_body},
};
use std::{convert::Infallible, future::pending, time::Duration};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until},
};

/// The most outcomes of a call.
const BATCH_MAX: usize = 100;
/// The most bytes of a call that has more than one outcome. A service takes 8 MiB.
const BATCH_BYTES_MAX: usize = 4 << 20;
/// How long an outcome waits for others while handlers run.
const BATCH_WAIT: Duration = Duration::from_millis(50);

/// The way of outcomes into a batch. Each job that is held has at most one on it.
#[derive(Debug)]
pub(super) struct Batches(mpsc::UnboundedSender<WaitingItem>);

/// An outcome that waits to be sent.
#[derive(Debug)]
pub(super) struct WaitingItem {
    text: String,
    company: Company,
    answer: oneshot::Sender<Result<ItemAnswer, ServiceError>>,
}

/// With what an outcome may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    Any,
    /// It may be what the service refuses a call for.
    None,
}

impl Batches {
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<WaitingItem>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    /// Sends an outcome once, and answers the service's word on it.
    pub(super) async fn send(&self, text: String, company: Company) -> Result<ItemAnswer, ServiceError> {
        let (answer, answered) = oneshot::channel();
        // A run that ends takes its jobs with it, so there is always a reader.
        drop(self.0.send(WaitingItem { text, company, answer }));
        match answered.await {
            Ok(answer) => answer,
            Err(_) => pending().await,
        }
    }
}

impl Run {
    /// Sends batches, one call at a time; what ends meanwhile goes with the next.
    pub(super) async fn send_batches(&self, mut waiting: mpsc::UnboundedReceiver<WaitingItem>) -> Infallible {
        let mut left_over = None;
        loop {
            let first = match left_over.take() {
                Some(item) => item,
                None => match waiting.recv().await {
                    Some(item) => item,
                    None => pending().await,
                },
            };
            let batch;
            (batch, left_over) = self.gathered(first, &mut waiting).await;
            self.send_batch(batch).await;
        }
    }

    /// A batch that begins with `first`, and an outcome that does not fit into it.
    async fn gathered(
        &self,
        first: WaitingItem,
        waiting: &mut mpsc::UnboundedReceiver<WaitingItem>,
    ) -> (Vec<WaitingItem>, Option<WaitingItem>) {
        let until = Instant::now() + BATCH_WAIT;
        let mut bytes = first.text.len();
        let mut batch = vec![first];
        while batch.len() < BATCH_MAX && batch[0].company == Company::Any {
            let item = tokio::select! {
                biased;
                Some(item) = waiting.recv() => item,
                // No other handler can end soon.
                () = self.handlers.none() => break,
                () = sleep_until(until) => break,
            };
            bytes += item.text.len();
            if item.company == Company::None || bytes > BATCH_BYTES_MAX {
                return (batch, Some(item));
            }
            batch.push(item);
        }
        (batch, None)
    }

    async fn send_batch(&self, batch: Vec<WaitingItem>) {
        let body = items_body(batch.iter().map(|item| item.text.as_str()), None);
        let answer: Result<ItemsAnswer, _> = self.plan.calls.post("/v1/settle", body, Duration::ZERO).await;
        let answer = answer.and_then(|answer| {
            let foreign = ServiceError::foreign(200, "another number of items");
            if answer.items.len() == batch.len() { Ok(answer.items) } else { Err(foreign) }
        });
        // An outcome that nothing waits for any more was given up.
        match answer {
            Ok(answers) => {
                for (item, answer) in batch.into_iter().zip(answers) {
                    drop(item.answer.send(Ok(answer)));
                }
            }
            Err(error) => {
                for item in batch {
                    drop(item.answer.send(Err(error.clone())));
                }
            }
        }
    }
}

impl Company {
    /// With what the outcome is sent after an error of the whole call.
    pub(super) fn after(self, error: &ServiceError) -> Self {
        if error.kind().may_be_of_one() { Self::None } else { self }
    }
}
