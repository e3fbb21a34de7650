//! The loop that stores outcomes in batches.

use super::{Settlement, applier::Applier, settle_batch::PendingSettlement};
use crate::worker::run::WorkerRun;
use futures_util::{StreamExt, stream::FuturesUnordered};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};
use tokio::sync::mpsc;

/// Stores outcomes in batches: the outcomes that wait when the store is free go next, and none
/// waits for a timer. A job keeps its slot until its outcome is durable; no outcome is only logged.
///
/// Outcomes of all queues share a call. Outcomes of a queue that the store cannot take now go on by
/// themselves, one call at a time, and later outcomes of that queue wait for them. So queues that
/// are well do not wait for one that is not.
pub(in crate::worker) struct Settler {
    applier: Applier,
    inbox: mpsc::UnboundedReceiver<Settlement>,
    /// All senders have ended, and everything that they sent was read.
    is_closed: bool,
    /// The most that is settled at once.
    batch_max: usize,
    /// To go in the next shared call.
    ready: VecDeque<Settlement>,
    /// The shared call has not ended.
    is_sending: bool,
    /// The indexes of queues whose outcomes go on by themselves, and the outcomes that wait for
    /// each. They are no more than the jobs that the worker holds.
    apart: BTreeMap<usize, Vec<Settlement>>,
}

/// Settlements that go to the store together.
enum SettleWork {
    AllQueues(Vec<Settlement>),
    OfQueue { queue_index: usize, later: Vec<PendingSettlement>, errors: u32 },
}

/// What has ended.
enum SettleEnd {
    /// The shared call, with what the store could not take.
    AllQueues(Vec<PendingSettlement>),
    OfQueue(usize),
}

impl Settler {
    pub(in crate::worker) fn new(run: Arc<WorkerRun>, inbox: mpsc::UnboundedReceiver<Settlement>) -> Self {
        let batch_max = run.options.settle_batch_max.min(run.storage.capabilities().limits.batch_max);
        Self {
            applier: Applier(run),
            inbox,
            is_closed: false,
            batch_max,
            ready: VecDeque::new(),
            is_sending: false,
            apart: BTreeMap::new(),
        }
    }

    /// Settles until all senders have ended and everything that they sent is settled or given up.
    pub(in crate::worker) async fn settle(mut self) {
        let mut calls = FuturesUnordered::new();
        let mut arrived = Vec::new();
        loop {
            calls.extend(self.take_shared().map(|next| work(self.applier.clone(), next)));
            // While a shared call is in flight, what arrives waits in the channel and goes
            // together.
            let reads = !self.is_sending && !self.is_closed;
            tokio::select! {
                biased;
                Some(end) = calls.next() => {
                    let next = self.note(end);
                    calls.extend(next.into_iter().map(|next| work(self.applier.clone(), next)));
                }
                count = self.inbox.recv_many(&mut arrived, self.batch_max), if reads => {
                    self.is_closed = count == 0;
                    arrived.drain(..).for_each(|settlement| self.sort(settlement));
                }
                else => return,
            }
        }
    }

    /// Takes the outcomes of the next shared call, if none is in flight.
    fn take_shared(&mut self) -> Option<SettleWork> {
        if self.is_sending || self.ready.is_empty() {
            return None;
        }
        self.is_sending = true;
        let count = self.ready.len().min(self.batch_max);
        Some(SettleWork::AllQueues(self.ready.drain(..count).collect()))
    }

    fn sort(&mut self, settlement: Settlement) {
        match self.apart.get_mut(&settlement.job.queue_index()) {
            Some(waiting) => {
                self.applier.0.held.set_aside([&*settlement.job]);
                waiting.push(settlement);
            }
            None => self.ready.push_back(settlement),
        }
    }

    /// Answers what follows: the outcomes that the store could not take go on by themselves, queue
    /// by queue.
    fn note(&mut self, end: SettleEnd) -> Vec<SettleWork> {
        match end {
            SettleEnd::AllQueues(later) => {
                self.is_sending = false;
                self.part(later)
            }
            SettleEnd::OfQueue(queue_index) => {
                self.ready.extend(self.apart.remove(&queue_index).unwrap_or_default());
                self.applier.0.held.set_back(queue_index);
                Vec::new()
            }
        }
    }

    /// Parts outcomes by queue. A queue that was asked alone waits before the next try. Of several
    /// queues any may be well, so each is tried at once.
    fn part(&mut self, later: Vec<PendingSettlement>) -> Vec<SettleWork> {
        if later.is_empty() {
            return Vec::new();
        }
        self.applier.0.held.set_aside(later.iter().map(|pending| &*pending.settlement.job));
        let mut by_queue: BTreeMap<usize, Vec<PendingSettlement>> = BTreeMap::new();
        for pending in later {
            by_queue.entry(pending.queue_index()).or_default().push(pending);
        }
        self.apart.extend(by_queue.keys().map(|queue_index| (*queue_index, Vec::new())));
        let errors = u32::from(by_queue.len() == 1);
        let work = |(queue_index, later)| SettleWork::OfQueue { queue_index, later, errors };
        by_queue.into_iter().map(work).collect()
    }
}

async fn work(applier: Applier, work: SettleWork) -> SettleEnd {
    match work {
        SettleWork::AllQueues(settlements) => SettleEnd::AllQueues(applier.settle(settlements).await),
        SettleWork::OfQueue { queue_index, later, errors } => {
            applier.settle_later(later, errors).await;
            SettleEnd::OfQueue(queue_index)
        }
    }
}
