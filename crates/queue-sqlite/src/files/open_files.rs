//! The paths of an open database and the files that they led to.

use super::{FileFate, FileIdentity};
use crate::error::SqliteFault;
use std::{
    ffi::OsString,
    fs::{metadata, symlink_metadata},
    io,
    path::{Path, PathBuf},
};

/// What SQLite puts beside a database: the log, and the index of the log, which also has the locks.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// The files of an open database, and where they were when it was opened.
#[derive(Debug)]
pub(crate) struct OpenFiles {
    database: FileIdentity,
    paths: Vec<WatchedPath>,
}

/// A path, and the file that it led to.
#[derive(Debug)]
struct WatchedPath {
    path: PathBuf,
    links: Links,
    file: FileIdentity,
}

/// What is asked of a path that is a link.
#[derive(Clone, Copy, Debug)]
enum Links {
    Followed,
    Refused,
}

impl OpenFiles {
    /// The files that the path leads to now. All three are there once a connection has read
    /// something.
    ///
    /// SQLite follows links once, when it opens, and looks for the log beside what it found there.
    /// So the path must still lead to the database, and the database must still stand under the
    /// name that SQLite knows: under another one the next program would make a second log for it.
    pub(crate) fn find(path: &Path) -> io::Result<Self> {
        let real = path.canonicalize()?;
        let beside = BESIDE.map(|suffix| with_suffix(&real, suffix));
        let mut paths = vec![WatchedPath::find(real, Links::Refused)?];
        if paths[0].path != path {
            paths.insert(0, WatchedPath::find(path.to_owned(), Links::Followed)?);
        }
        let database = paths[0].file;
        for path in beside {
            paths.push(WatchedPath::find(path, Links::Refused)?);
        }
        Ok(Self { database, paths })
    }

    pub(crate) fn database(&self) -> FileIdentity {
        self.database
    }

    /// Whether all of them are where they were.
    pub(crate) fn check(&self) -> Result<(), SqliteFault> {
        self.paths.iter().try_for_each(WatchedPath::check)
    }
}

impl WatchedPath {
    fn find(path: PathBuf, links: Links) -> io::Result<Self> {
        let file = links.look(&path)?;
        Ok(Self { path, links, file })
    }

    fn check(&self) -> Result<(), SqliteFault> {
        match self.links.look(&self.path) {
            Ok(file) if file == self.file => Ok(()),
            Ok(_) => Err(self.lost(true)),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Err(self.lost(false)),
                _ => Err(SqliteFault::unseen(&self.path, error)),
            },
        }
    }

    fn lost(&self, is_replaced: bool) -> SqliteFault {
        SqliteFault::lost(&self.path, &what_happened(FileFate::of(self.file), is_replaced))
    }
}

impl Links {
    fn look(self, path: &Path) -> io::Result<FileIdentity> {
        let found = match self {
            Self::Followed => metadata(path),
            Self::Refused => symlink_metadata(path),
        };
        found.map(|metadata| FileIdentity::of(&metadata))
    }
}

fn what_happened(fate: FileFate, is_replaced: bool) -> String {
    match (fate, is_replaced) {
        (FileFate::Renamed(to), false) => format!("was renamed to {}", to.display()),
        (FileFate::Renamed(to), true) => {
            format!("was renamed to {}, and another file put in its place,", to.display())
        }
        (FileFate::Removed, false) => "was removed".to_owned(),
        (FileFate::Removed | FileFate::Unknown, true) => "was replaced by another file".to_owned(),
        (FileFate::Unknown, false) => "was removed or renamed".to_owned(),
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
