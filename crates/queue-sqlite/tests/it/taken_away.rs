//! Files that are removed, replaced or renamed under an open store: the store notices within a
//! second, says what happened, and acknowledges nothing any more.
#![cfg(unix)]

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, request};
use queue_core::{
    Certainty, Clock, Detail, Error, ErrorKind, Interest, JobId, ListQuery, ManualClock, Pause, Prune,
    PruneRequest, Span, Storage, StorageExt, Timestamp,
    lifecycle::{Event, Policy},
};
use queue_sqlite::{Create, SqliteOptions, SqliteStorage};
use rusqlite::Connection;
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

const SECOND: Duration = Duration::from_secs(1);

/// A store with a job, in a directory that can be renamed, and the clock that says when a second
/// has passed.
struct Opened {
    place: Place,
    store: SqliteStorage,
    clock: Arc<ManualClock>,
}

impl Opened {
    async fn new() -> Self {
        let place = Place::new();
        fs::create_dir(place.directory.path().join("data")).expect("it is new");
        Self::at(place, "data/jobs.db").await
    }

    async fn at(place: Place, name: &str) -> Self {
        let clock = Arc::new(ManualClock::default());
        let path = place.directory.path().join(name);
        let store =
            SqliteStorage::open(SqliteOptions::new(path).clock(clock.clone())).await.expect("it opens");
        enqueue(&store, vec![job("before")]).await;
        Self { place, store, clock }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.directory.path().join(name)
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).expect("it is renamed");
    }

    async fn enqueue(&self, id: &str) -> Result<(), Error> {
        self.store.enqueue(&queue(), vec![vec![job(id)]]).await.map(drop)
    }

    /// The store's error once a second has passed.
    async fn refusal(&self) -> String {
        self.clock.advance(SECOND);
        let error = self.enqueue("after").await.expect_err("nothing is acknowledged");
        assert_eq!((error.kind(), error.certainty()), (ErrorKind::Closed, Certainty::NotApplied), "{error}");
        error.message().to_owned()
    }

    async fn says(&self, parts: &[&str]) {
        let message = self.refusal().await;
        assert!(parts.iter().all(|part| message.contains(part)), "{parts:?}: {message}");
    }
}

async fn make_store(path: &Path) {
    let store = SqliteStorage::open(SqliteOptions::new(path)).await.expect("it opens");
    enqueue(&store, vec![job("other")]).await;
    store.close().await.expect("it closes");
}

async fn has(path: PathBuf, id: &'static str) -> bool {
    let store = SqliteStorage::open(SqliteOptions::new(path).create(Create::Never)).await.expect("it opens");
    assert_sound(&store).await;
    store.get_one(&queue(), &JobId::from_static(id), Detail::Meta).await.expect("it reads").is_some()
}

#[tokio::test]
async fn a_file_that_is_removed_closes_the_store() {
    let opened = Opened::new().await;
    fs::remove_file(opened.path("data/jobs.db")).unwrap();
    opened.says(&["data/jobs.db was removed while it was open", "open the store again"]).await;
}

#[tokio::test]
async fn a_file_that_is_renamed_closes_the_store_which_says_where_it_is_now() {
    let opened = Opened::new().await;
    opened.rename("data/jobs.db", "data/old.db");
    let to = opened.path("data/old.db");
    let told = if cfg!(target_os = "linux") { to.to_str().unwrap() } else { "renamed" };
    opened.says(&["data/jobs.db was", "renamed", told]).await;
}

#[tokio::test]
async fn a_file_that_is_replaced_closes_the_store() {
    let opened = Opened::new().await;
    make_store(&opened.path("data/other.db")).await;
    opened.rename("data/other.db", "data/jobs.db");
    opened.says(&["data/jobs.db was replaced by another file"]).await;
}

#[tokio::test]
async fn a_copy_made_by_vacuum_that_is_put_in_its_place_closes_the_store() {
    let opened = Opened::new().await;
    let copy = opened.path("data/copy.db");
    let file = Connection::open(opened.path("data/jobs.db")).unwrap();
    file.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    opened.rename("data/copy.db", "data/jobs.db");
    opened.says(&["data/jobs.db was replaced by another file"]).await;
}

#[tokio::test]
async fn a_directory_that_is_removed_renamed_or_made_anew_closes_the_store() {
    let opened = Opened::new().await;
    fs::remove_dir_all(opened.path("data")).unwrap();
    opened.says(&["data/jobs.db was removed"]).await;

    let opened = Opened::new().await;
    opened.rename("data", "old");
    opened.says(&["data/jobs.db was", "renamed"]).await;

    let opened = Opened::new().await;
    opened.rename("data", "old");
    fs::create_dir(opened.path("data")).unwrap();
    make_store(&opened.path("data/jobs.db")).await;
    opened.says(&["data/jobs.db was", "another file"]).await;
}

#[tokio::test]
async fn a_log_or_its_index_that_is_removed_closes_the_store_and_what_was_acknowledged_is_kept() {
    for suffix in ["-wal", "-shm"] {
        let opened = Opened::new().await;
        fs::remove_file(opened.path(&format!("data/jobs.db{suffix}"))).unwrap();
        opened.enqueue("meanwhile").await.unwrap();
        opened.says(&[&format!("data/jobs.db{suffix} was removed")]).await;
        opened.store.close().await.unwrap();
        assert!(has(opened.path("data/jobs.db"), "meanwhile").await, "{suffix}");
    }
}

#[tokio::test]
async fn what_was_acknowledged_before_a_rename_is_there_when_the_file_is_back() {
    let opened = Opened::new().await;
    opened.rename("data/jobs.db", "data/old.db");
    opened.enqueue("meanwhile").await.unwrap();
    opened.refusal().await;
    opened.store.close().await.unwrap();
    opened.rename("data/old.db", "data/jobs.db");
    assert!(has(opened.path("data/jobs.db"), "meanwhile").await);
}

#[tokio::test]
async fn a_store_that_closed_stays_so_when_the_file_is_back() {
    let opened = Opened::new().await;
    opened.rename("data", "old");
    let told = opened.refusal().await;
    opened.rename("old", "data");
    assert_eq!(opened.refusal().await, told);
    assert!(has(opened.path("data/jobs.db"), "before").await);
}

#[tokio::test]
async fn a_link_is_held_to_what_it_led_to() {
    let place = Place::new();
    symlink("real.db", place.directory.path().join("jobs.db")).unwrap();
    make_store(&place.directory.path().join("real.db")).await;
    let opened = Opened::at(place, "jobs.db").await;
    opened.clock.advance(SECOND);
    opened.enqueue("by the link").await.unwrap();
    make_store(&opened.path("other.db")).await;
    fs::remove_file(opened.path("jobs.db")).unwrap();
    symlink("other.db", opened.path("jobs.db")).unwrap();
    opened.says(&["jobs.db was", "another file"]).await;
}

/// A program that opens the file by the link from now on would create a log under the new name.
#[tokio::test]
async fn a_database_that_is_renamed_behind_its_link_closes_the_store() {
    for original in ["jobs.db", "real.db"] {
        let place = Place::new();
        make_store(&place.directory.path().join(original)).await;
        if original != "jobs.db" {
            symlink(original, place.directory.path().join("jobs.db")).unwrap();
        }
        let opened = Opened::at(place, "jobs.db").await;
        opened.rename(original, "renamed.db");
        drop(fs::remove_file(opened.path("jobs.db")));
        symlink("renamed.db", opened.path("jobs.db")).unwrap();
        opened.says(&[original, "was"]).await;
    }
}

#[tokio::test]
async fn every_verb_says_so() {
    let opened = Opened::new().await;
    let held = claim(&opened.store, 1).await.jobs.remove(0);
    fs::remove_file(opened.path("data/jobs.db")).unwrap();
    opened.clock.advance(SECOND);
    let (store, name, id) = (&opened.store, queue(), JobId::from_static("before"));
    let everything = PruneRequest { queue: queue(), what: Prune::Everything, limit: 10 };
    let list = ListQuery::all(queue(), 10);
    let policy = Policy::default();
    let answers = [
        store.get_one(&name, &id, Detail::Meta).await.map(drop),
        store.counts(&name).await.map(drop),
        store.list(list).await.map(drop),
        store.workers().await.map(drop),
        store.verify().await.map(drop),
        store.claim(request(1, Span::from_secs(1))).await.map(drop),
        store.settle(&held.record.meta, complete(held.token), &policy).await.map(drop),
        store.change(&name, &id, Event::Lapse, &policy).await.map(drop),
        store.set_paused(&name, None, Pause::UntilResumed).await,
        store.prune(everything).await.map(drop),
        store.subscribe(&name, Interest::Wake).await.map(drop),
    ];
    for answer in answers {
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Closed, "{error}");
        assert!(error.message().contains("was removed"), "{error}");
    }
}

#[tokio::test]
async fn nothing_that_sqlite_does_itself_closes_the_store() {
    let opened = Opened::new().await;
    let file = Connection::open(opened.path("data/jobs.db")).unwrap();
    for statement in ["PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "ANALYZE", "PRAGMA optimize"] {
        file.query_row(statement, [], |_| Ok(())).unwrap_or_default();
        opened.clock.advance(SECOND);
        opened.enqueue(statement).await.unwrap();
    }
    drop(file);
    make_store(&opened.path("data/jobs.db")).await;
    opened.clock.advance(SECOND);
    opened.enqueue("last").await.unwrap();
    assert_sound(&opened.store).await;
}

/// A clock that removes a file when it is first read, and moves on by a second when it is read
/// again.
#[derive(Debug)]
struct Thief {
    path: PathBuf,
    is_armed: AtomicBool,
    ticks: Mutex<Duration>,
}

impl Clock for Thief {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(0)
    }

    fn ticks(&self) -> Duration {
        let mut ticks = self.ticks.lock().expect("nobody panics");
        let before = *ticks;
        if self.is_armed.swap(false, Ordering::SeqCst) {
            fs::remove_file(&self.path).expect("it is there");
            *ticks += SECOND;
        }
        before
    }
}

#[tokio::test]
async fn a_commit_that_took_a_second_is_not_acknowledged_if_the_file_is_gone_by_then() {
    let place = Place::new();
    let thief = Arc::new(Thief { path: place.path(), is_armed: false.into(), ticks: Mutex::default() });
    let store = SqliteStorage::open(place.options().clock(thief.clone())).await.unwrap();
    thief.is_armed.store(true, Ordering::SeqCst);
    let error = store.enqueue(&queue(), vec![vec![job("a")]]).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Closed, Certainty::Unknown), "{error}");
}
