//! The claims under way in this service, by their tokens. A repeated claim must wait for the first
//! one to end before its jobs are looked up, and a first one that arrives late must not begin.

use super::repeated::Repeated;
use parking_lot::Mutex;
use queue_core::LeaseToken;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
    time::Duration,
};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// All claims that are under way, and those that were repeated lately.
#[derive(Debug, Default)]
pub(super) struct Flights {
    under_way: Arc<Mutex<HashMap<LeaseToken, Signals>>>,
    repeated: Mutex<Repeated>,
}

#[derive(Clone, Debug, Default)]
struct Signals {
    stop: CancellationToken,
    over: CancellationToken,
}

/// A claim that is under way until this is dropped.
#[derive(Debug)]
pub(super) struct Flight {
    flights: Arc<Mutex<HashMap<LeaseToken, Signals>>>,
    token: LeaseToken,
    signals: Signals,
}

impl Flights {
    /// Begins a claim; `None` if one with this token is under way already, or was repeated. After a
    /// repetition the first caller has left, so no caller would learn what a late claim leases.
    pub(super) fn begin(&self, token: LeaseToken) -> Option<Flight> {
        let mut under_way = self.under_way.lock();
        if self.repeated.lock().has(&token) {
            return None;
        }
        match under_way.entry(token) {
            Entry::Occupied(_) => None,
            Entry::Vacant(entry) => {
                let signals = entry.insert(Signals::default()).clone();
                Some(Flight { flights: self.under_way.clone(), token, signals })
            }
        }
    }

    /// Asks the claim with this token to end, and waits until it has ended, at most for `most`. A
    /// cut connection may be read after the repetition that followed it, so the claim may not have
    /// begun yet: then it never begins.
    pub(super) async fn end(&self, token: LeaseToken, most: Duration) {
        let signals = {
            let under_way = self.under_way.lock();
            self.repeated.lock().note(token, Instant::now());
            under_way.get(&token).cloned()
        };
        if let Some(Signals { stop, over }) = signals {
            stop.cancel();
            // Jobs that it leased and did not deliver by then are found by the repetition, or are
            // given back.
            let _ = timeout(most, over.cancelled()).await;
        }
    }
}

impl Flight {
    /// Waits until the claim is to end.
    pub(super) async fn stopped(&self) {
        self.signals.stop.cancelled().await;
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.flights.lock().remove(&self.token);
        self.signals.over.cancel();
    }
}
