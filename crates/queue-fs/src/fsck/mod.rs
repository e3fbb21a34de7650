//! Looking at the files of a store from outside: whether they are sound, what is in them, and what can be saved.

mod dump;
mod place;
mod repair;
mod report;
mod salvage;
mod tell;
mod walk;

pub use dump::dump;
pub use repair::repair;
pub use report::{CheckReport, FileReport};

use place::Place;
use queue_core::Result;
use salvage::Salvage;
use std::path::Path;

/// Reads the whole journal of a directory and says what it finds. Nothing is changed; the lock is held meanwhile, so no
/// process writes.
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
/// `Invalid` if there is no store, `Unavailable` if the lock or the disk cannot be had. Damage is no error here.
pub fn check(directory: impl AsRef<Path>) -> Result<CheckReport> {
    let place = Place::open("fsck", directory.as_ref())?;
    Salvage::read(&place).map(|salvage| salvage.report).map_err(|fault| fault.of("fsck"))
}
