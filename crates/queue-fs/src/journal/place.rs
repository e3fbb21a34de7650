use super::{FIRST, LOCK, reserve::RESERVE};
use crate::{
    error::Fault,
    format::{segment_name, segment_number},
    options::Create,
    sys::{Fs, FsFile, Open},
};
use std::{
    io::ErrorKind::{AlreadyExists, NotFound},
    sync::Arc,
};

/// Opens the lock file, and makes it where there is a store, or one is about to be made: nothing is written to a directory
/// that is refused. Whether it was made for a store that had none.
pub(super) fn open_lock(fs: &dyn Fs, create: Create) -> Result<(Arc<dyn FsFile>, bool), Fault> {
    let open = |how| fs.open(LOCK, how);
    let failed = |error| Fault::io(LOCK, error);
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

/// Whether a store may be made where these files are. Other people's files are left alone; a store whose making was ended by
/// a crash is one that was asked for.
pub(super) fn check_makeable(names: &[String], create: Create) -> Result<(), Fault> {
    let first = segment_name(FIRST);
    if create == Create::Never && !names.contains(&first) {
        let message = "there is no store in the directory, and none shall be made; check the path";
        return Err(Fault::invalid(message.to_owned()));
    }
    let is_other = |name: &&String| ![LOCK, RESERVE, &first].contains(&name.as_str());
    match names.iter().find(is_other) {
        Some(other) => Err(Fault::invalid(format!(
            "the directory has other things in it, such as {other:?}; name one that is empty, or that does not exist"
        ))),
        None => Ok(()),
    }
}

/// The names of everything in the directory.
pub(super) fn names(fs: &dyn Fs) -> Result<Vec<String>, Fault> {
    fs.names().map_err(|error| Fault::io("the directory", error))
}
