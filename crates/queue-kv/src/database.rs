//! One database of the process, and what its handles share.

use crate::{
    Kv,
    clock::KvClock,
    failure::KvResult,
    view::{View, mark},
};
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Capabilities, Clock, ClockBound, EventReach, Reach, Result};
use queue_store::{Hub, NoticeLevel, Notices};
use std::{
    fmt,
    sync::{Arc, Weak},
    time::Duration,
};

/// A database with its clock. Handles are [opened](crate::KvStorage::open) on it; the handles of
/// one `KvDatabase` share hints and time. The database is released when the last of them is closed
/// or dropped.
pub struct KvDatabase {
    pub(crate) kv: Box<dyn Kv>,
    pub(crate) capabilities: Capabilities,
    pub(crate) clock: KvClock,
    /// One hub for each handle, so that closing one ends no stream of another. A committing thread
    /// holds the lock until the hints are published, so that the hints of one job keep their order.
    hubs: Mutex<Vec<Weak<Hub>>>,
}

impl KvDatabase {
    /// Takes a database for the handles of this process. Open it once: handles of two `KvDatabase`s
    /// see the same jobs, but no hints of each other.
    ///
    /// All processes that write to one database should have clocks that agree roughly; a clock that
    /// is ahead moves the store time of the others. This one may leap ahead as it likes.
    pub fn new(kv: impl Kv, clock: Arc<dyn Clock>) -> Arc<Self> {
        Self::bounded(kv, clock, ClockBound::new(Duration::MAX))
    }

    /// The same with a bound on how far the clock may leap ahead, which the clock of a machine
    /// should have: a call that finds a [`ClockLeap`](queue_core::ClockLeap) does nothing and fails
    /// as [`Unavailable`](queue_core::ErrorKind::Unavailable).
    pub fn bounded(kv: impl Kv, clock: Arc<dyn Clock>, clock_bound: ClockBound) -> Arc<Self> {
        let own = kv.capabilities();
        // This process gets no hints of writes by other processes.
        let events = if own.reach == Reach::Process { EventReach::Store } else { EventReach::None };
        let capabilities = own
            .with_events(events)
            .with_presence()
            .with_pause()
            .with_attempts()
            .with_import()
            .with_series()
            .with_gates()
            .with_partitions();
        let clock = KvClock::new(clock, clock_bound);
        Arc::new(Self { kv: Box::new(kv), capabilities, clock, hubs: Mutex::default() })
    }

    /// Runs a read at one moment of the database.
    pub(crate) fn read<T>(
        &self,
        operation: &'static str,
        read: impl FnOnce(&View<'_>) -> KvResult<T>,
    ) -> Result<T> {
        self.read_once(read).map_err(|failure| failure.of(operation))
    }

    fn read_once<T>(&self, read: impl FnOnce(&View<'_>) -> KvResult<T>) -> KvResult<T> {
        let snapshot = self.kv.begin_read()?;
        let view = View::new(&*snapshot, self.clock.moment(mark(&*snapshot)?)?);
        let answer = read(&view)?;
        self.clock.tell(view.moment);
        Ok(answer)
    }

    /// Adds the hub of a handle. Waits for the present commit.
    pub(crate) fn new_hub(&self) -> Arc<Hub> {
        let hub = Arc::new(Hub::default());
        let mut hubs = self.hubs();
        hubs.retain(|hub| hub.strong_count() > 0);
        hubs.push(Arc::downgrade(&hub));
        drop(hubs);
        hub
    }

    /// The turn of one writer; dropping the guard ends it.
    pub(crate) fn turn(&self) -> WriterTurn<'_> {
        WriterTurn(self.hubs())
    }

    fn hubs(&self) -> MutexGuard<'_, Vec<Weak<Hub>>> {
        self.hubs.lock()
    }
}

impl fmt::Debug for KvDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KvDatabase").field("kv", &self.kv).finish_non_exhaustive()
    }
}

/// Held from before a transaction begins until its hints are published.
pub(crate) struct WriterTurn<'a>(MutexGuard<'a, Vec<Weak<Hub>>>);

impl WriterTurn<'_> {
    /// The hints that the subscribers of all handles want.
    pub(crate) fn wanted(&self) -> NoticeLevel {
        if self.open_hubs().any(|hub| hub.has_subscribers()) {
            NoticeLevel::Everything
        } else {
            NoticeLevel::Nothing
        }
    }

    pub(crate) fn publish(&self, notices: &Notices) {
        self.open_hubs().for_each(|hub| notices.publish(&hub));
    }

    fn open_hubs(&self) -> impl Iterator<Item = Arc<Hub>> {
        self.0.iter().filter_map(Weak::upgrade)
    }
}
