//! The claims that are under way in this service, by their tokens: a claim that is repeated has to
//! end before somebody looks for its jobs, also if it arrives behind its repetition.

use parking_lot::Mutex;
use queue_core::LeaseToken;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
    time::Duration,
};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// How long a repeated claim may still arrive: a worker that went away sent it before that.
const LATE_FOR: Duration = Duration::from_mins(1);
/// The most repeated claims that are remembered.
const REPEATED_MAX: usize = 10_000;

/// All claims that are under way, and those that were repeated.
#[derive(Debug, Default)]
pub(super) struct Flights(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    under_way: HashMap<LeaseToken, Signals>,
    /// Since when.
    repeated: HashMap<LeaseToken, Instant>,
}

#[derive(Clone, Debug, Default)]
struct Signals {
    stop: CancellationToken,
    over: CancellationToken,
}

/// A claim that is under way until this is dropped.
#[derive(Debug)]
pub(super) struct Flight {
    flights: Arc<Mutex<Known>>,
    token: LeaseToken,
    signals: Signals,
}

impl Flights {
    /// Begins a claim; `None` if one with this token is under way already, or was repeated.
    pub(super) fn begin(&self, token: LeaseToken) -> Option<Flight> {
        let mut known = self.0.lock();
        if known.repeated.contains_key(&token) {
            return None;
        }
        match known.under_way.entry(token) {
            Entry::Occupied(_) => None,
            Entry::Vacant(entry) => {
                let signals = entry.insert(Signals::default()).clone();
                Some(Flight { flights: self.0.clone(), token, signals })
            }
        }
    }

    /// Tells the claim with this token to end, and waits until it has, but no longer than `most`. If
    /// it is still on its way here, it will not begin.
    pub(super) async fn end(&self, token: LeaseToken, most: Duration) {
        let signals = {
            let mut known = self.0.lock();
            known.note_repeated(token);
            known.under_way.get(&token).cloned()
        };
        if let Some(Signals { stop, over }) = signals {
            stop.cancel();
            // What it leased and did not deliver by then is found all the same, or goes back.
            let _ = timeout(most, over.cancelled()).await;
        }
    }
}

impl Known {
    fn note_repeated(&mut self, token: LeaseToken) {
        if self.repeated.len() >= REPEATED_MAX {
            self.repeated.retain(|_, at| at.elapsed() < LATE_FOR);
        }
        if self.repeated.len() < REPEATED_MAX {
            self.repeated.insert(token, Instant::now());
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
        self.flights.lock().under_way.remove(&self.token);
        self.signals.over.cancel();
    }
}
