//! Room on the disk. A compiler that finds none in the middle of a run says so in words that name
//! neither the disk nor what fills it, so a run looks first.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use rustix::fs::statvfs;

use crate::command;
use crate::repo::Repo;

/// What a run of CI builds in a clean clone, 5 GiB, and what it writes besides, with room.
const WHOLE_RUN: u64 = 7 << 30;

/// Refuses a run whose builds do not fit. What an earlier run has built needs no room again.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let target = repo.target();
    fs::create_dir_all(&target).with_context(|| format!("no folder {}", target.display()))?;
    let (room, built) = (room(&target), size(&target)?);
    println!("{} of room, {} built already", gib(room), gib(built));
    let needed = WHOLE_RUN.saturating_sub(built);
    ensure!(
        room >= needed,
        "the disk has {} of room where builds go ({}), and a run needs {} more: remove what is not \
         needed, such as other targets, or set CARGO_TARGET_DIR",
        gib(room),
        target.display(),
        gib(needed)
    );
    Ok(())
}

/// Bytes that a program without privileges may still write; 0 if the system does not tell.
pub(crate) fn room(place: &Path) -> u64 {
    statvfs(place).map_or(0, |told| told.f_bavail * told.f_frsize)
}

/// Bytes that a folder takes. A file with several names counts once.
pub(crate) fn size(folder: &Path) -> Result<u64> {
    let told = command::output(Command::new("du").arg("-sk").arg(folder))?;
    let told = String::from_utf8_lossy(&told);
    let kibibytes = told.split_whitespace().next().and_then(|number| number.parse::<u64>().ok());
    Ok(kibibytes.with_context(|| format!("du answers {told:?}"))? << 10)
}

/// With one place after the point.
pub(crate) fn gib(bytes: u64) -> String {
    let tenths = (bytes >> 20) * 10 / 1024;
    format!("{}.{} GiB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::{gib, room, size};
    use std::fs;
    use std::path::Path;

    #[test]
    fn a_file_with_two_names_takes_its_room_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let empty = size(folder.path()).expect("du tells");
        let file = folder.path().join("one");
        fs::write(&file, vec![1; 3 << 20]).expect("room");
        fs::hard_link(&file, folder.path().join("two")).expect("a second name");
        let taken = size(folder.path()).expect("du tells") - empty;
        assert!((3 << 20..6 << 20).contains(&taken), "{taken}");
        assert!(size(&folder.path().join("none")).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_machine_tells_its_room() {
        assert!(room(Path::new("/")) > 0);
        assert_eq!(room(Path::new("/no/such/place")), 0);
    }

    #[test]
    fn bytes_are_told_in_tenths_of_a_gibibyte() {
        assert_eq!([0, 1 << 30, (12 << 30) + (1 << 29)].map(gib), ["0.0 GiB", "1.0 GiB", "12.5 GiB"]);
    }
}
