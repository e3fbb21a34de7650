use super::{applier::Applier, batch::Pending};
use crate::worker::{settlement::Settlement, shared::Shared};
use futures_util::{StreamExt, stream::FuturesUnordered};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};
use tokio::sync::mpsc;

/// Stores outcomes in batches: whatever waits when the store is free goes next, nobody waits for a timer. A job keeps its
/// slot until its outcome is durable, and nothing is logged and dropped.
///
/// Outcomes of all queues share a call. Those of a queue that the store cannot take now go on by themselves, one call at a
/// time, and what comes of that queue meanwhile waits for them; so queues that are well do not wait for one that is not.
pub(in crate::worker) struct Settler {
    applier: Applier,
    inbox: mpsc::UnboundedReceiver<Settlement>,
    /// Every sender is gone, and what they sent was read.
    is_closed: bool,
    /// The most that is settled at once.
    batch_max: usize,
    /// To go in the next shared call.
    ready: VecDeque<Settlement>,
    /// The shared call has not ended.
    is_sending: bool,
    /// The queues that go on by themselves, by their place among the worker's, and what waits for each. No more than the
    /// worker holds jobs.
    apart: BTreeMap<usize, Vec<Settlement>>,
}

/// What is under way.
enum Work {
    Shared(Vec<Settlement>),
    OfQueue { lane: usize, later: Vec<Pending>, errors: u32 },
}

/// What has ended.
enum Ended {
    /// With what the store could not take.
    Shared(Vec<Pending>),
    OfQueue(usize),
}

impl Settler {
    pub(in crate::worker) fn new(shared: Arc<Shared>, inbox: mpsc::UnboundedReceiver<Settlement>) -> Self {
        let batch_max = shared.options.settle_batch_max.min(shared.storage.capabilities().limits.batch_max);
        Self {
            applier: Applier(shared),
            inbox,
            is_closed: false,
            batch_max,
            ready: VecDeque::new(),
            is_sending: false,
            apart: BTreeMap::new(),
        }
    }

    /// Ends when every sender is gone and everything they sent is settled or given up.
    pub(in crate::worker) async fn run(mut self) {
        let (mut calls, mut arrived) = (FuturesUnordered::new(), Vec::new());
        loop {
            calls.extend(self.next().map(|next| work(self.applier.clone(), next)));
            let reads = !self.is_sending && !self.is_closed;
            tokio::select! {
                biased;
                Some(ended) = calls.next() => {
                    let later = self.note(ended);
                    calls.extend(later.into_iter().map(|later| work(self.applier.clone(), later)));
                }
                count = self.inbox.recv_many(&mut arrived, self.batch_max), if reads => {
                    self.is_closed = count == 0;
                    arrived.drain(..).for_each(|settlement| self.sort(settlement));
                }
                else => return,
            }
        }
    }

    /// The next shared call, if none is under way.
    fn next(&mut self) -> Option<Work> {
        if self.is_sending || self.ready.is_empty() {
            return None;
        }
        self.is_sending = true;
        let count = self.ready.len().min(self.batch_max);
        Some(Work::Shared(self.ready.drain(..count).collect()))
    }

    fn sort(&mut self, settlement: Settlement) {
        match self.apart.get_mut(&settlement.job.lane()) {
            Some(waiting) => {
                self.applier.0.set_aside([&*settlement.job]);
                waiting.push(settlement);
            }
            None => self.ready.push_back(settlement),
        }
    }

    /// What follows: for each queue that the store could not take outcomes of, that they go on by themselves.
    fn note(&mut self, ended: Ended) -> Vec<Work> {
        match ended {
            Ended::Shared(later) => {
                self.is_sending = false;
                self.part(later)
            }
            Ended::OfQueue(lane) => {
                self.ready.extend(self.apart.remove(&lane).unwrap_or_default());
                self.applier.0.is_back(lane);
                Vec::new()
            }
        }
    }

    /// A queue that was asked alone waits before the next try. Of several any may be well, so each is tried at once.
    fn part(&mut self, later: Vec<Pending>) -> Vec<Work> {
        if later.is_empty() {
            return Vec::new();
        }
        self.applier.0.set_aside(later.iter().map(|pending| &*pending.settlement.job));
        let mut by_lane: BTreeMap<usize, Vec<Pending>> = BTreeMap::new();
        for pending in later {
            by_lane.entry(pending.lane()).or_default().push(pending);
        }
        self.apart.extend(by_lane.keys().map(|lane| (*lane, Vec::new())));
        let errors = u32::from(by_lane.len() == 1);
        by_lane.into_iter().map(|(lane, later)| Work::OfQueue { lane, later, errors }).collect()
    }
}

async fn work(applier: Applier, work: Work) -> Ended {
    match work {
        Work::Shared(settlements) => Ended::Shared(applier.settle(settlements).await),
        Work::OfQueue { lane, later, errors } => {
            applier.settle_later(later, errors).await;
            Ended::OfQueue(lane)
        }
    }
}
