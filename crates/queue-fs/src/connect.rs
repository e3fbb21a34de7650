//! From a path to the directory of a store.

use crate::{
    options::{Create, FsOptions},
    sys::{Fs, RealFs},
};
use queue_core::{Error, ErrorKind, Result};
use std::{io, path::Path, sync::Arc};

/// Opens the directory, and makes it if the options say so.
pub(crate) fn connect(options: &FsOptions) -> Result<Arc<dyn Fs>> {
    if let Some(fs) = &options.fs {
        return Ok(fs.clone());
    }
    let made = match options.create {
        Create::IfMissing => RealFs::make_directory(&options.path),
        Create::Never => Ok(()),
    };
    let opened = made.and_then(|()| RealFs::open_directory(&options.path));
    opened.map(|fs| Arc::new(fs) as Arc<dyn Fs>).map_err(|error| unusable(&options.path, error))
}

fn unusable(path: &Path, error: io::Error) -> Error {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => "it does not exist; check the path, and make the directory above it first",
        io::ErrorKind::NotADirectory => "it is no directory, or a link to one; name a directory itself",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "the directory must be writable; change its permissions"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            let message = format!("{}: the disk is full; free some space", path.display());
            return Error::new(ErrorKind::Unavailable, "open", message).with_source(error);
        }
        _ => "it cannot be opened",
    };
    Error::invalid("open", format!("{}: {advice}", path.display())).with_source(error)
}
