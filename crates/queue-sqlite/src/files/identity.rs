use std::fs::Metadata;

/// Tells files apart, whatever their names. The number of a file that somebody has open is not given out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Identity {
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    /// All files are alike: where there are no such numbers, a file that is open cannot be removed or renamed either.
    #[cfg(not(unix))]
    pub(crate) fn of(_: &Metadata) -> Self {
        Self {}
    }
}
