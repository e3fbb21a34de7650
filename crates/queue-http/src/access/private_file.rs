//! Files that hold secrets: read only if they are secret, replaced in one step.
//!
//! The checks look at the open file and never at its path, so the file cannot be exchanged in
//! between. A symbolic link may be read, since Kubernetes mounts secrets that way; the checks then
//! apply to its target. A link is never written, since the rename would replace it.

use crate::access::AccessError;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// The largest file that is read, in bytes: about ten thousand tokens.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// Reads a file that only its owner, the administrator and its group can read, and that only the
/// first two can write. Any other file is refused.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, AccessError> {
    let failed = |source| AccessError::Io { path: path.to_owned(), source };
    let file = open(path).map_err(failed)?;
    check(path, &file.metadata().map_err(failed)?)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let why = format!("it has more than {FILE_BYTES_MAX} bytes");
        return Err(AccessError::Malformed { path: path.to_owned(), why });
    }
    Ok(bytes)
}

/// Replaces the file by what `change` makes of its bytes, or creates it with mode 0600. A reader
/// sees the old bytes or the new ones, also after a crash. One caller at a time, of all processes,
/// changes files of the same directory.
pub(super) fn edit<T>(
    path: &Path,
    change: impl FnOnce(Option<Vec<u8>>) -> Result<(Vec<u8>, T), AccessError>,
) -> Result<T, AccessError> {
    let failed = |source| AccessError::Io { path: path.to_owned(), source };
    let held = locked_directory(path).map_err(failed)?;
    let before = match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            let why = "it is a symbolic link; name the file that it leads to".to_owned();
            return Err(AccessError::Exposed { path: path.to_owned(), why });
        }
        Ok(_) => Some(read(path)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    let (bytes, answer) = change(before)?;
    replace(path, &bytes).map_err(failed)?;
    held.sync_all().map_err(failed)?;
    Ok(answer)
}

/// Creates the file with mode 0600 and these bytes, unless something of that name is there, which
/// stays as it is. A reader sees no file or all of its bytes. What [`edit`] says of other callers
/// holds here too.
pub(super) fn create_missing(path: &Path, bytes: &[u8]) -> Result<(), AccessError> {
    let failed = |source| AccessError::Io { path: path.to_owned(), source };
    let held = locked_directory(path).map_err(failed)?;
    match fs::symlink_metadata(path) {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    replace(path, bytes).map_err(failed)?;
    held.sync_all().map_err(failed)
}

/// The directory of a file, in which no other caller changes a file until it is dropped.
fn locked_directory(path: &Path) -> io::Result<File> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let held = File::open(directory)?;
    lock(&held)?;
    Ok(held)
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(path);
    // A crash may have left this file behind. No other process creates one while the directory is
    // locked.
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = create(&beside)?;
    let written = keep_owner(path, &file)
        .and_then(|()| file.write_all(bytes))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        drop(fs::remove_file(&beside));
    }
    written
}

fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

#[cfg(unix)]
mod system {
    use super::{AccessError, File, OpenOptions, Path, fs, io};
    use rustix::fs::{FlockOperation, OFlags};
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};

    const OTHERS: u32 = 0o007;
    const GROUP_WRITES: u32 = 0o020;
    /// What a file may keep of its mode when it is replaced.
    const KEPT: u32 = 0o640;

    /// Opening a pipe must not wait for its writer.
    pub(super) fn open(path: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).custom_flags(flags(OFlags::NONBLOCK)).open(path)
    }

    pub(super) fn create(path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600).custom_flags(flags(OFlags::NOFOLLOW)).open(path)
    }

    pub(super) fn check(path: &Path, found: &fs::Metadata) -> Result<(), AccessError> {
        let exposed = |why: String| Err(AccessError::Exposed { path: path.to_owned(), why });
        let mode = found.mode() & 0o777;
        if !found.is_file() {
            return exposed("it is no regular file".to_owned());
        }
        if mode & (OTHERS | GROUP_WRITES) != 0 {
            return exposed(format!(
                "its mode is {mode:03o}, so others can read or change it; run: chmod 600 {}",
                path.display()
            ));
        }
        let owner = found.uid();
        if owner != 0 && owner != rustix::process::geteuid().as_raw() {
            return exposed(format!("it belongs to the user {owner}, who could change it"));
        }
        Ok(())
    }

    /// A file that a service reads as its owner or its group stays readable for it.
    pub(super) fn keep_owner(path: &Path, file: &File) -> io::Result<()> {
        let found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let made = file.metadata()?;
        if (made.uid(), made.gid()) != (found.uid(), found.gid()) {
            fchown(file, Some(found.uid()), Some(found.gid()))?;
        }
        file.set_permissions(fs::Permissions::from_mode(0o600 | (found.mode() & KEPT)))
    }

    pub(super) fn lock(directory: &File) -> io::Result<()> {
        Ok(rustix::fs::flock(directory, FlockOperation::LockExclusive)?)
    }

    fn flags(flags: OFlags) -> i32 {
        flags.bits().cast_signed()
    }
}

/// Elsewhere the rights of files are the administrator's matter.
#[cfg(not(unix))]
mod system {
    use super::{AccessError, File, OpenOptions, Path, fs, io};

    pub(super) fn open(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub(super) fn create(path: &Path) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(path)
    }

    pub(super) fn check(_path: &Path, _found: &fs::Metadata) -> Result<(), AccessError> {
        Ok(())
    }

    pub(super) fn keep_owner(_path: &Path, _file: &File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn lock(_directory: &File) -> io::Result<()> {
        Ok(())
    }
}

use system::{check, create, keep_owner, lock, open};

#[cfg(all(test, unix))]
mod tests {
    use super::{create_missing, edit, read};
    use std::{
        fs,
        os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    };

    #[test]
    fn a_file_that_others_may_read_or_change_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        fs::write(&path, "secret").unwrap();
        for (mode, is_read) in
            [(0o600, true), (0o640, true), (0o400, true), (0o604, false), (0o660, false), (0o602, false)]
        {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read(&path).is_ok(), is_read, "{mode:o}");
        }
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("chmod 600") && !error.contains("secret"), "{error}");
    }

    #[test]
    fn a_link_is_judged_by_what_it_leads_to_and_is_never_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let link = folder.path().join("link");
        fs::write(&path, "old").unwrap();
        symlink(&path, &link).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(read(&link).is_err());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read(&link).unwrap(), b"old");
        let error = edit(&link, |_| Ok((b"new".to_vec(), ()))).unwrap_err();
        assert!(error.to_string().contains("symbolic link"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn what_is_no_regular_file_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path()).is_err());
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        assert!(read(&pipe).is_err());
    }

    #[test]
    fn a_new_file_is_its_owner_s_alone_and_a_replaced_one_keeps_its_readers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let mode = || fs::metadata(&path).unwrap().mode() & 0o777;
        edit(&path, |before| Ok((before.map_or(b"first".to_vec(), |_| Vec::new()), ()))).unwrap();
        assert_eq!((mode(), read(&path).unwrap()), (0o600, b"first".to_vec()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        edit(&path, |before| Ok((before.unwrap().to_ascii_uppercase(), ()))).unwrap();
        assert_eq!((mode(), read(&path).unwrap()), (0o640, b"FIRST".to_vec()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_missing_is_created_once_and_never_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let link = folder.path().join("link");
        create_missing(&path, b"first").unwrap();
        create_missing(&path, b"second").unwrap();
        assert_eq!(
            (fs::metadata(&path).unwrap().mode() & 0o777, read(&path).unwrap()),
            (0o600, b"first".to_vec())
        );
        symlink(folder.path().join("nowhere"), &link).unwrap();
        create_missing(&link, b"third").unwrap();
        assert!(read(&link).is_err() && fs::read_dir(folder.path()).unwrap().count() == 2);
    }

    #[test]
    fn a_planted_link_of_the_new_file_s_name_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let victim = folder.path().join("victim");
        fs::write(&victim, "mine").unwrap();
        symlink(&victim, folder.path().join(".tokens.new")).unwrap();
        edit(&path, |_| Ok((b"new".to_vec(), ()))).unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"mine");
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
    }
}
