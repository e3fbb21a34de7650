//! What may go wrong with a file: looked at without reading jobs.

use super::Snapshot;
use crate::{
    connect::{LOG_BYTES_MAX, SQLITE_VERSION_MIN},
    migrate,
    options::{SqliteOptions, Synchronous},
    wakeup::can_watch,
};
use queue_core::{Finding, Severity};
use queue_store::disk;
use std::path::{Path, PathBuf};

/// One finding for each check. It reads the version of the schema, and of the files their sizes.
pub(crate) fn diagnose(snapshot: &Snapshot<'_>, options: &SqliteOptions) -> rusqlite::Result<Vec<Finding>> {
    let layout = migrate::version(snapshot.connection)?;
    let [kind, room] = of_disk(options);
    Ok(vec![
        version(rusqlite::version_number(), rusqlite::version()),
        layout_of(layout),
        synchronous(options.synchronous),
        log(file_len(&beside(&options.path, "-wal")), file_len(&options.path)),
        kind,
        room,
        disk::watches(can_watch(&options.path)),
    ])
}

/// The findings of the disk under the file, which need no open file.
pub(crate) fn of_disk(options: &SqliteOptions) -> [Finding; 2] {
    let kind = options.file_system.map_or_else(|| disk::kind(&options.path), disk::kind_of);
    [kind, disk::room(&options.path)]
}

fn version(number: i32, text: &str) -> Finding {
    let seen = format!("the SQLite in this program is {text}");
    let is_good = number >= SQLITE_VERSION_MIN;
    let severity = if is_good { Severity::Fine } else { Severity::Broken };
    Finding::new(
        "sqlite-version",
        severity,
        seen,
        "build with SQLite 3.51.3 or later: in earlier ones a reset of the log can damage a file that several processes write",
    )
}

fn layout_of(version: u32) -> Finding {
    let newest = migrate::newest();
    let severity = if version == newest { Severity::Fine } else { Severity::Broken };
    Finding::new(
        "store-layout",
        severity,
        format!("the tables have version {version}, and this program has version {newest}"),
        "another program changed the tables; run the same version everywhere",
    )
}

fn synchronous(synchronous: Synchronous) -> Finding {
    match synchronous {
        Synchronous::Full => Finding::fine("durability", "each commit is flushed before it is answered"),
        Synchronous::Normal => Finding::warning(
            "durability",
            "commits are answered before they are flushed (synchronous=normal)",
            "a power cut loses the newest jobs; use `Synchronous::Full`, or accept it",
        ),
    }
}

/// The log is cut back to its greatest size whenever it starts over, so a longer one has not
/// started over for as long as it took to write it: a reader holds it.
fn log(log_bytes: Option<u64>, file_bytes: Option<u64>) -> Finding {
    let (Some(log), Some(file)) = (log_bytes, file_bytes) else {
        return Finding::unknown(
            "sqlite-log",
            "the files cannot be seen",
            "check the rights on their directory",
        );
    };
    let severity = if log > u64::from(LOG_BYTES_MAX) { Severity::Warning } else { Severity::Fine };
    Finding::new(
        "sqlite-log",
        severity,
        format!("the log has {} beside a file of {}", disk::bytes(log), disk::bytes(file)),
        "end the transaction that reads an old state, such as a shell or a backup: while it is open the log grows with each \
         commit, and reads become slower",
    )
}

fn file_len(path: &Path) -> Option<u64> {
    match std::fs::metadata(path) {
        Ok(file) => Some(file.len()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(0),
        Err(_) => None,
    }
}

/// SQLite puts the log beside the file itself, not beside a link to it.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.canonicalize().unwrap_or_else(|_| path.to_owned()).into_os_string();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_with_the_bug_of_log_resets_is_broken() {
        assert_eq!(version(3_051_002, "3.51.2").severity, Severity::Broken);
        assert_eq!(version(3_051_003, "3.51.3").severity, Severity::Fine);
    }

    #[test]
    fn other_tables_are_broken() {
        assert_eq!(layout_of(migrate::newest()).severity, Severity::Fine);
        assert_eq!(layout_of(migrate::newest() + 1).severity, Severity::Broken);
    }
}
