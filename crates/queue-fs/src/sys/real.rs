//! The directory and files of the operating system.

use super::{FileId, Fs, FsFile, Open};
use rustix::{
    fs::{AtFlags, Dir, FallocateFlags, FileType, FlockOperation, Mode, OFlags, Stat},
    io::Errno,
};
use std::{
    fs::File,
    io,
    os::{fd::OwnedFd, unix::fs::FileExt},
    path::Path,
    sync::Arc,
};

/// A directory of the operating system. No link is followed, neither for the directory itself nor
/// for a file in it.
#[derive(Debug)]
pub struct RealFs(OwnedFd);

#[derive(Debug)]
struct RealFile(File);

/// For this user alone.
const DIRECTORY_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

impl RealFs {
    /// Makes the directory, for this user alone, unless there is something of that name.
    pub fn make_directory(path: &Path) -> io::Result<()> {
        match rustix::fs::mkdir(path, DIRECTORY_MODE) {
            Ok(()) => sync_directory(path.parent().unwrap_or(Path::new("/"))),
            Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the directory.
    pub fn open_directory(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::open(path, flags, Mode::empty())?))
    }
}

fn sync_directory(path: &Path) -> io::Result<()> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    File::open(path)?.sync_all()
}

impl Fs for RealFs {
    fn open(&self, name: &str, how: Open) -> io::Result<Arc<dyn FsFile>> {
        // A pipe or device under one of our names must not hold us up; it is refused below.
        let mut flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        flags.set(OFlags::CREATE, how != Open::Existing);
        flags.set(OFlags::EXCL, how == Open::New);
        let file = rustix::fs::openat(&self.0, name, flags, FILE_MODE)?;
        if FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) != FileType::RegularFile {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        Ok(Arc::new(RealFile(file.into())))
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    fn sync_names(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    fn id_of(&self, name: &str) -> io::Result<Option<FileId>> {
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(id(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl FsFile for RealFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        match rustix::fs::fallocate(&self.0, FallocateFlags::empty(), 0, bytes) {
            // Where room cannot be reserved, it is taken up by zeros.
            Err(Errno::OPNOTSUPP) => fill_with_zeros(&self.0, bytes),
            outcome => Ok(outcome?),
        }
        .inspect_err(|_| drop(self.0.set_len(0)))
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn try_lock(&self) -> io::Result<bool> {
        match rustix::fs::flock(&self.0, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn unlock(&self) -> io::Result<()> {
        Ok(rustix::fs::flock(&self.0, FlockOperation::Unlock)?)
    }

    fn id(&self) -> io::Result<FileId> {
        Ok(id(&rustix::fs::fstat(&self.0)?))
    }
}

#[allow(clippy::unnecessary_cast, reason = "the fields have other types on other systems")]
fn id(stat: &Stat) -> FileId {
    FileId { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
}

fn fill_with_zeros(file: &File, bytes: u64) -> io::Result<()> {
    const CHUNK: [u8; 4096] = [0; 4096];
    for offset in (0..bytes).step_by(CHUNK.len()) {
        file.write_all_at(&CHUNK, offset)?;
    }
    Ok(())
}
