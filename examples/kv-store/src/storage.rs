use crate::{
    attempt::{Halt, Verb, run},
    kv::Kv,
    store_clock::StoreClock,
    transaction::Transaction,
    verbs::{Apply, Attempts, Claim, Count, Enqueue, Get, List, PRUNE_CHUNK, PruneChunk, Queues},
    verify::verify,
};
use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{
    AnswerRoom, Applied, Capabilities, ClaimRequest, Claimed, Clock, Counts, Detail, Enqueued, Error,
    JobAttempts, JobId, JobRecord, ListQuery, NewJob, Page, PruneRequest, QueueName, QueuesPage, QueuesQuery,
    Result, Stamped, Storage, lifecycle::Transition,
};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// A handle on a queue store over a key-value store. Handles on one key-value store share its jobs.
///
/// Presence, pause and hints are left at the defaults of the contract, so callers poll.
#[derive(Debug)]
pub struct KvStorage {
    capabilities: Capabilities,
    /// `None` once this handle is closed.
    kv: Mutex<Option<Arc<dyn Kv>>>,
    clock: StoreClock,
    /// One permit: the writers of this handle queue up here instead of undoing each other's work. No data is behind it;
    /// what keeps them apart from other processes is the commit.
    turn: Semaphore,
}

impl KvStorage {
    /// Opens a handle. All handles on one key-value store should tell the time by clocks that agree roughly; a clock
    /// that is ahead takes the others along.
    pub fn new(kv: Arc<dyn Kv>, clock: Arc<dyn Clock>) -> Self {
        let capabilities = kv.capabilities().with_queues().with_attempts();
        let (kv, clock) = (Mutex::new(Some(kv)), StoreClock::new(clock));
        Self { capabilities, kv, clock, turn: Semaphore::new(1) }
    }

    async fn read<V: Verb>(&self, verb: V) -> Result<Stamped<V::Answer>> {
        run(&*self.open(V::NAME)?, &self.clock, &verb).await
    }

    async fn write<V: Verb>(&self, verb: V) -> Result<Stamped<V::Answer>> {
        let _turn = self.turn.acquire().await.map_err(|_| Error::closed(V::NAME))?;
        run(&*self.open(V::NAME)?, &self.clock, &verb).await
    }

    fn answer_room(&self) -> AnswerRoom {
        AnswerRoom::new(self.capabilities.limits.answer_bytes_max)
    }

    fn open(&self, operation: &'static str) -> Result<Arc<dyn Kv>> {
        self.slot().clone().ok_or_else(|| Error::closed(operation))
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<dyn Kv>>> {
        self.kv.lock()
    }
}

#[async_trait]
impl Storage for KvStorage {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.capabilities.limits.check_enqueue(&groups)?;
        self.write(Enqueue { queue, groups: &groups, room: self.answer_room() }).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.capabilities.limits.check_batch("claim", request.limit)?;
        let answer = self.write(Claim { request: &request }).await?;
        let (moment, (jobs, next_due)) = (answer.moment(), answer.value);
        Ok(Claimed { jobs, ..Claimed::none(next_due, moment) })
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.capabilities.limits.check_apply(&batch)?;
        self.write(Apply { batch: &batch }).await
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.read(Get { queue, ids, what, room: self.answer_room() }).await
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        Ok(self.read(List { query: &query }).await?.value)
    }

    async fn attempts(&self, queue: &QueueName, id: &JobId) -> Result<Stamped<Option<JobAttempts>>> {
        self.read(Attempts { queue, id }).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        Ok(self.read(Count { queue }).await?.value)
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        Ok(self.read(Queues { query: &query }).await?.value)
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        let mut removed = 0;
        while removed < request.limit {
            let limit = PRUNE_CHUNK.min(request.limit - removed);
            let chunk = self.write(PruneChunk { request: &request, limit }).await;
            // An error says whether anything may have been removed, so chunks that were count.
            let chunk = chunk.map_err(|error| if removed > 0 { error.unknown() } else { error })?.value;
            removed += chunk;
            if chunk < limit {
                break;
            }
        }
        Ok(removed as u64)
    }

    async fn verify(&self) -> Result<Vec<String>> {
        verify(&*self.open("verify")?).await
    }

    /// Lets go of the key-value store, once those who write have had their turn.
    async fn close(&self) -> Result<()> {
        let _turn = self.turn.acquire().await.map_err(|_| Error::closed("close"))?;
        let Some(kv) = self.slot().take() else { return Ok(()) };
        remember_time(&*kv, &self.clock).await
    }
}

/// Reads tell the time too, and write nothing; what they told last is kept here, so that a reopen does not go back.
/// Whoever wrote in between wrote a time as well, so one attempt is enough.
async fn remember_time(kv: &dyn Kv, clock: &StoreClock) -> Result<()> {
    let mut transaction = Transaction::begin(kv, clock).await?;
    transaction.raise_mark()?;
    match transaction.commit().await {
        Ok(()) | Err(Halt::Moved) => Ok(()),
        Err(Halt::Failed(error)) => Err(error),
    }
}
