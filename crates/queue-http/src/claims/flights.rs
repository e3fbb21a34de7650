//! The claims that are under way in this service, by their tokens: a claim that is repeated has to
//! end before somebody looks for its jobs.

use parking_lot::Mutex;
use queue_core::LeaseToken;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
    time::Duration,
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// All claims that are under way.
#[derive(Debug, Default)]
pub(super) struct Flights(Arc<Mutex<HashMap<LeaseToken, Signals>>>);

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
    /// Begins a claim; `None` if one with this token is under way already.
    pub(super) fn begin(&self, token: LeaseToken) -> Option<Flight> {
        match self.0.lock().entry(token) {
            Entry::Occupied(_) => None,
            Entry::Vacant(entry) => {
                let signals = entry.insert(Signals::default()).clone();
                Some(Flight { flights: self.0.clone(), token, signals })
            }
        }
    }

    /// Tells the claim with this token to end, and waits until it has, but no longer than `most`.
    pub(super) async fn end(&self, token: LeaseToken, most: Duration) {
        let signals = self.0.lock().get(&token).cloned();
        if let Some(Signals { stop, over }) = signals {
            stop.cancel();
            // What it leased and did not deliver by then is found all the same, or goes back.
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
