//! A queue of a worker, checked, with what the parts of the worker know of it.

use super::{InvalidWorker, WorkQueue};
use crate::worker::{
    hold::ClockReading,
    rate::{QueueRate, RateLimit},
};
use parking_lot::Mutex;
use queue_core::{Claimed, Error, Kind, QueueName, Result};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};

/// Most queues on one worker. Each costs claims of its own.
const QUEUES_MAX: usize = 100;
/// The largest weight. Only the proportion of weights counts.
const WEIGHT_MAX: u32 = 1000;

/// A queue of a worker, and what the parts of the worker tell each other about it. All runs share
/// it, so that its rate limit holds over them together.
#[derive(Debug)]
pub(in crate::worker) struct WorkedQueue {
    pub(in crate::worker) name: QueueName,
    pub(in crate::worker) weight: u32,
    pub(in crate::worker) rate: Option<Arc<QueueRate>>,
    /// When a claim was answered last, with which the pauses came.
    told: Mutex<Option<ClockReading>>,
    paused: AtomicBool,
    /// Whether there are paused kinds, so that queues without them take no lock.
    has_paused_kinds: AtomicBool,
    paused_kinds: Mutex<Vec<Kind>>,
}

impl WorkedQueue {
    /// Checks the queues of a worker, all together. `rate_freed` fires when the reservation of a
    /// start under a rate limit ends.
    pub(in crate::worker) fn check_all(
        queues: Vec<WorkQueue>,
        rate_freed: &Arc<Notify>,
    ) -> Result<Vec<Arc<Self>>> {
        if queues.len() > QUEUES_MAX {
            return Err(invalid(format!("a worker has at most {QUEUES_MAX} queues")));
        }
        let mut names = BTreeSet::new();
        for queue in &queues {
            InvalidWorker::check_queue(&queue.name)?;
            if !names.insert(&queue.name) {
                return Err(invalid(format!("the queue {:?} stands twice in a worker", queue.name)));
            }
            if !(1..=WEIGHT_MAX).contains(&queue.weight) {
                let message =
                    format!("the weight of the queue {:?} must be from 1 to {WEIGHT_MAX}", queue.name);
                return Err(invalid(message));
            }
            queue.rate_limit.as_ref().map_or(Ok(()), RateLimit::check)?;
        }
        let now = Instant::now();
        Ok(queues.into_iter().map(|queue| Arc::new(Self::new(queue, rate_freed, now))).collect())
    }

    fn new(queue: WorkQueue, rate_freed: &Arc<Notify>, now: Instant) -> Self {
        let rate = queue.rate_limit.map(|limit| Arc::new(QueueRate::new(&limit, rate_freed.clone(), now)));
        Self {
            name: queue.name,
            weight: queue.weight,
            rate,
            told: Mutex::default(),
            paused: AtomicBool::new(false),
            has_paused_kinds: AtomicBool::new(false),
            paused_kinds: Mutex::default(),
        }
    }

    /// Whether the queue or this kind was paused at the last claim.
    pub(in crate::worker) fn pauses(&self, kind: &Kind) -> bool {
        let is_of_kinds = self.has_paused_kinds.load(Ordering::Relaxed);
        self.paused.load(Ordering::Relaxed) || (is_of_kinds && self.paused_kinds.lock().contains(kind))
    }

    /// Notes the pauses that the answer to a claim came with, and answers whether there are any. An
    /// answer that a later one has overtaken changes nothing.
    pub(in crate::worker) fn note_pauses(&self, answer: &Claimed, now: Instant) -> bool {
        let mut told = self.told.lock();
        if told.is_some_and(|told| told.is_later_than(answer.now)) {
            return false;
        }
        *told = Some(ClockReading::at(answer.now, now));
        self.paused.store(answer.pause.is_on(), Ordering::Relaxed);
        let has_paused_kinds = !answer.paused_kinds.is_empty();
        if self.has_paused_kinds.swap(has_paused_kinds, Ordering::Relaxed) || has_paused_kinds {
            *self.paused_kinds.lock() =
                answer.paused_kinds.iter().map(|paused| paused.kind.clone()).collect();
        }
        answer.pause.is_on() || has_paused_kinds
    }

    /// Whether a claim was answered so short a time before.
    pub(in crate::worker) fn was_told_within(&self, span: Duration, now: Instant) -> bool {
        self.told.lock().is_some_and(|told| told.age(now) < span)
    }
}

fn invalid(message: String) -> Error {
    Error::invalid("build worker", message)
}
