//! The store of a case with its clock: opening, closing, second handles and other queues.

use crate::{CallersTransaction, Harness, Place};
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Clock, ManualClock, QueueName, SeededRng, Span, Storage, Timestamp};
use std::{collections::BTreeSet, fmt, sync::Arc, time::Duration};

/// A handle on the store under test, bound to one queue. Clones share the handle.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    source: SharedHarness,
    place: Arc<dyn Place>,
    store: Arc<Mutex<Option<Arc<dyn Storage>>>>,
    pub(crate) clock: Arc<ManualClock>,
    pub(super) rng: Arc<SeededRng>,
    pub(super) queue: QueueName,
    pub(super) queues: Arc<Mutex<BTreeSet<QueueName>>>,
}

/// The harness that makes places.
#[derive(Clone)]
struct SharedHarness(Arc<dyn Harness>);

impl fmt::Debug for SharedHarness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedHarness(..)")
    }
}

impl Bench {
    /// Opens an empty store.
    pub(crate) async fn open(harness: Arc<dyn Harness>) -> Self {
        let clock = Arc::new(ManualClock::default());
        let place: Arc<dyn Place> =
            harness.create(clock.clone()).await.expect("the harness makes a place").into();
        Self::at(harness, clock, place).await
    }

    /// Opens another empty store, whose clock may leap ahead by no more than this. It has a clock
    /// of its own.
    pub(crate) async fn bounded(&self, step_max: Duration) -> Self {
        let (harness, clock) = (self.harness(), Arc::new(ManualClock::default()));
        let place = harness.create_bounded(clock.clone(), step_max).await.expect("the harness makes a place");
        Self::at(harness, clock, place.into()).await
    }

    async fn at(harness: Arc<dyn Harness>, clock: Arc<ManualClock>, place: Arc<dyn Place>) -> Self {
        let store = place.connect().await.expect("the store opens");
        let queue = QueueName::from_static("conformance");
        Self {
            source: SharedHarness(harness),
            place,
            store: Arc::new(Mutex::new(Some(store))),
            clock,
            rng: Arc::new(SeededRng::new(0x5EED)),
            queues: Arc::new(Mutex::new(BTreeSet::from([queue.clone()]))),
            queue,
        }
    }

    /// The harness that this store came from.
    pub(crate) fn harness(&self) -> Arc<dyn Harness> {
        self.source.0.clone()
    }

    pub(crate) fn store(&self) -> Arc<dyn Storage> {
        self.open_store().expect("the case has not closed its store")
    }

    pub(super) fn open_store(&self) -> Option<Arc<dyn Storage>> {
        self.slot().clone()
    }

    /// The queue that the helpers use.
    pub(crate) fn queue(&self) -> &QueueName {
        &self.queue
    }

    /// The same handle, bound to another queue.
    pub(crate) fn on_queue(&self, name: &str) -> Self {
        let queue = QueueName::new(name).expect("a valid queue name");
        self.queues.lock().insert(queue.clone());
        Self { queue, ..self.clone() }
    }

    /// Opens a second handle on the same data.
    pub(crate) async fn second(&self) -> Self {
        let store = self.place.connect().await.expect("a second handle opens");
        Self { store: Arc::new(Mutex::new(Some(store))), ..self.clone() }
    }

    /// Begins a transaction of an application, which the store joins.
    pub(crate) async fn begin(&self) -> Box<dyn CallersTransaction> {
        self.place.begin(self.store()).await.expect("a transaction begins")
    }

    /// Closes the store for good and returns the handle, for cases about closed handles.
    pub(crate) async fn close(&self) -> Arc<dyn Storage> {
        let store = self.slot().take().expect("closed once");
        store.close().await.expect("closing works");
        store
    }

    /// Closes the store and opens its data again.
    pub(crate) async fn reopen(&self) {
        drop(self.close().await);
        let store = self.place.connect().await.expect("the store opens again");
        *self.slot() = Some(store);
    }

    /// Lets the place remove its data.
    pub(crate) async fn clean_up(&self) {
        let open = self.slot().take();
        if let Some(store) = open {
            drop(store.close().await);
        }
        self.place.clean_up().await.expect("the place cleans up");
    }

    /// Moves the clock forward.
    pub(crate) fn advance(&self, by: Span) {
        self.clock.advance(by.as_duration());
    }

    /// Moves the clock back, as a machine's clock may be set.
    pub(crate) fn step_back(&self, by: Span) {
        self.clock.set(Timestamp::from_millis(self.clock.now().as_millis() - by.as_millis()));
    }

    /// The reading of the clock, which is the store's time unless the clock was set back.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<dyn Storage>>> {
        self.store.lock()
    }
}
