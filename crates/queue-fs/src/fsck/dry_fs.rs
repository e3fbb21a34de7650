//! A view of a directory whose changes stay in memory.

use crate::sys::{FileId, Fs, FsFile, Open};
use parking_lot::Mutex;
use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    sync::Arc,
};

/// A directory whose changes stay in memory, to see what opening a store would do without doing it.
///
/// The caller holds the lock of the real directory, so a lock in this one is always free.
#[derive(Debug)]
pub(super) struct DryFs {
    real: Arc<dyn Fs>,
    names: Mutex<DirectoryView>,
}

/// What was opened or changed so far; `None` for what was removed.
#[derive(Debug, Default)]
struct DirectoryView {
    files: BTreeMap<String, Option<Arc<DryFile>>>,
    opened: u64,
}

/// A file that is read where it is until it is first changed.
#[derive(Debug)]
struct DryFile {
    number: u64,
    real: Option<Arc<dyn FsFile>>,
    changed: Mutex<Option<Vec<u8>>>,
}

impl DryFs {
    pub(super) fn new(real: Arc<dyn Fs>) -> Self {
        Self { real, names: Mutex::default() }
    }

    fn file(&self, name: &str, how: Open) -> io::Result<Arc<DryFile>> {
        let mut names = self.names.lock();
        let real = match names.files.get(name) {
            Some(Some(_)) if how == Open::New => return Err(ErrorKind::AlreadyExists.into()),
            Some(Some(file)) => return Ok(file.clone()),
            Some(None) => missing(how)?,
            None => match self.real.open(name, Open::Existing) {
                Ok(_) if how == Open::New => return Err(ErrorKind::AlreadyExists.into()),
                Err(error) if error.kind() == ErrorKind::NotFound => missing(how)?,
                opened => Some(opened?),
            },
        };
        names.opened += 1;
        let changed = Mutex::new(real.is_none().then(Vec::new));
        let file = Arc::new(DryFile { number: names.opened, real, changed });
        names.files.insert(name.to_owned(), Some(file.clone()));
        Ok(file)
    }
}

impl Fs for DryFs {
    fn open(&self, name: &str, how: Open) -> io::Result<Arc<dyn FsFile>> {
        Ok(self.file(name, how)?)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let names = self.names.lock();
        let untouched = self.real.names()?.into_iter().filter(|name| !names.files.contains_key(name));
        let touched = names.files.iter().filter(|(_, file)| file.is_some());
        Ok(untouched.chain(touched.map(|(name, _)| name.clone())).collect())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.file(name, Open::Existing)?;
        self.names.lock().files.insert(name.to_owned(), None);
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let file = self.file(from, Open::Existing)?;
        let mut names = self.names.lock();
        names.files.insert(from.to_owned(), None);
        names.files.insert(to.to_owned(), Some(file));
        Ok(())
    }

    fn sync_names(&self) -> io::Result<()> {
        Ok(())
    }

    fn id_of(&self, name: &str) -> io::Result<Option<FileId>> {
        match self.file(name, Open::Existing) {
            Ok(file) => file.id().map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl DryFile {
    /// Changes a copy of it, as long as is needed for the change.
    fn change(&self, change: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let mut changed = self.changed.lock();
        let mut bytes = match (changed.take(), &self.real) {
            (Some(bytes), _) => bytes,
            (None, Some(real)) => whole(&**real)?,
            (None, None) => Vec::new(),
        };
        change(&mut bytes);
        *changed = Some(bytes);
        Ok(())
    }
}

impl FsFile for DryFile {
    fn size(&self) -> io::Result<u64> {
        match (&*self.changed.lock(), &self.real) {
            (None, Some(real)) => real.size(),
            (changed, _) => Ok(changed.as_ref().map_or(0, Vec::len) as u64),
        }
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match (&*self.changed.lock(), &self.real) {
            (None, Some(real)) => real.read_at(offset, buffer),
            (changed, _) => {
                let bytes = changed.as_deref().unwrap_or_default();
                let rest = &bytes[in_memory(offset)?.min(bytes.len())..];
                let read = rest.len().min(buffer.len());
                buffer[..read].copy_from_slice(&rest[..read]);
                Ok(read)
            }
        }
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let start = in_memory(offset)?;
        self.change(|content| {
            let end = start + bytes.len();
            content.resize(content.len().max(end), 0);
            content[start..end].copy_from_slice(bytes);
        })
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        let bytes = in_memory(bytes)?;
        self.change(|content| content.resize(bytes, 0))
    }

    /// There is always room.
    fn allocate(&self, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        Ok(true)
    }

    fn unlock(&self) -> io::Result<()> {
        Ok(())
    }

    fn id(&self) -> io::Result<FileId> {
        Ok(FileId { device: 0, inode: self.number })
    }
}

/// A file that is not there: to be made, unless it must be there.
fn missing(how: Open) -> io::Result<Option<Arc<dyn FsFile>>> {
    if how == Open::Existing { Err(ErrorKind::NotFound.into()) } else { Ok(None) }
}

fn in_memory(bytes: u64) -> io::Result<usize> {
    usize::try_from(bytes).map_err(|_| ErrorKind::FileTooLarge.into())
}

fn whole(file: &dyn FsFile) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; in_memory(file.size()?)?];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(filled as u64, &mut bytes[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}
