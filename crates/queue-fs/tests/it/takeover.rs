//! A store that is taken away from an open handle: by a repair, or because its lock file was moved
//! away.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, settle};
use futures_util::FutureExt;
use queue_core::{Certainty, Clock, ErrorKind, ManualClock, State, Storage, Timestamp};
use queue_fs::{Create, FsOptions, FsStorage, check, repair};
use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

fn segment(place: &Place, number: usize) -> std::path::PathBuf {
    place.path().join(format!("journal-{number:016x}.log"))
}

fn names(directory: &Path) -> Vec<String> {
    let names =
        fs::read_dir(directory).expect("it is there").map(|file| file.expect("it is there").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Asserts that every call is refused, repeatedly, for this reason.
async fn assert_shut_out(store: &FsStorage, because: &str) {
    for _ in 0..2 {
        let wrote = store.enqueue(&queue(), vec![vec![job("late")]]).await.map(drop);
        let read = store.counts(&queue()).await.map(drop);
        for outcome in [wrote, read] {
            let error = outcome.expect_err("the store is another's now");
            assert_eq!(
                (error.kind(), error.certainty()),
                (ErrorKind::Closed, Certainty::NotApplied),
                "{error}"
            );
            assert!(error.message().contains(because), "{error}");
        }
    }
}

/// A store with two jobs; the record of the first one is damaged.
async fn damaged(place: &Place) -> FsStorage {
    let store = place.open().await;
    enqueue(&store, vec![job("lost")]).await;
    enqueue(&store, vec![job("kept")]).await;
    let mut bytes = fs::read(segment(place, 1)).expect("it is there");
    bytes[150] ^= 1;
    // The bytes change in place, as on a bad disk.
    fs::File::options()
        .write(true)
        .open(segment(place, 1))
        .and_then(|mut file| std::io::Write::write_all(&mut file, &bytes))
        .expect("it can be written");
    store
}

#[tokio::test]
async fn a_repair_takes_the_store_from_a_handle_that_has_it_open() {
    let place = Place::new();
    let store = damaged(&place).await;
    // The handle does not know of the damage, and continues.
    enqueue(&store, vec![job("while damaged")]).await;
    let report = repair(place.path()).unwrap();
    assert_eq!(report.jobs, 2, "{report:?}");
    assert_shut_out(&store, "repaired").await;
    assert!(check(place.path()).unwrap().is_sound());
    let other = place.open().await;
    assert_eq!(other.counts(&queue()).await.unwrap().total(), 2);
    assert_sound(&other).await;
    // Closing the handle does not change that.
    store.close().await.unwrap();
    drop(store);
    assert!(check(place.path()).unwrap().is_sound());
    enqueue(&other, vec![job("new")]).await;
    assert_eq!(place.open().await.counts(&queue()).await.unwrap().total(), 3);
}

#[tokio::test]
async fn a_repair_of_a_sound_store_takes_it_from_nobody() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    assert!(repair(place.path()).unwrap().put_aside.is_empty());
    enqueue(&store, vec![job("b")]).await;
    assert_sound(&store).await;
}

#[tokio::test]
async fn of_two_programs_with_a_lock_file_each_the_one_that_lost_it_is_closed() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    fs::rename(place.path().join("LOCK"), place.path().join("LOCK.old")).unwrap();
    let other = place.open().await;
    assert_shut_out(&store, "taken over").await;
    enqueue(&other, vec![job("b")]).await;
    assert_shut_out(&store, "taken over").await;
    assert_eq!(other.counts(&queue()).await.unwrap().total(), 2);
    assert_sound(&other).await;
    assert!(check(place.path()).unwrap().is_sound());
}

#[tokio::test]
async fn a_lock_file_that_is_gone_is_what_the_error_speaks_of() {
    for moves in [false, true] {
        let place = Place::new();
        let store = place.open().await;
        let lock = place.path().join("LOCK");
        if moves { fs::rename(&lock, place.path().join("LOCK.old")) } else { fs::remove_file(&lock) }
            .unwrap();
        assert_shut_out(&store, "the lock file was removed or moved").await;
    }
}

#[tokio::test]
async fn an_open_that_waits_for_the_lock_while_it_is_replaced_waits_for_the_new_one() {
    let place = Place::new();
    place.open().await.close().await.unwrap();
    let lock = place.path().join("LOCK");
    let held = fs::File::open(&lock).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    // Each reading of the clock is a failed attempt.
    let clock = Arc::new(Counting::default());
    let mut opening = Box::pin(FsStorage::open(place.options().clock(clock.clone())));
    assert!((&mut opening).now_or_never().is_none());
    while clock.looks.load(Ordering::SeqCst) < 3 {
        tokio::task::yield_now().await;
    }
    fs::copy(&lock, place.path().join("new")).unwrap();
    fs::rename(place.path().join("new"), &lock).unwrap();
    drop(held);
    let store = opening.await.expect("there is another lock to wait for");
    enqueue(&store, vec![job("a")]).await;
}

/// The jobs are completed in one file, and were enqueued in the one before it.
#[tokio::test]
async fn a_repair_of_swapped_names_brings_no_job_back() {
    let place = Place::new();
    let store = FsStorage::open(place.options().segment_bytes(1_500)).await.unwrap();
    for n in 0..20 {
        enqueue(&store, vec![job(&format!("job-{n}"))]).await;
    }
    for held in claim(&store, 20).await.jobs {
        settle(&store, &held.record.meta, complete(held.token)).await;
    }
    store.close().await.unwrap();
    let files = names(&place.path()).iter().filter(|name| name.starts_with("journal-")).count();
    let (one, other, aside) = (segment(&place, files), segment(&place, files - 2), place.path().join("x"));
    fs::rename(&one, &aside).unwrap();
    fs::rename(&other, &one).unwrap();
    fs::rename(&aside, &other).unwrap();
    let report = check(place.path()).unwrap();
    assert!(report.damage.iter().any(|damage| damage.what.contains("name of another")), "{report:?}");
    assert_eq!((report.records_lost, report.jobs), (0, 20), "{report:?}");
    repair(place.path()).unwrap();
    let store = place.open().await;
    assert_sound(&store).await;
    assert_eq!(store.counts(&queue()).await.unwrap().of(State::Completed), 20);
}

#[tokio::test]
async fn nothing_is_written_to_a_directory_that_is_refused() {
    // The directory holds other files; other files and a lock; nothing, or a lock alone, where no
    // store may be created.
    for (files, create) in [
        (&["notes.txt"][..], Create::IfMissing),
        (&["LOCK", "notes.txt"], Create::IfMissing),
        (&["LOCK", "RESERVE", "notes.txt"], Create::IfMissing),
        (&["notes.txt"], Create::Never),
        (&[], Create::Never),
        (&["LOCK"], Create::Never),
        (&["LOCK", "RESERVE"], Create::Never),
    ] {
        let place = Place::new();
        fs::create_dir(place.path()).unwrap();
        for name in files {
            fs::write(place.path().join(name), "").unwrap();
        }
        let error = FsStorage::open(place.options().create(create)).await.expect_err("it is refused");
        assert_eq!(error.kind(), ErrorKind::Invalid, "{files:?}: {error}");
        assert_eq!(names(&place.path()), files, "{create:?}");
        assert!(files.iter().all(|name| fs::read(place.path().join(name)).unwrap().is_empty()));
    }
}

#[tokio::test]
async fn a_store_that_is_not_to_be_made_opens_if_it_is_there() {
    let place = Place::new();
    enqueue(&place.open().await, vec![job("a")]).await;
    let store = FsStorage::open(place.options().create(Create::Never)).await.unwrap();
    assert_eq!(store.counts(&queue()).await.unwrap().total(), 1);
    drop(store);
    // Under all options, a copy may lack files that an opening creates.
    for name in ["LOCK", "RESERVE"] {
        fs::remove_file(place.path().join(name)).unwrap();
    }
    let store = FsStorage::open(place.options().create(Create::Never)).await.unwrap();
    assert_eq!(store.counts(&queue()).await.unwrap().total(), 1);
}

/// A clock on which each reading takes a millisecond.
#[derive(Debug, Default)]
struct Counting {
    looks: AtomicU64,
}

impl Clock for Counting {
    fn now(&self) -> Timestamp {
        ManualClock::default().now()
    }

    fn ticks(&self) -> Duration {
        Duration::from_millis(self.looks.fetch_add(1, Ordering::SeqCst))
    }
}

/// A count of pauses of a millisecond would be wrong, since each takes longer than that.
#[tokio::test]
async fn the_lock_is_waited_for_by_the_clock() {
    let place = Place::new();
    let clock = Arc::new(Counting::default());
    let options = FsOptions::new(place.path()).clock(clock.clone()).busy_timeout(Duration::from_millis(20));
    let store = FsStorage::open(options).await.unwrap();
    let lock = fs::File::open(place.path().join("LOCK")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let before = clock.looks.load(Ordering::SeqCst);
    let error = store.enqueue(&queue(), vec![vec![job("a")]]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    let looks = clock.looks.load(Ordering::SeqCst) - before;
    assert!((20..40).contains(&looks), "{looks} looks at a clock on which each takes a millisecond");
}
