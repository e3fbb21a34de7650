//! Nothing that this process does to the file may cost its connections their locks. Without them a
//! program with an older SQLite, such as the `sqlite3` of a distribution, takes the file for unused
//! when it closes, and removes the log that is being written.
#![cfg(target_os = "linux")]

use crate::common::Place;
use queue_sqlite::{Create, SqliteStorage};
use std::{fs, os::unix::fs::MetadataExt};

/// Whether the system knows of a lock on the file.
fn is_locked(place: &Place) -> bool {
    let inode = format!(":{} ", fs::metadata(place.path()).expect("it is there").ino());
    fs::read_to_string("/proc/locks").expect("Linux has it").lines().any(|lock| lock.contains(&inode))
}

#[tokio::test]
async fn further_handles_leave_the_first_its_locks() {
    let place = Place::new();
    let _first = place.open().await;
    assert!(is_locked(&place), "an open file is");
    for create in [Create::IfMissing, Create::Never] {
        let _further = SqliteStorage::open(place.options().create(create)).await.expect("the file opens");
        assert!(is_locked(&place), "{create:?}");
    }
}
