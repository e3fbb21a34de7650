//! What goes wrong in the files, in terms of what the caller should do.

use queue_core::{ClockLeap, Error, ErrorKind};
use rustix::io::Errno;
use std::{fmt, io, sync::Arc};

/// Something in a file is not what this library wrote. It is the source of an [`Error`] of kind
/// [`Corrupt`](ErrorKind::Corrupt).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file within the directory.
    pub file: String,
    /// Where in the file, in bytes.
    pub offset: u64,
    /// What is wrong, in words.
    pub what: &'static str,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, byte {}: {}", self.file, self.offset, self.what)
    }
}

impl std::error::Error for Damage {}

/// A failure that is not yet tied to a verb, since one failure can fail a whole group.
#[derive(Clone, Debug)]
pub(crate) struct FsFault {
    pub(crate) nature: Nature,
    message: Arc<str>,
    source: Option<FaultSource>,
    is_unknown: bool,
}

#[derive(Clone, Debug)]
enum FaultSource {
    System(Arc<io::Error>),
    Damage(Damage),
    Clock(ClockLeap),
}

/// What the store itself can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// The disk is full: smaller calls, or those that free room, may do better.
    NoRoom,
    /// Another process moved what was to be read: read again.
    Behind,
    /// Stored data is damaged.
    Corrupt,
    /// It was written by another version.
    OtherVersion,
    /// The call can never succeed.
    Invalid,
    /// The handle must not be used any more.
    Over,
    /// Anything else: the disk, the lock.
    Other,
}

impl FsFault {
    fn new(nature: Nature, message: impl Into<Arc<str>>) -> Self {
        Self { nature, message: message.into(), source: None, is_unknown: false }
    }

    /// A call to the operating system failed.
    pub(crate) fn io(what: &str, source: io::Error) -> Self {
        // Files are opened with `O_NOFOLLOW`, which answers `ELOOP` for a link.
        if Errno::from_io_error(&source) == Some(Errno::LOOP) {
            return Self::invalid(format!("{what} is a link, and links are not followed"));
        }
        let (nature, advice) = match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                (Nature::NoRoom, "the disk or its quota is full; free some space and try again")
            }
            io::ErrorKind::NotFound => {
                (Nature::Behind, "a file of the store is missing; was its directory changed by hand?")
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                (Nature::Invalid, "the directory and its files must be writable; change their permissions")
            }
            _ => (Nature::Other, "the disk failed; check it, and try again"),
        };
        Self {
            source: Some(FaultSource::System(Arc::new(source))),
            ..Self::new(nature, format!("{what}: {advice}"))
        }
    }

    /// A file is damaged.
    pub(crate) fn corrupt(file: String, offset: u64, what: &'static str) -> Self {
        let damage = Damage { file, offset, what };
        let message = format!("{damage}; look at it with `queue fsck`, or restore a backup");
        Self { source: Some(FaultSource::Damage(damage)), ..Self::new(Nature::Corrupt, message) }
    }

    /// A file is of a layout that this version does not read.
    pub(crate) fn other_layout(file: &str, layout: u16) -> Self {
        Self::other_version(&format!("{file}, of layout {layout},"))
    }

    /// A file is of another version.
    pub(crate) fn other_version(file: &str) -> Self {
        let message = format!("{file} was written by another version of this library; use that one");
        Self::new(Nature::OtherVersion, message)
    }

    /// The input can never be stored.
    pub(crate) fn invalid(message: String) -> Self {
        Self::new(Nature::Invalid, message)
    }

    /// Another process did not let go of the lock in time.
    pub(crate) fn busy() -> Self {
        let message =
            "another program held the lock of the store for too long; try again, and see whether it hangs";
        Self::new(Nature::Other, message)
    }

    /// The clock has leapt ahead.
    pub(crate) fn clock(leap: ClockLeap) -> Self {
        Self { source: Some(FaultSource::Clock(leap)), ..Self::new(Nature::Other, leap.to_string()) }
    }

    /// The handle must not go on.
    pub(crate) fn poisoned() -> Self {
        let message = "an earlier write or flush failed, so nobody knows what is on the disk; close this handle and open the \
                       store again";
        Self::new(Nature::Over, message)
    }

    /// The lock file lost its name, so the lock keeps no process out.
    pub(crate) fn lock_removed() -> Self {
        let message = "the lock file was removed or moved while the store was open, so nothing kept other programs out; \
                       close this handle and open the store again";
        Self::new(Nature::Over, message)
    }

    /// Another lock file has the name, so processes with that one are not kept out.
    pub(crate) fn lock_replaced() -> Self {
        let message = "the store was taken over while it was open: it has another lock file now, since it was repaired, or \
                       the one before was moved away; close this handle and open the store again";
        Self::new(Nature::Over, message)
    }

    /// It may have happened in spite of the error.
    pub(crate) fn unknown(mut self) -> Self {
        self.is_unknown = true;
        self
    }

    /// The handle must not go on.
    pub(crate) fn is_over(&self) -> bool {
        self.nature == Nature::Over
    }

    /// It was written by another version.
    pub(crate) fn is_other_version(&self) -> bool {
        self.nature == Nature::OtherVersion
    }

    /// A file is not there.
    pub(crate) fn is_missing(&self) -> bool {
        self.nature == Nature::Behind
    }

    /// It may have happened in spite of the error.
    pub(crate) fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// There is a file of that name already.
    pub(crate) fn is_taken(&self) -> bool {
        matches!(&self.source, Some(FaultSource::System(source)) if source.kind() == io::ErrorKind::AlreadyExists)
    }

    /// The disk is full, and nothing was written.
    pub(crate) fn is_full(&self) -> bool {
        self.nature == Nature::NoRoom && !self.is_unknown
    }

    pub(crate) fn damage(&self) -> Option<&Damage> {
        match &self.source {
            Some(FaultSource::Damage(damage)) => Some(damage),
            _ => None,
        }
    }

    /// For the caller of a verb.
    pub(crate) fn of(&self, operation: &'static str) -> Error {
        let kind = match self.nature {
            Nature::Corrupt => ErrorKind::Corrupt,
            Nature::OtherVersion => ErrorKind::Unsupported,
            Nature::Invalid => ErrorKind::Invalid,
            Nature::Over => ErrorKind::Closed,
            Nature::NoRoom | Nature::Behind | Nature::Other => ErrorKind::Unavailable,
        };
        let error = Error::new(kind, operation, self.message.to_string());
        let error = match &self.source {
            Some(FaultSource::System(source)) => error.with_source(source.clone()),
            Some(FaultSource::Damage(damage)) => error.with_source(damage.clone()),
            Some(FaultSource::Clock(leap)) => error.with_source(*leap),
            None => error,
        };
        if self.is_unknown { error.unknown() } else { error }
    }
}
