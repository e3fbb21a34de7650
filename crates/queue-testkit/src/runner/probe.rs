//! Finds out which cases a store supports by opening one, so that nothing is declared twice.

use super::{
    HANG_AFTER,
    trial::{Threads, on_own_thread},
};
use crate::{
    Facility, Harness,
    bench::Bench,
    cases::Need,
    watch::{Deadline, OpenCalls, WatchedHarness},
};
use queue_core::{ErrorKind, EventReach, Storage};
use std::sync::Arc;

/// The needs that this store and its harness meet.
pub(super) fn probe(harness: &Arc<dyn Harness>) -> Result<Vec<Need>, String> {
    let harness = harness.clone();
    let calls = OpenCalls::default();
    let watched = Arc::new(WatchedHarness::new(harness.clone(), calls.clone()));
    on_own_thread("probe", Threads::One, Deadline::new(&calls, HANG_AFTER), move || async move {
        let bench = Bench::open(watched).await;
        let store = bench.store();
        let mut support = supported(&*store, harness.facilities());
        match store.verify().await {
            Err(error) if error.kind() == ErrorKind::Unsupported => {}
            _ => support.push(Need::Verify),
        }
        bench.clean_up().await;
        support
    })
}

fn supported(store: &dyn Storage, facilities: &[Facility]) -> Vec<Need> {
    let capabilities = store.capabilities();
    let facts = [
        (Need::Pause, capabilities.pause),
        (Need::Attempts, capabilities.attempts),
        (Need::Import, capabilities.import),
        (Need::Gates, capabilities.limits.gates),
        (Need::Partitions, capabilities.limits.partitions),
        (Need::Presence, capabilities.presence),
        (Need::Series, capabilities.series),
        (Need::Hints, capabilities.events != EventReach::None),
        (Need::Reopen, facilities.contains(&Facility::Reopen)),
        (Need::SecondHandle, facilities.contains(&Facility::SecondHandle)),
        (Need::DroppedClaims, facilities.contains(&Facility::DroppedClaims)),
        (Need::ClockBound, facilities.contains(&Facility::ClockBound)),
        (Need::Transactions, facilities.contains(&Facility::Transactions)),
    ];
    facts.into_iter().filter_map(|(need, holds)| holds.then_some(need)).collect()
}
