//! The ready-made harness of stores that keep their data below a directory.

use crate::{CallersTransaction, Facility, Failure, Harness, Place};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use queue_core::{Clock, Storage};
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Weak},
    time::Duration,
};
use tempfile::TempDir;

type Open = dyn Fn(PathBuf, Arc<dyn Clock>) -> BoxFuture<'static, Opened> + Send + Sync;
type OpenBounded = dyn Fn(PathBuf, Arc<dyn Clock>, Duration) -> BoxFuture<'static, Opened> + Send + Sync;
type Begin = dyn Fn(PathBuf, Arc<dyn Storage>) -> BoxFuture<'static, Begun> + Send + Sync;
type Opened = Result<Arc<dyn Storage>, Failure>;
type Begun = Result<Box<dyn CallersTransaction>, Failure>;

/// The harness of a store that keeps its data below a directory. Each trial has its own directory,
/// which is removed at the end of the trial; every handle of a trial opens the same path in it.
///
/// The suite opens handles again after the last one was closed ([`Facility::Reopen`]), and opens a
/// second one beside the first ([`Facility::SecondHandle`]). [`new`](Self::new) is for data that
/// several handles can open, [`sharing`](Self::sharing) for a database that can be open only once,
/// whose handles share it.
///
/// ```
/// use queue_core::{Clock, Storage};
/// use queue_testkit::{EmbeddedHarness, Facility, Failure};
/// use std::{path::PathBuf, sync::Arc};
///
/// # struct MyStorage;
/// # impl MyStorage {
/// #     async fn open(_: PathBuf, clock: Arc<dyn Clock>) -> Result<queue_memory::MemoryStorage, Failure> {
/// #         Ok(queue_memory::MemoryStorage::with_clock(clock))
/// #     }
/// # }
/// async fn open(path: PathBuf, clock: Arc<dyn Clock>) -> Result<Arc<dyn Storage>, Failure> {
///     Ok(Arc::new(MyStorage::open(path, clock).await?))
/// }
///
/// let harness = EmbeddedHarness::new(open).with_facilities([Facility::DroppedClaims]);
/// // fn main() -> ExitCode { queue_testkit::run("mine", harness) }
/// # drop(harness);
/// ```
#[derive(Clone)]
pub struct EmbeddedHarness {
    open: Arc<Open>,
    begin: Option<Arc<Begin>>,
    open_bounded: Option<Arc<OpenBounded>>,
    facilities: Vec<Facility>,
    snapshot: Option<PathBuf>,
}

impl EmbeddedHarness {
    /// Opens each handle by this function, at a path that is the same for all handles of a trial.
    /// At first nothing exists there, except the directory that contains the path.
    pub fn new<F>(open: impl Fn(PathBuf, Arc<dyn Clock>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Opened> + Send + 'static,
    {
        Self {
            open: Arc::new(move |path, clock| Box::pin(open(path, clock))),
            begin: None,
            open_bounded: None,
            facilities: vec![Facility::Reopen, Facility::SecondHandle],
            snapshot: None,
        }
    }

    /// Opens a database by `open` for the first handle of a trial, and each handle on it by
    /// `connect`. When no handle has the database any more, the next handle opens it again. So the
    /// database must be dropped with its last handle.
    ///
    /// ```
    /// # use queue_core::{Clock, Storage};
    /// # use queue_testkit::{EmbeddedHarness, Facility, Failure};
    /// # use std::{path::PathBuf, sync::Arc};
    /// # type MyDatabase = queue_memory::MemoryStorage;
    /// fn open(path: PathBuf, clock: Arc<dyn Clock>) -> Result<Arc<MyDatabase>, Failure> {
    ///     # let _ = path;
    ///     Ok(Arc::new(MyDatabase::with_clock(clock)))
    /// }
    ///
    /// async fn connect(database: Arc<MyDatabase>) -> Result<Arc<dyn Storage>, Failure> {
    ///     Ok(Arc::new(database.another_handle()))
    /// }
    ///
    /// let harness = EmbeddedHarness::sharing(open, connect).with_facilities([Facility::DroppedClaims]);
    /// // fn main() -> ExitCode { queue_testkit::run("mine", harness) }
    /// # drop(harness);
    /// ```
    pub fn sharing<D, F>(
        open: impl Fn(PathBuf, Arc<dyn Clock>) -> Result<Arc<D>, Failure> + Send + Sync + 'static,
        connect: impl Fn(Arc<D>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        D: Send + Sync + 'static,
        F: Future<Output = Opened> + Send + 'static,
    {
        let databases = OpenDatabases { by_path: Mutex::default() };
        Self::new(move |path, clock| {
            let handle = databases.get_or(path, |path| open(path, clock)).map(&connect);
            async move { handle?.await }
        })
    }

    /// Adds further facilities of the store.
    #[must_use]
    pub fn with_facilities(mut self, facilities: impl IntoIterator<Item = Facility>) -> Self {
        self.facilities.extend(facilities);
        self
    }

    /// Begins transactions of an application by this function, on the data at the path that the
    /// handle has open ([`Facility::Transactions`]).
    #[must_use]
    pub fn with_transactions<F>(
        mut self,
        begin: impl Fn(PathBuf, Arc<dyn Storage>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Begun> + Send + 'static,
    {
        self.begin = Some(Arc::new(move |path, store| Box::pin(begin(path, store))));
        self.with_facilities([Facility::Transactions])
    }

    /// Opens handles that refuse a clock which leaps ahead by more than the given duration by this
    /// function ([`Facility::ClockBound`]), one at a time.
    #[must_use]
    pub fn with_clock_bound<F>(
        mut self,
        open: impl Fn(PathBuf, Arc<dyn Clock>, Duration) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Opened> + Send + 'static,
    {
        self.open_bounded =
            Some(Arc::new(move |path, clock, step_max| Box::pin(open(path, clock, step_max))));
        self.with_facilities([Facility::ClockBound])
    }

    /// Compares the list of cases with this file; see [`Harness::snapshot`].
    #[must_use]
    pub fn with_snapshot(mut self, path: impl AsRef<Path>) -> Self {
        self.snapshot = Some(path.as_ref().to_owned());
        self
    }
}

#[async_trait]
impl Harness for EmbeddedHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(OneDirectory { directory: tempfile::tempdir()?, harness: self.clone(), clock }))
    }

    async fn create_bounded(
        &self,
        clock: Arc<dyn Clock>,
        step_max: Duration,
    ) -> Result<Box<dyn Place>, Failure> {
        let open = self.open_bounded.clone().ok_or("no store bounds its clock here")?;
        let open = Arc::new(move |path, clock| open(path, clock, step_max));
        Self { open, ..self.clone() }.create(clock).await
    }

    fn facilities(&self) -> &[Facility] {
        &self.facilities
    }

    fn snapshot(&self) -> Option<PathBuf> {
        self.snapshot.clone()
    }
}

/// The databases that handles have open, by their paths.
struct OpenDatabases<D> {
    by_path: Mutex<BTreeMap<PathBuf, Arc<Mutex<Weak<D>>>>>,
}

impl<D> OpenDatabases<D> {
    /// The database that is open at the path, or the one that `open` opens there.
    fn get_or(
        &self,
        path: PathBuf,
        open: impl FnOnce(PathBuf) -> Result<Arc<D>, Failure>,
    ) -> Result<Arc<D>, Failure> {
        // Each path has a lock of its own, so that no trial waits while another one opens a file.
        let slot = self.by_path.lock().entry(path.clone()).or_default().clone();
        let mut slot = slot.lock();
        if let Some(database) = slot.upgrade() {
            return Ok(database);
        }
        let database = open(path)?;
        *slot = Arc::downgrade(&database);
        Ok(database)
    }
}

/// The directory of one trial.
#[derive(Debug)]
struct OneDirectory {
    directory: TempDir,
    harness: EmbeddedHarness,
    clock: Arc<dyn Clock>,
}

impl OneDirectory {
    fn path(&self) -> PathBuf {
        self.directory.path().join("jobs")
    }
}

#[async_trait]
impl Place for OneDirectory {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        (self.harness.open)(self.path(), self.clock.clone()).await
    }

    async fn begin(&self, store: Arc<dyn Storage>) -> Result<Box<dyn CallersTransaction>, Failure> {
        let begin = self.harness.begin.as_ref().ok_or("no store joins transactions here")?;
        begin(self.path(), store).await
    }
}

impl fmt::Debug for EmbeddedHarness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedHarness")
            .field("facilities", &self.facilities)
            .field("snapshot", &self.snapshot)
            .finish_non_exhaustive()
    }
}
