//! What a path may contain, and what opening makes of it.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, settle};
use queue_core::{Certainty, Detail, ErrorKind, JobId, State, Storage, StorageExt};
use queue_fs::{Create, Damage, Flush, FsOptions, FsStorage};
use std::{error::Error as _, fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};
use tokio::task::JoinSet;

const SEGMENT_HEAD_BYTES: usize = 56;

async fn refusal(options: FsOptions) -> queue_core::Error {
    let error = FsStorage::open(options).await.expect_err("it is refused");
    assert_eq!((error.operation(), error.certainty()), ("open", Certainty::NotApplied));
    error
}

fn names_the_path(error: &queue_core::Error, path: &Path) -> bool {
    error.message().contains(path.to_str().expect("a readable path"))
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[tokio::test]
async fn reopening_keeps_everything() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("done"), job("held"), job("waiting")]).await;
    let claimed = claim(&store, 2).await.jobs;
    settle(&store, &claimed[0].record.meta, complete(claimed[0].token)).await;
    let ids = ["done", "held", "waiting"].map(JobId::from_static);
    let before = store.get(&queue(), &ids, Detail::Full).await.unwrap().value;
    store.close().await.unwrap();

    let store = place.open().await;
    assert_eq!(store.get(&queue(), &ids, Detail::Full).await.unwrap().value, before);
    settle(&store, &claimed[1].record.meta, complete(claimed[1].token)).await;
    assert_eq!(store.counts(&queue()).await.unwrap().of(State::Completed), 2);
    assert_sound(&store).await;
}

#[tokio::test]
async fn everything_is_for_this_user_alone() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    assert_eq!(mode(&place.path()), 0o700);
    let files: Vec<_> = fs::read_dir(place.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{file:?}");
    }
}

#[tokio::test]
async fn ids_and_queue_names_name_no_files() {
    let place = Place::new();
    let store = place.open().await;
    let hostile = ["../../x", "/etc/passwd", ".", "..", "LOCK", "journal-0000000000000002.log"];
    for name in hostile {
        let queue = queue_core::QueueName::new(name).unwrap();
        store.enqueue(&queue, vec![vec![job(name)]]).await.unwrap();
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 3);
    assert_eq!(fs::read_dir(place.directory.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn links_are_not_followed() {
    let place = Place::new();
    let elsewhere = place.directory.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, place.path()).unwrap();
    let error = refusal(place.options()).await;
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(names_the_path(&error, &place.path()), "{error}");
    fs::remove_file(place.path()).unwrap();

    fs::create_dir(place.path()).unwrap();
    let target = elsewhere.join("target");
    fs::write(&target, "mine").unwrap();
    for name in ["LOCK", "RESERVE", "journal-0000000000000001.log"] {
        std::os::unix::fs::symlink(&target, place.path().join(name)).unwrap();
        let error = refusal(place.options()).await;
        assert_eq!(error.kind(), ErrorKind::Invalid, "{name}: {error}");
        assert!(error.message().contains(name), "{error}");
        fs::remove_file(place.path().join(name)).unwrap();
    }
    assert_eq!(fs::read_to_string(target).unwrap(), "mine");
}

#[tokio::test]
async fn a_directory_of_other_things_is_refused_and_left_alone() {
    let place = Place::new();
    fs::create_dir(place.path()).unwrap();
    fs::write(place.path().join("notes.txt"), "mine").unwrap();
    let error = refusal(place.options()).await;
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.message().contains("notes.txt"), "{error}");
    assert_eq!(fs::read_to_string(place.path().join("notes.txt")).unwrap(), "mine");
}

#[tokio::test]
async fn paths_that_cannot_be_used_are_refused_by_name() {
    let place = Place::new();
    let missing = place.directory.path().join("nowhere").join("jobs");
    let file = place.directory.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [missing, file] {
        let error = refusal(FsOptions::new(&path)).await;
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(names_the_path(&error, &path), "{error}");
    }
    assert_eq!(refusal(FsOptions::new("")).await.kind(), ErrorKind::Invalid);
    let no_time = place.options().flush(Flush::Every(Duration::ZERO));
    assert_eq!(refusal(no_time).await.kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn a_missing_directory_is_made_only_when_asked_for() {
    let place = Place::new();
    let error = refusal(place.options().create(Create::Never)).await;
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(!place.path().exists());
    drop(place.open().await);
    FsStorage::open(place.options().create(Create::Never)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_that_open_a_new_directory_at_once_all_succeed() {
    let place = Place::new();
    let opens: JoinSet<_> = (0..8).map(|_| FsStorage::open(place.options())).collect();
    let stores: Vec<_> = opens.join_all().await.into_iter().map(Result::unwrap).collect();
    for (n, store) in stores.iter().enumerate() {
        enqueue(store, vec![job(&n.to_string())]).await;
    }
    assert_eq!(stores[0].counts(&queue()).await.unwrap().total(), 8);
    assert_sound(&stores[0]).await;
}

#[tokio::test]
async fn a_lock_that_is_never_let_go_is_told_as_unavailable() {
    let place = Place::new();
    let store = FsStorage::open(place.options().busy_timeout(Duration::from_millis(3))).await.unwrap();
    let lock = fs::File::open(place.path().join("LOCK")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let error = store.enqueue(&queue(), vec![vec![job("a")]]).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied));
    assert!(store.get_one(&queue(), &JobId::from_static("a"), Detail::Meta).await.unwrap().is_none());
    drop(lock);
    enqueue(&store, vec![job("a")]).await;
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_removed_lock_file_ends_the_handle_rather_than_the_exclusion() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    fs::remove_file(place.path().join("LOCK")).unwrap();
    let other = place.open().await;
    let error = store.enqueue(&queue(), vec![vec![job("b")]]).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Closed, Certainty::NotApplied));
    enqueue(&other, vec![job("b")]).await;
    assert_eq!(other.counts(&queue()).await.unwrap().total(), 2);
}

#[tokio::test]
async fn damage_is_told_with_file_and_offset() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    enqueue(&store, vec![job("b")]).await;
    drop(store);
    let path = place.path().join("journal-0000000000000001.log");
    let mut bytes = fs::read(&path).unwrap();
    bytes[100] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = refusal(place.options()).await;
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let damage = error.source().and_then(|source| source.downcast_ref::<Damage>()).expect("it says where");
    assert_eq!(
        (damage.file.as_str(), damage.offset),
        ("journal-0000000000000001.log", SEGMENT_HEAD_BYTES as u64)
    );
    assert_eq!(fs::read(&path).unwrap(), bytes, "it is left as it is");
}

/// The first segment, and its length before the last record.
async fn two_records(place: &Place) -> (std::path::PathBuf, usize) {
    let path = place.path().join("journal-0000000000000001.log");
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    let before = fs::read(&path).expect("it is there").len();
    enqueue(&store, vec![job("b")]).await;
    (path, before)
}

#[tokio::test]
async fn damage_of_the_last_record_is_told_and_left_as_it_is() {
    let place = Place::new();
    let (path, before) = two_records(&place).await;
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = refusal(place.options()).await;
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    let damage = error.source().and_then(|source| source.downcast_ref::<Damage>()).expect("it says where");
    assert_eq!(damage.offset, before as u64);
    assert_eq!(fs::read(&path).unwrap(), bytes, "what may be saved by hand is still there");
}

#[tokio::test]
async fn a_last_record_that_is_missing_is_told() {
    let place = Place::new();
    let (path, before) = two_records(&place).await;
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..before]).unwrap();
    let error = refusal(place.options()).await;
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(error.message().contains("missing"), "{error}");
}
