use super::{Fate, Identity};
use crate::error::Fault;
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
    database: Identity,
    places: Vec<Place>,
}

/// A path, and the file that it led to.
#[derive(Debug)]
struct Place {
    path: PathBuf,
    links: Links,
    file: Identity,
}

/// What is asked of a path that is a link.
#[derive(Clone, Copy, Debug)]
enum Links {
    Followed,
    Refused,
}

impl OpenFiles {
    /// The files that the path leads to now. All three are there once a connection has read something.
    ///
    /// SQLite follows links once, when it opens, and looks for the log beside what it found there. So the path must still
    /// lead to the database, and the database must still stand under the name that SQLite knows: under another one the
    /// next program would make a second log for it.
    pub(crate) fn find(path: &Path) -> io::Result<Self> {
        let real = path.canonicalize()?;
        let beside = BESIDE.map(|suffix| with_suffix(&real, suffix));
        let mut places = vec![Place::find(real, Links::Refused)?];
        if places[0].path != path {
            places.insert(0, Place::find(path.to_owned(), Links::Followed)?);
        }
        let database = places[0].file;
        for path in beside {
            places.push(Place::find(path, Links::Refused)?);
        }
        Ok(Self { database, places })
    }

    pub(crate) fn database(&self) -> Identity {
        self.database
    }

    /// Whether all of them are where they were.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        self.places.iter().try_for_each(Place::check)
    }
}

impl Place {
    fn find(path: PathBuf, links: Links) -> io::Result<Self> {
        let file = links.look(&path)?;
        Ok(Self { path, links, file })
    }

    fn check(&self) -> Result<(), Fault> {
        match self.links.look(&self.path) {
            Ok(file) if file == self.file => Ok(()),
            Ok(_) => Err(self.lost(true)),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Err(self.lost(false)),
                _ => Err(Fault::unseen(&self.path, error)),
            },
        }
    }

    fn lost(&self, is_replaced: bool) -> Fault {
        Fault::lost(&self.path, &what_happened(Fate::of(self.file), is_replaced))
    }
}

impl Links {
    fn look(self, path: &Path) -> io::Result<Identity> {
        let found = match self {
            Self::Followed => metadata(path),
            Self::Refused => symlink_metadata(path),
        };
        found.map(|metadata| Identity::of(&metadata))
    }
}

fn what_happened(fate: Fate, is_replaced: bool) -> String {
    match (fate, is_replaced) {
        (Fate::Renamed(to), false) => format!("was renamed to {}", to.display()),
        (Fate::Renamed(to), true) => {
            format!("was renamed to {}, and another file put in its place,", to.display())
        }
        (Fate::Removed, false) => "was removed".to_owned(),
        (Fate::Removed | Fate::Unknown, true) => "was replaced by another file".to_owned(),
        (Fate::Unknown, false) => "was removed or renamed".to_owned(),
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
