//! The layout of the files: other layouts are refused, and none can be forged from outside.

use crate::common::{Place, assert_sound, enqueue, job, queue};
use queue_core::{ErrorKind, Storage};
use queue_fs::{FsStorage, check, repair};
use std::fs;

const LAYOUT: u32 = 2;
const RECORD_HEAD_BYTES: usize = 64;

async fn refusal(place: &Place) -> queue_core::Error {
    FsStorage::open(place.options()).await.expect_err("it is refused")
}

#[tokio::test]
async fn a_layout_of_a_later_version_is_refused_and_left_alone() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    drop(store);
    let path = place.path().join("journal-0000000000000001.log");
    let bytes = fs::read(&path).unwrap();
    // The checksums cover the versions, so they are corrected.
    for (version_at, checksum_at, checked) in [(12, 8, 12..40), (68, 60, 64..bytes.len())] {
        let mut newer = bytes.clone();
        newer[version_at] = 99;
        let checksum = crc32c::crc32c(&newer[checked]);
        newer[checksum_at..checksum_at + 4].copy_from_slice(&checksum.to_le_bytes());
        fs::write(&path, &newer).unwrap();
        let error = refusal(&place).await;
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert!(error.message().contains("99"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), newer);
    }
}

/// Layout 1 had a shorter head; the part that all layouts share is enough to tell.
#[tokio::test]
async fn a_layout_of_an_earlier_version_is_refused_and_left_alone() {
    let place = Place::new();
    place.open().await.close().await.unwrap();
    let path = place.path().join("journal-0000000000000001.log");
    let mut earlier = fs::read(&path).unwrap();
    earlier.truncate(40);
    earlier[12] = 1;
    let checksum = crc32c::crc32c(&earlier[12..]);
    earlier[8..12].copy_from_slice(&checksum.to_le_bytes());
    fs::write(&path, &earlier).unwrap();
    fs::write(place.path().join("LOCK"), b"").unwrap();
    let error = refusal(&place).await;
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert_eq!(check(place.path()).unwrap().damage[0].what, "it was written by another version");
    assert_eq!(repair(place.path()).unwrap_err().kind(), ErrorKind::Unsupported);
    assert_eq!(fs::read(&path).unwrap(), earlier);
}

/// What an author who knows the layout, but not the salt, would put into a payload.
fn forged_record() -> Vec<u8> {
    let mut record = vec![0xff; RECORD_HEAD_BYTES];
    record[..4].copy_from_slice(b"qRec");
    record[8..12].copy_from_slice(&0_u32.to_le_bytes());
    record[12..16].copy_from_slice(&LAYOUT.to_le_bytes());
    let checksum = crc32c::crc32c(&record[8..]);
    record[4..8].copy_from_slice(&checksum.to_le_bytes());
    record
}

#[tokio::test]
async fn a_payload_that_looks_like_a_record_proves_nothing_about_a_torn_one() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    let mark = fs::read(place.path().join("LOCK")).unwrap();
    let mut hostile = job("hostile");
    hostile.payload.bytes = [forged_record(), vec![0; 1_000]].concat().into();
    enqueue(&store, vec![hostile]).await;
    drop(store);
    // The power failed during the write: the end is missing, and no caller got an answer for it.
    let path = place.path().join("journal-0000000000000001.log");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 500]).unwrap();
    fs::write(place.path().join("LOCK"), mark).unwrap();
    let report = check(place.path()).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.jobs, 1, "{report:?}");
    let store = place.open().await;
    assert_eq!(store.counts(&queue()).await.unwrap().total(), 1);
    assert_sound(&store).await;
}
