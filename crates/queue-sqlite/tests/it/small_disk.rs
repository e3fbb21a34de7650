//! A disk that is really full, so that not even the log can grow: a small file system in a mount
//! namespace of its own, in which this test runs itself again.
#![cfg(target_os = "linux")]

use crate::common::{assert_sound, claim, complete, enqueue, job, queue, request, settle};
use queue_core::{
    Certainty, ClaimRequest, Clock, ErrorKind, ManualClock, Pause, QueueName, Span, State, Storage,
};
use queue_sqlite::{SqliteOptions, SqliteStorage};
use std::{
    fs::{self, File},
    io::{ErrorKind as IoKind, Write},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

const CHILD: &str = "QUEUE_SQLITE_SMALL_DISK_CHILD";
const NAME: &str = "small_disk::a_full_disk_stops_writes_and_nothing_else_until_there_is_room";
/// Mounts a small file system where the test says, and continues there as the test.
const IN_A_SMALL_DISK: &str = r#"mount -t tmpfs -o size=4m tmpfs "$0" || exit 1; exec "$@""#;
/// The exit code if mounting is not permitted; tests end with 0 or 101.
const MAY_NOT: i32 = 1;

#[test]
fn a_full_disk_stops_writes_and_nothing_else_until_there_is_room() {
    if let Some(directory) = std::env::var_os(CHILD) {
        return fill_and_free(Path::new(&directory));
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let ended = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", IN_A_SMALL_DISK])
        .arg(directory.path())
        .arg(std::env::current_exe().expect("this test is a file"))
        .args(["--exact", NAME, "--nocapture"])
        .env(CHILD, directory.path())
        .status();
    match ended {
        Ok(status) if status.code() != Some(MAY_NOT) => assert!(status.success(), "{status}"),
        _ => eprintln!("this user may not mount anything, so no disk is full"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn fill_and_free(directory: &Path) {
    let clock = Arc::new(ManualClock::default());
    let right = clock.now();
    clock.advance(Duration::from_secs(86_400));
    let options = SqliteOptions::new(directory.join("jobs.db")).clock(clock.clone());
    let store = SqliteStorage::open(options).await.expect("it opens");
    enqueue(&store, vec![job("held"), job("waiting")]).await;
    let claimed = store.claim(request(1, Span::from_secs(10_000))).await.expect("it claims");
    let held = &claimed.jobs[0];
    let filler = Filler::until_full(directory);

    // Writes change nothing, and say why.
    let full = [
        store.enqueue(&queue(), vec![vec![job("new")]]).await.map(drop),
        store.claim(request(1, Span::from_secs(30))).await.map(drop),
        store.set_paused(&queue(), None, Pause::UntilResumed).await,
    ];
    for answer in full {
        let error = answer.expect_err("there is no room");
        assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied));
        assert!(error.message().contains("full"), "{error}");
    }
    assert_eq!(store.counts(&queue()).await.expect("it reads").of(State::Processing), 1);
    clock.set(right);
    claims_of_nothing_are_answered(&store, &clock).await;

    filler.free();
    settle(&store, &held.record.meta, complete(held.token)).await;
    enqueue(&store, vec![job("new")]).await;
    assert_eq!(claim(&store, 10).await.jobs.len(), 2);
    assert_sound(&store).await;
}

/// While the clock is behind, claims would keep the time: it then goes on in this handle alone.
async fn claims_of_nothing_are_answered(store: &SqliteStorage, clock: &ManualClock) {
    let nothing = || {
        let request = request(1, Span::from_secs(30));
        ClaimRequest { queue: QueueName::from_static("empty"), ..request }
    };
    let mut before = store.claim(nothing()).await.expect("it is answered").now;
    for _ in 0..10 {
        clock.advance(Duration::from_secs(64));
        let now = store.claim(nothing()).await.expect("it is answered").now;
        assert_eq!(now.since(before), Duration::from_secs(63));
        before = now;
    }
}

/// A file of another program, which takes all room.
struct Filler(PathBuf);

impl Filler {
    fn until_full(directory: &Path) -> Self {
        let path = directory.join("filler");
        let mut file = File::create(&path).expect("it is new");
        let error = loop {
            if let Err(error) = file.write_all(&[1; 4096]) {
                break error;
            }
        };
        assert_eq!(error.kind(), IoKind::StorageFull);
        Self(path)
    }

    fn free(self) {
        fs::remove_file(self.0).expect("it is there");
    }
}
