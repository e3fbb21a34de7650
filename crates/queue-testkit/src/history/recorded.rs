//! A wrapper around any store that records its calls.

use crate::history::{Event, OpenCall, Recorder, answered, asked};
use async_trait::async_trait;
use queue_core::{
    Applied, Certainty, ClaimRequest, Claimed, Counts, Detail, Enqueued, JobId, JobRecord, Kind, Limit,
    LimitScope, ListQuery, NewJob, Page, Pause, PruneRequest, QueueName, Result, Stamped, Storage,
    StorageLayer, lifecycle::Transition,
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// A store whose calls are recorded as the calls of one process of a history. Each task gets its
/// own wrapper around a shared handle.
///
/// A dropped future leaves its call open, like an unknown outcome. Hints and presence are not
/// recorded, since correctness never depends on them.
#[derive(Debug)]
pub struct Recorded<S: ?Sized> {
    recorder: Arc<Recorder>,
    process: AtomicU64,
    store: Arc<S>,
}

impl<S: Storage + ?Sized> Recorded<S> {
    /// A wrapper for one more process.
    pub fn new(store: Arc<S>, recorder: Arc<Recorder>) -> Self {
        let process = AtomicU64::new(recorder.new_process());
        Self { recorder, process, store }
    }

    /// The present process number.
    pub fn process(&self) -> u64 {
        self.process.load(Ordering::Relaxed)
    }

    fn invoke(&self, items: Vec<Event>) -> OpenCall {
        let process = self.process();
        self.recorder.invoke(items.into_iter().map(|event| Event { process, ..event }).collect())
    }

    fn end<T>(
        &self,
        call: OpenCall,
        outcome: Result<T>,
        answers: impl FnOnce(&T) -> Vec<Event>,
    ) -> Result<T> {
        match &outcome {
            Ok(answer) => self.recorder.ok(call, answers(answer)),
            Err(error) if error.certainty() == Certainty::NotApplied => self.recorder.fail(call),
            Err(_) => {
                self.recorder.info(call);
                self.process.store(self.recorder.new_process(), Ordering::Relaxed);
            }
        }
        outcome
    }
}

#[async_trait]
impl<S: Storage + ?Sized> StorageLayer for Recorded<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.store
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        let shape: Vec<usize> = groups.iter().map(Vec::len).collect();
        let call = self.invoke(asked::enqueue(queue, &groups));
        let outcome = self.store.enqueue(queue, groups).await;
        self.end(call, outcome, |answer| answered::enqueue(&shape, answer))
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let call = self.invoke(vec![asked::claim(&request)]);
        let outcome = self.store.claim(request).await;
        self.end(call, outcome, |answer| answered::claim(0, answer))
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        let thens = asked::thens(&batch);
        let call = self.invoke(asked::apply(&batch));
        let outcome = self.store.apply(batch).await;
        self.end(call, outcome, |answer| answered::apply(&thens, answer))
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let call = self.invoke(asked::get(queue, ids));
        let outcome = self.store.get(queue, ids, what).await;
        self.end(call, outcome, |answer| answered::get(ids.len(), answer))
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        let call = self.invoke(vec![asked::list(&query.queue)]);
        let outcome = self.store.list(query).await;
        self.end(call, outcome, answered::list)
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        let call = self.invoke(vec![asked::counts(queue)]);
        let outcome = self.store.counts(queue).await;
        self.end(call, outcome, answered::counts)
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        let call = self.invoke(vec![asked::prune(&request)]);
        let outcome = self.store.prune(request).await;
        self.end(call, outcome, |removed| answered::pruned(*removed))
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        if kind.is_some() {
            // Histories contain pauses of whole queues alone.
            return self.store.set_paused(queue, kind, pause).await;
        }
        let call = self.invoke(vec![asked::set_paused(queue, pause)]);
        let outcome = self.store.set_paused(queue, None, pause).await;
        self.end(call, outcome, |()| answered::plain())
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        let call = self.invoke(vec![asked::set_limits(queue, &limits)]);
        let outcome = self.store.set_limits(queue, limits).await;
        self.end(call, outcome, |()| answered::plain())
    }

    async fn verify(&self) -> Result<Vec<String>> {
        let call = self.invoke(vec![asked::verify()]);
        let outcome = self.store.verify().await;
        self.end(call, outcome, |findings| answered::verify(findings))
    }
}
