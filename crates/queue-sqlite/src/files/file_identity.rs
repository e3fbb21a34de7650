//! The identity of a file under every name.

use std::fs::Metadata;

/// Names a file, under every path. The system does not reuse the number of a file that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl FileIdentity {
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    /// All files are alike: where there are no such numbers, a file that is open cannot be removed
    /// or renamed either.
    #[cfg(not(unix))]
    pub(crate) fn of(_: &Metadata) -> Self {
        Self {}
    }
}
