//! A store in memory that logs its calls and misbehaves as scripted.

use super::{Fault, spawn};
use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, EventStream, Interest, JobRecord, Limits,
    ListQuery, Page, PruneRequest, QueueName, Result, SeriesEntry, Stamped, Storage, StorageLayer, Walk,
    lifecycle::{Patch, Transition},
};
use queue_memory::MemoryStorage;
use std::{collections::BTreeMap, fmt, time::Duration};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, sleep, sleep_until},
};

/// More claims than any test needs: a worker that reaches this number spins.
const CLAIMS_MAX: usize = 20_000;

type Edit<T> = Box<dyn FnMut(&mut T) + Send>;
pub(crate) type OnBatch = Box<dyn FnMut(&[Transition]) -> Fault + Send>;

/// A store in memory that counts calls and misbehaves on request.
#[derive(Debug)]
pub(crate) struct Probe {
    store: MemoryStorage,
    script: Mutex<Script>,
    log: Mutex<Log>,
    connection: Semaphore,
}

/// The faults; none by default.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) on_claim: Option<Box<dyn FnMut() -> Fault + Send>>,
    /// The faults of claims of single queues.
    pub(crate) on_claim_of: BTreeMap<QueueName, Fault>,
    /// The other calls about this queue are never answered: listing, counting and pruning.
    pub(crate) hangs: Option<QueueName>,
    pub(crate) on_settle: Option<OnBatch>,
    pub(crate) on_heartbeat: Option<OnBatch>,
    pub(crate) on_list: Option<Fault>,
    pub(crate) on_prune: Option<Fault>,
    pub(crate) on_series: Option<Fault>,
    /// Every settle finds that the record has changed.
    pub(crate) all_moves: bool,
    pub(crate) edit_claimed: Option<Edit<Claimed>>,
    pub(crate) edit_applied: Option<Edit<Vec<Applied>>>,
    pub(crate) limits: Option<Limits>,
    pub(crate) call_timeout: Option<Duration>,
    /// The server stands still until then. Afterwards it executes what it was sent meanwhile,
    /// whether or not the caller still waits.
    pub(crate) stopped_until: Option<Instant>,
    pub(crate) hints: Hints,
}

/// The treatment of hints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hints {
    #[default]
    Pass,
    Drop,
    /// Every stream ends at once.
    End,
    /// Subscriptions are answered after this time.
    Late(Duration),
    /// The same, on a store whose only connection the subscription takes.
    InTheWay(Duration),
}

/// The calls that reached the store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub(crate) claims: usize,
    pub(crate) claim_limits: Vec<usize>,
    pub(crate) claim_bytes: Vec<usize>,
    pub(crate) claimed_queues: Vec<QueueName>,
    pub(crate) settles: Vec<usize>,
    pub(crate) heartbeats: Vec<usize>,
    pub(crate) subscriptions: usize,
    /// Series, slot and writer of each entry that was sent.
    pub(crate) series: Vec<(String, i64, String)>,
    /// The number of listings that no index serves.
    pub(crate) matches: usize,
}

impl Probe {
    pub(crate) fn new(store: MemoryStorage) -> Self {
        Self { store, script: Mutex::default(), log: Mutex::default(), connection: Semaphore::new(1) }
    }

    /// Changes the faults from now on.
    pub(crate) fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock()
    }

    pub(crate) fn log(&self) -> Log {
        self.log.lock().clone()
    }

    fn note(&self, note: impl FnOnce(&mut Log)) {
        note(&mut self.log.lock());
    }

    /// Changes nothing, and answers with the present records.
    async fn stale(&self, batch: &[Transition]) -> Result<Stamped<Vec<Applied>>> {
        let ids: Vec<_> = batch.iter().map(|it| it.id.clone()).collect();
        let found = self.store.get(&batch[0].queue, &ids, Detail::Meta).await?;
        let answer =
            |record: Option<JobRecord>| record.map_or(Applied::Missing, |it| Applied::Stale(it.meta));
        Ok(Stamped {
            now: found.now,
            clock: found.clock,
            value: found.value.into_iter().map(answer).collect(),
        })
    }

    fn hanging(&self, queue: &QueueName) -> Fault {
        if self.script().hangs.as_ref() == Some(queue) { Fault::Hang } else { Fault::None }
    }

    async fn connection(&self) -> Option<SemaphorePermit<'_>> {
        let is_scarce = matches!(self.script().hints, Hints::InTheWay(_));
        if is_scarce { self.connection.acquire().await.ok() } else { None }
    }

    async fn resumed(&self) {
        let until = self.script().stopped_until;
        if let Some(until) = until {
            sleep_until(until).await;
        }
    }

    /// A claim that was sent is executed, also if its sender leaves.
    async fn claim_once_resumed(&self, request: ClaimRequest) -> Result<Claimed> {
        let (store, until) = (self.store.another_handle(), self.script().stopped_until);
        let Some(until) = until else { return store.claim(request).await };
        let claim = spawn(async move {
            sleep_until(until).await;
            store.claim(request).await
        });
        claim.await.expect("the store does not panic")
    }

    fn fault_of_batch(&self, batch: &[Transition]) -> Fault {
        let mut script = self.script();
        let is_heartbeat = batch.iter().all(|it| matches!(it.patch, Patch::Extend { .. }));
        self.note(|log| {
            if is_heartbeat { &mut log.heartbeats } else { &mut log.settles }.push(batch.len());
        });
        let faults = if is_heartbeat { &mut script.on_heartbeat } else { &mut script.on_settle };
        faults.as_mut().map_or(Fault::None, |fault| fault(batch))
    }
}

#[async_trait]
impl StorageLayer for Probe {
    type Inner = MemoryStorage;

    fn inner(&self) -> &MemoryStorage {
        &self.store
    }

    fn capabilities(&self) -> Capabilities {
        let capabilities = self.store.capabilities();
        let limits = self.script().limits.unwrap_or(capabilities.limits);
        let call_timeout = self.script().call_timeout.unwrap_or(capabilities.call_timeout);
        capabilities.with_limits(limits).with_call_timeout(call_timeout)
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.note(|log| {
            log.claims += 1;
            log.claim_limits.push(request.limit);
            log.claim_bytes.push(request.bytes_max);
            log.claimed_queues.push(request.queue.clone());
            assert!(log.claims < CLAIMS_MAX, "the worker spins");
        });
        let fault = self.script().on_claim.as_mut().map_or(Fault::None, |fault| fault());
        let fault = self.script().on_claim_of.get(&request.queue).copied().unwrap_or(fault);
        let _connection = self.connection().await;
        let mut claimed = fault.around(self.claim_once_resumed(request)).await?;
        if let Some(edit) = &mut self.script().edit_claimed {
            edit(&mut claimed);
        }
        Ok(claimed)
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        StorageLayer::capabilities(self).limits.check_apply(&batch)?;
        let fault = self.fault_of_batch(&batch);
        if self.script().all_moves {
            return self.stale(&batch).await;
        }
        self.resumed().await;
        let mut applied = fault.around(self.store.apply(batch)).await?;
        if let Some(edit) = &mut self.script().edit_applied {
            edit(&mut applied.value);
        }
        Ok(applied)
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        self.note(|log| log.matches += usize::from(!matches!(query.walk, Walk::Lapsed | Walk::Held { .. })));
        let scripted = self.script().on_list;
        let fault = scripted.unwrap_or_else(|| self.hanging(&query.queue));
        self.resumed().await;
        fault.around(self.store.list(query)).await
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        let scripted = self.script().on_prune;
        let fault = scripted.unwrap_or_else(|| self.hanging(&request.queue));
        fault.around(self.store.prune(request)).await
    }

    async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        let SeriesEntry { series, slot, writer, .. } = &entry;
        self.note(|log| log.series.push((series.to_string(), *slot, writer.to_string())));
        let fault = self.script().on_series.unwrap_or(Fault::None);
        fault.around(self.store.write_series(entry, ttl)).await
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        let fault = self.hanging(queue);
        fault.around(self.store.counts(queue)).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.note(|log| log.subscriptions += 1);
        let hints = self.script().hints;
        match hints {
            Hints::Pass => self.store.subscribe(queue, interest).await,
            Hints::Drop => Ok(Box::pin(futures_util::stream::pending())),
            Hints::End => Ok(Box::pin(futures_util::stream::empty())),
            Hints::Late(wait) | Hints::InTheWay(wait) => {
                let _connection = self.connection().await;
                sleep(wait).await;
                self.store.subscribe(queue, interest).await
            }
        }
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("hints", &self.hints).finish_non_exhaustive()
    }
}
