//! The task queue itself: submits typed tasks, makes workers for them, and reads their outputs.

use super::{Handlers, Task};
use queue::{
    Counts, Enqueued, Id, JobKind, JobOptions, Policy, Queue, Result, RetryPolicy, Status, Storage,
    worker::WorkerBuilder,
};
use std::{sync::Arc, time::Duration};

/// A queue of tasks of many types. See the [module](crate::task_queue).
#[derive(Clone, Debug)]
pub struct TaskQueue {
    queue: Queue<()>,
    max_attempts: u32,
}

/// How much one worker takes on.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// Handlers at once.
    pub running: usize,
    /// Tasks held ready beyond those, so that a free handler need not wait for the store.
    pub prefetched: usize,
}

impl TaskQueue {
    /// A handle on the queue of this name. A task may fail `max_attempts` times; after failure
    /// number `n` it waits as `delay(n)` says, and `None` gives it up.
    ///
    /// # Errors
    /// `Invalid` for a bad name.
    pub fn new(
        store: Arc<dyn Storage>,
        name: &str,
        max_attempts: u32,
        delay: impl Fn(u32) -> Option<Duration> + Send + Sync + 'static,
    ) -> Result<Self> {
        let policy = Policy::default().retry(RetryPolicy::custom(delay));
        Ok(Self { queue: Queue::builder(store, name).policy(policy).build()?, max_attempts })
    }

    /// Stores a task. Lower priorities go first, and equal ones in the order of their submission.
    ///
    /// # Errors
    /// `Invalid` for a bad id, and if there are no attempts.
    pub async fn submit<T: Task>(
        &self,
        id: impl Into<Id>,
        task: T,
        priority: i16,
    ) -> Result<Enqueued<T::Output>> {
        self.typed::<T>().enqueue_with(id, task, self.options().priority(priority)).await
    }

    /// Stores many tasks of one type in few calls, with generated ids and priority 0.
    ///
    /// # Errors
    /// As [`submit`](Self::submit). The message says how many were stored before an error.
    pub async fn submit_many<T: Task>(
        &self,
        tasks: impl IntoIterator<Item = T>,
    ) -> Result<Vec<Enqueued<T::Output>>> {
        let tasks = tasks.into_iter().map(|task| (Id::Generated, task));
        self.typed::<T>().enqueue_many(tasks, self.options()).await
    }

    /// A worker for the tasks of this queue, which never holds more of them than its slots. Any
    /// number may share the queue, in this process and others.
    pub fn worker<S: Send + Sync + 'static>(&self, handlers: Handlers<S>, slots: Slots) -> WorkerBuilder {
        self.queue.worker(handlers.0).concurrency(slots.running).prefetch(slots.prefetched)
    }

    /// What a task left; `None` until it is done.
    ///
    /// # Errors
    /// `Invalid` if the task is of another type.
    pub async fn output<T: Task>(&self, id: &str) -> Result<Option<T::Output>> {
        self.typed::<T>().result(id).await
    }

    /// How a task stands.
    pub async fn status(&self, id: &str) -> Result<Option<Status>> {
        self.queue.status(id).await
    }

    /// How many tasks there are, by state.
    pub async fn counts(&self) -> Result<Counts> {
        self.queue.counts().await
    }

    fn typed<T: Task>(&self) -> Queue<T, T::Output> {
        self.queue.of(JobKind::new(T::KIND))
    }

    fn options(&self) -> JobOptions {
        JobOptions::new().max_attempts(self.max_attempts)
    }
}
