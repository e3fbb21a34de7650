//! Looking at the files of a store from outside: whether they are sound, what is in them, and what
//! can be saved.

mod describe;
mod dry_fs;
mod dump;
mod examine;
mod locked_store;
mod repair;
mod report;
mod salvage;
mod walk;

pub use dump::{DumpEntry, DumpPart, dump};
pub(crate) use repair::ASIDE;
pub use repair::{repair, repair_in};
pub use report::{CheckReport, FileReport};

use crate::{error::FsFault, sys::Fs};
use examine::{Finding, examine};
use locked_store::LockedStore;
use queue_core::Result;
use std::{path::Path, sync::Arc};

/// Opens the store of a directory on a view of it where no change is made, and says what it finds:
/// sound is what opens. The lock is held meanwhile, so no process writes.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use queue_core::Storage;
/// # use queue_fs::{FsOptions, FsStorage};
/// # let parent = tempfile::tempdir()?;
/// # let directory = parent.path().join("jobs");
/// # FsStorage::open(FsOptions::new(&directory)).await?.close().await?;
/// let report = queue_fs::check(&directory)?;
/// assert!(report.is_sound(), "{:?}", report.damage);
/// # Ok(()) }
/// ```
///
/// # Errors
/// `Invalid` if there is no store, `Unavailable` if the lock or the disk cannot be had. Damage is
/// no error here.
pub fn check(directory: impl AsRef<Path>) -> Result<CheckReport> {
    let place = LockedStore::at_path("fsck", directory.as_ref())?;
    report(&place).map_err(|fault| fault.of("fsck"))
}

/// The same for a simulated directory, in tests.
#[doc(hidden)]
pub fn check_in(fs: Arc<dyn Fs>) -> Result<CheckReport> {
    LockedStore::lock(fs).and_then(|place| report(&place)).map_err(|fault| fault.of("fsck"))
}

fn report(place: &LockedStore) -> std::result::Result<CheckReport, FsFault> {
    Ok(match examine(place)? {
        Finding::Sound(report) => report,
        Finding::Damaged(salvage) => salvage.report,
    })
}
