//! The fate of an open file whose path leads elsewhere now.

use super::FileIdentity;
use std::path::PathBuf;

/// The fate of an open file that its path does not lead to any more.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FileFate {
    /// It has no name left, and the system removes it once the last program closes it.
    Removed,
    /// It has another name.
    Renamed(PathBuf),
    /// The system does not say.
    Unknown,
}

impl FileFate {
    /// Asks the system about the descriptors of this process. Looking at them opens nothing, so no
    /// lock is at risk.
    #[cfg(unix)]
    pub(super) fn of(file: FileIdentity) -> Self {
        use std::os::unix::fs::MetadataExt;
        let descriptors = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
        for descriptor in descriptors.map(|entry| entry.path()) {
            let Ok(metadata) = descriptor.metadata() else { continue };
            if FileIdentity::of(&metadata) == file {
                let name = || descriptor.read_link().ok().filter(|name| name.is_absolute());
                return if metadata.nlink() == 0 { Self::Removed } else { name().into() };
            }
        }
        Self::Unknown
    }

    #[cfg(not(unix))]
    pub(super) fn of(_: FileIdentity) -> Self {
        Self::Unknown
    }
}

impl From<Option<PathBuf>> for FileFate {
    fn from(name: Option<PathBuf>) -> Self {
        name.map_or(Self::Unknown, Self::Renamed)
    }
}
