//! The few calls to the operating system that the store makes, behind a trait, so that a simulation
//! can lose what was not flushed, tear what was written, and fail any call.
//!
//! Names are names of files in one directory; nothing here takes a path of the caller.

mod real;

pub use real::RealFs;

use std::{fmt::Debug, io, sync::Arc};

/// One directory.
pub trait Fs: Debug + Send + Sync + 'static {
    /// Opens a file for reading and writing.
    fn open(&self, name: &str, how: Open) -> io::Result<Arc<dyn FsFile>>;

    /// The names of everything in the directory.
    fn names(&self) -> io::Result<Vec<String>>;

    /// Removes a name. A process that has the file open can go on reading.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Gives a file another name.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Makes names durable: those that came, and those that went.
    fn sync_names(&self) -> io::Result<()>;

    /// Which file has this name now, if any has.
    fn id_of(&self, name: &str) -> io::Result<Option<FileId>>;
}

/// One open file.
pub trait FsFile: Debug + Send + Sync + 'static {
    /// Its length in bytes.
    fn size(&self) -> io::Result<u64>;

    /// Reads what is there, which may be less than asked for.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes all of it; an error may leave a part.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts it, or lengthens it with zeros.
    fn set_size(&self, bytes: u64) -> io::Result<()>;

    /// Takes up this much room on the disk, or fails and takes up none.
    fn allocate(&self, bytes: u64) -> io::Result<()>;

    /// Makes data and length durable.
    fn sync(&self) -> io::Result<()>;

    /// Takes the lock unless another process has it. The end of the process releases it.
    fn try_lock(&self) -> io::Result<bool>;

    /// Releases the lock.
    fn unlock(&self) -> io::Result<()>;

    /// Which file this is, also after it was renamed.
    fn id(&self) -> io::Result<FileId>;
}

/// A file as such: it keeps this when its name is given to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId {
    /// The device that it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
}

/// What to do about a file that is there, or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// It must be there.
    Existing,
    /// It is made if it is missing, for this user alone.
    OrCreate,
    /// It is made, for this user alone; that there is one of this name is an error.
    New,
}
