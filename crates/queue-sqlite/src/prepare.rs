//! What there is to do about a path before SQLite opens it.

use crate::{
    files::FileIdentity,
    options::{Create, SqliteOptions},
};
use parking_lot::Mutex;
use queue_core::{Error, ErrorKind, Result};
use std::{
    fs::{OpenOptions, metadata, symlink_metadata},
    io,
    path::Path,
};

/// The longest path without links that SQLite opens, in bytes: 512, less what it adds for the files
/// beside it.
#[cfg(unix)]
const PATH_BYTES_MAX: usize = 504;

/// Creates the file before SQLite does, so that no other user can read it at any moment. SQLite
/// gives the files beside it the same permissions.
///
/// A file that is there is never opened here: closing it again would cost this process all its
/// locks on it, which POSIX keeps by process and file. Another program would then take the file for
/// unused and remove the log that is being written.
pub(crate) fn prepare_file(options: &SqliteOptions) -> Result<FileIdentity> {
    /// Two threads that open a new file: the one that finds it there must find it closed again.
    static ONE_BY_ONE: Mutex<()> = Mutex::new(());
    let _alone = ONE_BY_ONE.lock();
    check_length(&options.path)?;
    let made = match options.create {
        Create::IfMissing => make_file(&options.path),
        Create::Never => Ok(()),
    };
    made.and_then(|()| find_file(&options.path)).map_err(|error| unusable(&options.path, error))
}

/// SQLite counts the bytes of the path without links, and answers no more than that it cannot open
/// the file.
#[cfg(unix)]
fn check_length(path: &Path) -> Result<()> {
    let in_directory = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    // A path that leads nowhere gets a better message where it is used.
    let Some(real) = path.canonicalize().ok().or_else(in_directory) else { return Ok(()) };
    let bytes = real.as_os_str().len();
    if bytes <= PATH_BYTES_MAX {
        return Ok(());
    }
    let message = format!(
        "{}: the path has {bytes} bytes without links, and SQLite takes at most {PATH_BYTES_MAX} bytes; use a shorter one",
        path.display()
    );
    Err(Error::invalid("open", message))
}

#[cfg(not(unix))]
fn check_length(_: &Path) -> Result<()> {
    Ok(())
}

fn make_file(path: &Path) -> io::Result<()> {
    let mut open = OpenOptions::new();
    open.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
    match open.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn find_file(path: &Path) -> io::Result<FileIdentity> {
    let metadata = metadata(path)?;
    if metadata.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(FileIdentity::of(&metadata)) }
}

fn has_directory(path: &Path) -> bool {
    // The directory of a bare name is the present one.
    path.parent().is_some_and(|directory| directory.as_os_str().is_empty() || directory.is_dir())
}

/// Why a path cannot be opened, and how to repair it.
pub(crate) fn unusable(path: &Path, error: io::Error) -> Error {
    let advice = match error.kind() {
        io::ErrorKind::NotFound if symlink_metadata(path).is_ok() => {
            "it is a link to a file that does not exist; mend the link"
        }
        io::ErrorKind::NotFound if has_directory(path) => {
            "there is no store, and none was made; check the path"
        }
        io::ErrorKind::NotFound => {
            "its directory does not exist; check the path, and make the directory first"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "the file and its directory must be writable; change their permissions"
        }
        io::ErrorKind::IsADirectory => "it is a directory; name a file in it",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            let message = format!("{}: the disk is full; free some space", path.display());
            return Error::new(ErrorKind::Unavailable, "open", message).with_source(error);
        }
        _ => "it cannot be opened",
    };
    Error::invalid("open", format!("{}: {advice}", path.display())).with_source(error)
}
