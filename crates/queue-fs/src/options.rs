//! How a store directory is opened.

use crate::sys::Fs;
use queue_core::{Clock, ClockBound, Error, Finding, Limits, Result, Rng, SystemClock, SystemRng};
use queue_store::disk;
use std::{path::PathBuf, sync::Arc, time::Duration};

/// A segment is closed once it is this long. Shorter ones are read faster when a store is opened,
/// longer ones are made less often, and each costs three flushes.
const SEGMENT_BYTES: u64 = 4 << 20;
/// Disk space reserved for settling jobs on a full disk: enough to claim and settle the smallest
/// jobs of one segment, and to relocate the rest of it.
const RESERVE_BYTES: u64 = 2 * SEGMENT_BYTES;

/// A call becomes one record, which is read in one piece.
const CALL_BYTES_MAX: usize = 256 << 20;

/// How a store directory is opened. Start with [`FsOptions::new`], change what you need, and hand
/// it to [`FsStorage::open`](crate::FsStorage::open).
#[derive(Clone, Debug)]
pub struct FsOptions {
    pub(crate) path: PathBuf,
    pub(crate) create: Create,
    pub(crate) flush: Flush,
    pub(crate) limits: Limits,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) clock_bound: ClockBound,
    pub(crate) rng: Arc<dyn Rng>,
    pub(crate) poll_interval: Duration,
    pub(crate) busy_timeout: Duration,
    pub(crate) memory_budget_bytes: u64,
    pub(crate) segment_bytes: u64,
    pub(crate) reserve_bytes: u64,
    pub(crate) fs: Option<Arc<dyn Fs>>,
}

/// What to do about a store that is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Create {
    /// Make it, in an empty directory or a new one for this user alone (mode 0700). The directory
    /// above it must exist.
    #[default]
    IfMissing,
    /// Answer an error, and make nothing: a mistyped path shall not look like an empty queue.
    Never,
}

/// When writes are flushed to the disk, and so what an acknowledged write survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Flush {
    /// Before they are answered: they survive a power cut.
    #[default]
    Always,
    /// This long after the first write that was not flushed, and at close. They survive the end of
    /// the process, `kill -9` included; a power cut may take what was written in about this time,
    /// but damages nothing.
    Every(Duration),
    /// At close, and whenever the operating system sees fit. They survive the end of the process.
    Never,
}

impl FsOptions {
    /// The directory to keep the jobs in, with defaults for everything else.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            create: Create::default(),
            flush: Flush::default(),
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            clock_bound: ClockBound::default(),
            rng: Arc::new(SystemRng),
            poll_interval: Duration::from_millis(500),
            busy_timeout: Duration::from_secs(5),
            memory_budget_bytes: 64 << 20,
            segment_bytes: SEGMENT_BYTES,
            reserve_bytes: RESERVE_BYTES,
            fs: None,
        }
    }

    /// What to do about a store that is not there. Default: make it.
    #[must_use]
    pub fn create(mut self, create: Create) -> Self {
        self.create = create;
        self
    }

    /// When writes are flushed. Default: before they are answered.
    #[must_use]
    pub fn flush(mut self, flush: Flush) -> Self {
        self.flush = flush;
        self
    }

    /// What the store accepts.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Where store time comes from. Processes that share a directory share its time through the
    /// journal.
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

    /// How long a write waits for other processes before it answers `Unavailable`. Default 5 s.
    #[must_use]
    pub fn busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// How many bytes of payloads and results this handle keeps in memory. What is beyond is read
    /// from the files when it is asked for. Metadata are always in memory: about half a KiB for
    /// each job that waits. Default 64 MiB.
    #[must_use]
    pub fn memory_budget_bytes(mut self, bytes: u64) -> Self {
        self.memory_budget_bytes = bytes;
        self
    }

    /// Where the salts of segments come from, so that a simulation can be repeated.
    #[doc(hidden)]
    #[must_use]
    pub fn rng(mut self, rng: Arc<dyn Rng>) -> Self {
        self.rng = rng;
        self
    }

    /// Small segments, so that tests see many of them.
    #[doc(hidden)]
    #[must_use]
    pub fn segment_bytes(mut self, bytes: u64) -> Self {
        self.segment_bytes = bytes;
        self
    }

    /// A small reserve, for tests with small disks.
    #[doc(hidden)]
    #[must_use]
    pub fn reserve_bytes(mut self, bytes: u64) -> Self {
        self.reserve_bytes = bytes;
        self
    }

    /// Another file system, for tests that cut its power.
    #[doc(hidden)]
    #[must_use]
    pub fn fs(mut self, fs: Arc<dyn Fs>) -> Self {
        self.fs = Some(fs);
        self
    }

    /// The findings `disk-kind` and `disk-room` of the place of the directory, which is not opened:
    /// for one that cannot be opened.
    pub fn diagnose_disk(&self) -> Vec<Finding> {
        vec![disk::kind(&self.path), disk::room(&self.path)]
    }

    /// Checks once what cannot be wrong afterwards.
    pub(crate) fn checked(mut self) -> Result<Self> {
        if self.poll_interval.is_zero() || self.flush == Flush::Every(Duration::ZERO) {
            return Err(Error::invalid("open", "the poll and flush intervals must be longer than zero"));
        }
        if self.limits.call_bytes_max > CALL_BYTES_MAX {
            return Err(Error::invalid("open", "calls have at most 256 MiB in this store"));
        }
        let absolute = std::path::absolute(&self.path);
        self.path = absolute
            .map_err(|error| Error::invalid("open", "the path must not be empty").with_source(error))?;
        Ok(self)
    }
}
