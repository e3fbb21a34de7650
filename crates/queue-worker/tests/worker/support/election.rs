//! Candidates of an election, and their reports.

use super::{FOREVER, Fault, Probe, span};
use parking_lot::Mutex;
use queue_core::{ClaimRequest, Claimed, SeededRng, Storage, WorkerId};
use queue_memory::MemoryStorage;
use queue_worker::{Leadership, LeadershipBuilder, LeadershipEvent, Term, TokioClock};
use std::sync::Arc;
use tokio::time::timeout;

/// One election on one store. Every candidate has its own handle, which misbehaves alone.
#[derive(Debug)]
pub(crate) struct Election {
    store: MemoryStorage,
    log: Arc<Mutex<Vec<String>>>,
}

/// The lease of every candidate, in milliseconds.
pub(crate) const LEASE_MS: u64 = 3000;

impl Election {
    pub(crate) fn new() -> Self {
        let store = MemoryStorage::with_clock(Arc::new(TokioClock::default()));
        Self { store, log: Arc::default() }
    }

    pub(crate) fn handle(&self) -> Arc<Probe> {
        Arc::new(Probe::new(self.store.another_handle()))
    }

    /// A candidate of this name on its own handle.
    pub(crate) fn candidate(&self, name: &'static str) -> (Leadership, Arc<Probe>) {
        let probe = self.handle();
        (self.builder(name, &probe).build().expect("valid settings"), probe)
    }

    pub(crate) fn builder(&self, name: &'static str, probe: &Arc<Probe>) -> LeadershipBuilder {
        let log = self.log.clone();
        Leadership::builder(probe.clone(), "test")
            .expect("a valid name")
            .lease(super::millis(LEASE_MS))
            .id(WorkerId::from_static(name))
            .rng(Arc::new(SeededRng::new(7)))
            .on_event(move |event| {
                log.lock().push(label(name, event));
            })
    }

    /// The events of the candidates, in order, such as `a elected`.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().clone()
    }

    /// Claims the election's job, which succeeds only while there is no leader.
    pub(crate) async fn claim(&self, leadership: &Leadership) -> Claimed {
        let (queue, worker) = (leadership.queue().clone(), WorkerId::from_static("stranger"));
        let request = ClaimRequest::new(queue, worker, 1, span(1000), &SeededRng::new(1));
        self.store.claim(request).await.expect("the store claims")
    }
}

/// Waits until the candidate leads.
pub(crate) async fn elected(leadership: &Leadership) -> Term {
    timeout(FOREVER, leadership.acquire()).await.expect("it is elected").expect("the store works")
}

/// From now on no heartbeat of this candidate arrives or is answered.
pub(crate) fn freeze(probe: &Probe) {
    probe.script().on_heartbeat = Some(Box::new(|_| Fault::Hang));
}

fn label(name: &str, event: &LeadershipEvent) -> String {
    match event {
        LeadershipEvent::Elected(_) => format!("{name} elected"),
        LeadershipEvent::Lost { reason, .. } => format!("{name} lost: {reason:?}"),
        LeadershipEvent::Error(error) => format!("{name} error: {:?}", error.kind()),
        other => format!("{name} {other:?}"),
    }
}
