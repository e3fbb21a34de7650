//! How a store file is opened.

use crate::reader::of_disk;
use queue_core::{Clock, ClockBound, Error, Finding, Limits, Result, SystemClock};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// How a store file is opened. Start with [`SqliteOptions::new`], change what you need, and hand it
/// to [`SqliteStorage::open`](crate::SqliteStorage::open).
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    pub(crate) path: PathBuf,
    pub(crate) create: Create,
    pub(crate) synchronous: Synchronous,
    pub(crate) limits: Limits,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) clock_bound: ClockBound,
    pub(crate) poll_interval: Duration,
    pub(crate) busy_timeout: Duration,
    pub(crate) pages_max: Option<u32>,
    pub(crate) file_system: Option<u64>,
}

/// What to do about a file that is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Create {
    /// Make it, for this user alone (mode 0600 on Unix). Its directory must exist.
    #[default]
    IfMissing,
    /// Answer an error, also for a file that is empty or has none of our tables: a mistyped path
    /// shall not look like an empty queue.
    Never,
}

/// What an acknowledged write survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Synchronous {
    /// A power cut: each commit is flushed to the disk before it is answered.
    #[default]
    Full,
    /// The end of the process, `kill -9` included. A power cut may take the newest commits, but
    /// damages nothing.
    Normal,
}

impl SqliteOptions {
    /// The file to keep the jobs in, with defaults for everything else.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            create: Create::default(),
            synchronous: Synchronous::default(),
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            clock_bound: ClockBound::default(),
            poll_interval: Duration::from_millis(500),
            busy_timeout: Duration::from_secs(5),
            pages_max: None,
            file_system: None,
        }
    }

    /// What to do about a file that is not there. Default: make it.
    #[must_use]
    pub fn create(mut self, create: Create) -> Self {
        self.create = create;
        self
    }

    /// What an acknowledged write survives. Default: a power cut.
    #[must_use]
    pub fn synchronous(mut self, synchronous: Synchronous) -> Self {
        self.synchronous = synchronous;
        self
    }

    /// What the store accepts.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Where store time comes from. Processes that share a file share its time through the file.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self.clock_step_max(Duration::MAX)
    }

    /// The clock may leap ahead by this much, beyond the time that a handle has measured by itself;
    /// see [`ClockBound`]. A call that finds it further ahead answers `Unavailable` with a
    /// [`ClockLeap`](queue_core::ClockLeap) as its source, and nothing is read or written. Default:
    /// [one hour](ClockBound::STEP_MAX) for the clock of the machine, no bound for one that is
    /// [given](Self::clock).
    #[must_use]
    pub fn clock_step_max(mut self, step: Duration) -> Self {
        self.clock_bound = ClockBound::new(step);
        self
    }

    /// How often subscribers look for writes of other processes where the operating system reports
    /// none. Default 500 ms; usually it does report them, at once.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// How long a write waits for other processes before it answers `Unavailable`, from its turn
    /// on: writes of this handle that came earlier wait first. In real time and not by the store's
    /// clock. Default 5 s.
    #[must_use]
    pub fn busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// A full disk for tests: the file may have so many pages.
    #[doc(hidden)]
    #[must_use]
    pub fn pages_max(mut self, pages: u32) -> Self {
        self.pages_max = Some(pages);
        self
    }

    /// Another kind of file system for tests, by its number on Linux.
    #[doc(hidden)]
    #[must_use]
    pub fn file_system(mut self, number: u64) -> Self {
        self.file_system = Some(number);
        self
    }

    /// The findings `disk-kind` and `disk-room` of the place of the file, which is not opened: for
    /// a file that cannot be opened.
    pub fn diagnose_disk(&self) -> Vec<Finding> {
        of_disk(self).into()
    }

    /// Checks once what cannot be wrong afterwards. A path becomes absolute, so that SQLite takes
    /// none for a URI or for one of its special names.
    pub(crate) fn checked(mut self) -> Result<Self> {
        if self.poll_interval.is_zero() {
            return Err(Error::invalid("open", "the poll interval must be longer than zero"));
        }
        let absolute = std::path::absolute(&self.path);
        self.path = absolute
            .map_err(|error| Error::invalid("open", "the path must not be empty").with_source(error))?;
        // What the store can do is no choice of its user.
        self.limits.gates = true;
        self.limits.partitions = true;
        Ok(self)
    }
}
