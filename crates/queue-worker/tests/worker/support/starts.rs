//! Records which jobs started when, for workers of several queues and kinds.

use super::{Rig, id};
use queue_core::{ContentType, Kind, NewJob, Payload, QueueName};
use queue_worker::{Context, Router, WorkQueue, Worker, WorkerBuilder};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::{Instant, sleep};

/// The jobs that started, in order. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts(Arc<Mutex<Vec<Start>>>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// The time since the handler was made.
    pub(crate) at: Duration,
    pub(crate) queue: QueueName,
    pub(crate) kind: Kind,
    /// The payload.
    pub(crate) number: u32,
}

impl Starts {
    /// A handler of jobs of every kind and queue that takes this many milliseconds for the job of
    /// each number.
    pub(crate) fn router(&self, takes_ms: impl Fn(u32) -> u64 + Send + Sync + 'static) -> Router {
        let (starts, began) = (self.0.clone(), Instant::now());
        Router::new(()).fallback(move |number: u32, context: Context| {
            let (queue, kind) = (context.meta().queue.clone(), context.meta().kind.clone());
            starts.lock().expect("unpoisoned").push(Start { at: began.elapsed(), queue, kind, number });
            let duration = Duration::from_millis(takes_ms(number));
            async move {
                sleep(duration).await;
                Ok(())
            }
        })
    }

    pub(crate) fn all(&self) -> Vec<Start> {
        self.0.lock().expect("unpoisoned").clone()
    }

    pub(crate) fn of_queue(&self, queue: &QueueName) -> Vec<Start> {
        self.all().into_iter().filter(|start| start.queue == *queue).collect()
    }

    pub(crate) fn of_kind(&self, kind: &str) -> Vec<Start> {
        self.all().into_iter().filter(|start| start.kind.as_str() == kind).collect()
    }
}

impl Start {
    pub(crate) fn at_ms(&self) -> u64 {
        u64::try_from(self.at.as_millis()).expect("tests are short")
    }
}

pub(crate) fn times_ms(starts: &[Start]) -> Vec<u64> {
    starts.iter().map(Start::at_ms).collect()
}

pub(crate) fn numbers(starts: &[Start]) -> Vec<u32> {
    starts.iter().map(|start| start.number).collect()
}

/// A job of any kind whose payload is a number.
pub(crate) fn job_of(kind: &str, name: &str, number: u32) -> NewJob {
    let payload = Payload::new(number.to_string(), ContentType::from_static("application/json"));
    NewJob::new(id(name), Kind::new(kind).expect("test kinds are valid"), payload)
}

impl Rig {
    /// A worker on these queues that relies on hints and `next_due` alone.
    pub(crate) fn worker_on(
        &self,
        router: Router,
        queues: impl IntoIterator<Item = WorkQueue>,
    ) -> WorkerBuilder {
        self.worker_on_by_handler_time(router, queues).prefetch(4)
    }

    /// The same, with the number of ready jobs chosen by the worker.
    pub(crate) fn worker_on_by_handler_time(
        &self,
        router: Router,
        queues: impl IntoIterator<Item = WorkQueue>,
    ) -> WorkerBuilder {
        let mut queues = queues.into_iter();
        let (first, far) = (queues.next().expect("at least one queue"), Duration::from_secs(1000));
        let events = self.events.clone();
        let builder = Worker::builder(self.store.clone(), first, router)
            .concurrency(4)
            .rng(self.rng.clone())
            .poll_interval(far)
            .rescue_interval(far)
            .on_event(move |event| events.push(event));
        queues.fold(builder, WorkerBuilder::also)
    }
}
