//! Which directories may become a store, and how their lock file is opened.

use super::{FIRST, LOCK, reserve::RESERVE};
use crate::{
    error::FsFault,
    format::{segment_name, segment_number},
    options::Create,
    sys::{Fs, FsFile, Open},
};
use std::{
    io::ErrorKind::{AlreadyExists, NotFound},
    sync::Arc,
};

/// Opens the lock file, or creates it where there is a store or one may be created; nothing is
/// written to a directory that is refused. Returns whether it was created for a store without one.
pub(super) fn open_lock(fs: &dyn Fs, create: Create) -> Result<(Arc<dyn FsFile>, bool), FsFault> {
    let open = |how| fs.open(LOCK, how);
    let failed = |error| FsFault::io(LOCK, error);
    match open(Open::Existing) {
        Err(error) if error.kind() == NotFound => {}
        opened => return Ok((opened.map_err(failed)?, false)),
    }
    let names = names(fs)?;
    let is_store = names.iter().any(|name| segment_number(name).is_some());
    if !is_store {
        check_makeable(&names, create)?;
    }
    match open(Open::New) {
        // Another process was faster.
        Err(error) if error.kind() == AlreadyExists => Ok((open(Open::Existing).map_err(failed)?, false)),
        made => Ok((made.map_err(failed)?, is_store)),
    }
}

/// Whether a store may be created beside these files. A directory with other files is refused; a
/// store whose creation was cut short by a crash counts as one that was asked for.
pub(super) fn check_makeable(names: &[String], create: Create) -> Result<(), FsFault> {
    let first = segment_name(FIRST);
    if create == Create::Never && !names.contains(&first) {
        let message = "there is no store in the directory, and none shall be made; check the path";
        return Err(FsFault::invalid(message.to_owned()));
    }
    let is_other = |name: &&String| ![LOCK, RESERVE, &first].contains(&name.as_str());
    match names.iter().find(is_other) {
        Some(other) => Err(FsFault::invalid(format!(
            "the directory has other things in it, such as {other:?}; name one that is empty, or that does not exist"
        ))),
        None => Ok(()),
    }
}

/// The names of everything in the directory.
pub(super) fn names(fs: &dyn Fs) -> Result<Vec<String>, FsFault> {
    fs.names().map_err(|error| FsFault::io("the directory", error))
}
