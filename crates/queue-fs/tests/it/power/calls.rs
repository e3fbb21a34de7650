//! The calls of the file system, as the simulated disk answers them.

use crate::power::{
    disk::{Content, Disk, Failure, NameChange, State, error},
    sector::{Change, apply},
};
use queue_fs::sys::{FileId, Fs, FsFile, Open};
use std::{io, sync::Arc};

#[derive(Debug)]
struct File {
    disk: Disk,
    inode: usize,
    boot: u64,
    number: u64,
}

/// The kinds of calls that failures distinguish.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Write,
    Sync,
    Other,
}

impl Fs for Disk {
    fn open(&self, name: &str, how: Open) -> io::Result<Arc<dyn FsFile>> {
        let boot = self.boot();
        let (inode, number) = self.guarded(boot, |state| {
            state.opened += 1;
            let inode = match (state.names.get(name), how) {
                (Some(_), Open::New) => return Err(io::ErrorKind::AlreadyExists.into()),
                (Some(inode), _) => *inode,
                (None, Open::Existing) => return Err(io::ErrorKind::NotFound.into()),
                (None, Open::OrCreate | Open::New) => {
                    state.files.push(Content::default());
                    let inode = state.files.len() - 1;
                    state.rename_to(NameChange::Set(name.to_owned(), inode));
                    inode
                }
            };
            state.files[inode].handles += 1;
            Ok((inode, state.opened))
        })?;
        Ok(Arc::new(File { disk: self.clone(), inode, boot, number }))
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.guarded(self.boot(), |state| Ok(state.names.keys().cloned().collect()))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.guarded(self.boot(), |state| {
            if !state.names.contains_key(name) {
                return Err(io::ErrorKind::NotFound.into());
            }
            state.rename_to(NameChange::Remove(name.to_owned()));
            Ok(())
        })
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.guarded(self.boot(), |state| {
            let inode = *state.names.get(from).ok_or(io::ErrorKind::NotFound)?;
            state.rename_to(NameChange::Move(from.to_owned(), to.to_owned(), inode));
            Ok(())
        })
    }

    fn sync_names(&self) -> io::Result<()> {
        self.guarded(self.boot(), |state| {
            state.durable_names = state.names.clone();
            state.name_changes.clear();
            Ok(())
        })
    }

    fn id_of(&self, name: &str) -> io::Result<Option<FileId>> {
        self.guarded(self.boot(), |state| Ok(state.names.get(name).copied().map(id)))
    }
}

fn id(inode: usize) -> FileId {
    FileId { device: 0, inode: inode as u64 }
}

impl File {
    /// Makes one call on this file, which may fail half done.
    fn call<T>(
        &self,
        kind: Kind,
        half: impl FnOnce(&mut State),
        run: impl FnOnce(&mut State) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut state = self.disk.lock();
        let Some(failure) = state.enter(self.boot)? else { return run(&mut state) };
        match (failure, kind) {
            // Only writes can find no room.
            (Failure::NoRoom, Kind::Other | Kind::Sync) => {
                state.has_failed = false;
                return run(&mut state);
            }
            (_, Kind::Write) => half(&mut state),
            (Failure::Error | Failure::Outage, Kind::Sync) => state.forget_sync(self.inode),
            _ => {}
        }
        Err(error(failure))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        self.disk.lock().files[self.inode].handles -= 1;
    }
}

impl FsFile for File {
    fn size(&self) -> io::Result<u64> {
        self.call(Kind::Other, |_| {}, |state| Ok(state.files[self.inode].live.len() as u64))
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.call(
            Kind::Other,
            |_| {},
            |state| {
                let live = &state.files[self.inode].live;
                if state.fails_reads && live.starts_with(b"QUEUE-FS") {
                    return Err(error(Failure::Error));
                }
                let rest = live.get(usize::try_from(offset).expect("small")..).unwrap_or_default();
                let read = rest.len().min(buffer.len());
                buffer[..read].copy_from_slice(&rest[..read]);
                Ok(read)
            },
        )
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let part = |len: usize| Change::Write { offset, bytes: bytes[..len].to_vec() };
        self.call(
            Kind::Write,
            |state| state.change(self.inode, part(bytes.len() / 2)),
            |state| {
                if !state.has_room_for(self.inode, offset + bytes.len() as u64) {
                    state.change(self.inode, part(bytes.len() / 2));
                    return Err(io::ErrorKind::StorageFull.into());
                }
                state.change(self.inode, part(bytes.len()));
                Ok(())
            },
        )
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.call(
            Kind::Other,
            |_| {},
            |state| {
                state.change(self.inode, Change::Resize(bytes));
                Ok(())
            },
        )
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        self.call(
            Kind::Write,
            |_| {},
            |state| {
                if !state.has_room_for(self.inode, bytes) {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                state.change(self.inode, Change::Resize(bytes));
                Ok(())
            },
        )
    }

    fn sync(&self) -> io::Result<()> {
        self.call(
            Kind::Sync,
            |_| {},
            |state| {
                let file = &mut state.files[self.inode];
                for change in std::mem::take(&mut file.changes) {
                    apply(&mut file.durable, &change);
                }
                Ok(())
            },
        )
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.call(
            Kind::Other,
            |_| {},
            |state| {
                let holder = state.locked_by.entry(self.inode).or_insert(self.number);
                Ok(*holder == self.number)
            },
        )
    }

    fn unlock(&self) -> io::Result<()> {
        let mut state = self.disk.lock();
        if state.locked_by.get(&self.inode) == Some(&self.number) && state.boot == self.boot {
            state.locked_by.remove(&self.inode);
        }
        Ok(())
    }

    fn id(&self) -> io::Result<FileId> {
        Ok(id(self.inode))
    }
}
