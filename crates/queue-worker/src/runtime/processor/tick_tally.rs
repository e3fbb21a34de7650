//! Counts the events of one tick, and frees its slots.

use super::{ProcessorEvent, TickReport, event::Observer};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use tokio::sync::{Notify, OwnedSemaphorePermit};

/// Counts the events of one tick on their way to the observer, and frees the slot of each item that
/// is over.
pub(super) struct TickTally<T> {
    observer: Arc<Observer<T>>,
    state: Mutex<TallyState>,
    freed: Arc<Notify>,
}

struct TallyState {
    report: TickReport,
    /// Items that are not over. A source may have brought more than there were slots.
    items: usize,
    slots: Option<OwnedSemaphorePermit>,
}

impl<T> TickTally<T> {
    /// The tally of a claim for these slots that brought this many items.
    pub(super) fn new(
        observer: Arc<Observer<T>>,
        slots: OwnedSemaphorePermit,
        items: usize,
        freed: Arc<Notify>,
    ) -> Self {
        let report = TickReport { asked: slots.num_permits(), claimed: items, ..TickReport::default() };
        let mut state = TallyState { report, items, slots: Some(slots) };
        state.free_slots();
        Self { observer, state: Mutex::new(state), freed }
    }

    pub(super) fn emit(&self, event: &ProcessorEvent<'_, T>) {
        self.count(event);
        self.observer.tell(event);
    }

    fn count(&self, event: &ProcessorEvent<'_, T>) {
        let mut state = self.state();
        state.report.count(event);
        if event.is_last() {
            state.items = state.items.saturating_sub(1);
            state.free_slots();
            drop(state);
            self.freed.notify_waiters();
        }
    }

    pub(super) fn report(&self) -> TickReport {
        self.state().report
    }

    /// Frees every slot when the tick is dropped, though a handler may end a moment later.
    pub(super) fn free_when_dropped(self: &Arc<Self>) -> impl Drop + use<T> {
        FreeWhenDropped(self.clone())
    }

    fn state(&self) -> MutexGuard<'_, TallyState> {
        self.state.lock()
    }
}

impl TallyState {
    /// Frees the slots that no item needs.
    fn free_slots(&mut self) {
        let items = self.items;
        if let Some(slots) = &mut self.slots {
            drop(slots.split(slots.num_permits().saturating_sub(items)));
        }
    }
}

struct FreeWhenDropped<T>(Arc<TickTally<T>>);

impl<T> Drop for FreeWhenDropped<T> {
    fn drop(&mut self) {
        drop(self.0.state().slots.take());
        self.0.freed.notify_waiters();
    }
}
