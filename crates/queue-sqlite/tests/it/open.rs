//! What a path may contain, and what opening makes of it.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, settle};
use queue_core::{Certainty, Detail, ErrorKind, JobId, State, Storage, StorageExt};
use queue_sqlite::{Create, MIGRATIONS, SCHEMA_TABLE, SqliteOptions, SqliteStorage};
use rusqlite::Connection;
use std::{path::Path, time::Duration};
use tokio::task::JoinSet;

async fn refusal(options: SqliteOptions) -> queue_core::Error {
    let error = SqliteStorage::open(options).await.expect_err("it is refused");
    assert_eq!((error.operation(), error.certainty()), ("open", Certainty::NotApplied));
    error
}

fn names_the_path(error: &queue_core::Error, path: &Path) -> bool {
    error.message().contains(path.to_str().expect("a readable path"))
}

#[tokio::test]
async fn reopening_keeps_everything_and_tidies_up_the_log() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("done"), job("held"), job("waiting")]).await;
    let claimed = claim(&store, 2).await.jobs;
    settle(&store, &claimed[0].record.meta, complete(claimed[0].token)).await;
    let ids = ["done", "held", "waiting"].map(JobId::from_static);
    let before = store.get(&queue(), &ids, Detail::Full).await.unwrap().value;
    store.close().await.unwrap();
    let files = std::fs::read_dir(place.directory.path()).unwrap().count();
    assert_eq!(files, 1, "the last handle leaves one file");

    let store = place.open().await;
    assert_eq!(store.get(&queue(), &ids, Detail::Full).await.unwrap().value, before);
    settle(&store, &claimed[1].record.meta, complete(claimed[1].token)).await;
    assert_eq!(store.counts(&queue()).await.unwrap().of(State::Completed), 2);
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_alone() {
    let place = Place::new();
    drop(place.open().await);
    let file = Connection::open(place.path()).unwrap();
    file.execute("INSERT INTO queue_schema (version, applied_at) VALUES (99, 'later')", []).unwrap();
    let error = refusal(place.options()).await;
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("99") && names_the_path(&error, &place.path()), "{error}");
}

#[tokio::test]
async fn a_schema_of_before_the_first_release_is_refused_and_left_alone() {
    let place = Place::new();
    let file = Connection::open(place.path()).unwrap();
    file.execute_batch(SCHEMA_TABLE).unwrap();
    file.execute_batch("CREATE TABLE queue_job (key INTEGER PRIMARY KEY, max_attempts INTEGER)").unwrap();
    file.execute("INSERT INTO queue_schema (version, applied_at) VALUES (1, 'earlier')", []).unwrap();
    let error = refusal(place.options()).await;
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("use another file") && names_the_path(&error, &place.path()), "{error}");
    let tables: i64 = file.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 2, "nothing was made beside them");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let place = Place::new();
    let text = "These are my notes, and they are longer than the header of a database. ".repeat(30);
    std::fs::write(place.path(), &text).unwrap();
    let error = refusal(place.options()).await;
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(names_the_path(&error, &place.path()), "{error}");
    assert_eq!(std::fs::read_to_string(place.path()).unwrap(), text);
}

#[tokio::test]
async fn paths_that_cannot_be_used_are_refused_by_name() {
    let place = Place::new();
    let missing = place.directory.path().join("nowhere").join("jobs.db");
    for path in [missing.clone(), place.directory.path().to_owned()] {
        let error = refusal(SqliteOptions::new(&path)).await;
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(names_the_path(&error, &path), "{error}");
    }
    assert_eq!(refusal(SqliteOptions::new("")).await.kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn a_missing_file_is_made_only_when_asked_for() {
    let place = Place::new();
    let error = refusal(place.options().create(Create::Never)).await;
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(!place.path().exists());
    drop(place.open().await);
    SqliteStorage::open(place.options().create(Create::Never)).await.unwrap();
}

#[tokio::test]
async fn a_file_without_a_queue_gets_none_unless_asked_for() {
    let place = Place::new();
    std::fs::write(place.path(), "").unwrap();
    let error = refusal(place.options().create(Create::Never)).await;
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(error.message().contains("holds no queue") && names_the_path(&error, &place.path()), "{error}");
    assert_eq!(std::fs::read(place.path()).unwrap(), b"");

    let file = Connection::open(place.path()).unwrap();
    file.execute_batch("CREATE TABLE mine (id); INSERT INTO mine VALUES (7);").unwrap();
    let before = std::fs::read(place.path()).unwrap();
    assert_eq!(refusal(place.options().create(Create::Never)).await.kind(), ErrorKind::Invalid);
    assert_eq!(std::fs::read(place.path()).unwrap(), before);
    assert_eq!(std::fs::read_dir(place.directory.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_path_that_is_too_long_for_sqlite_is_refused_for_that() {
    let place = Place::new();
    let mut directory = place.directory.path().canonicalize().unwrap();
    while directory.as_os_str().len() < 400 {
        directory.push("d".repeat(50));
    }
    std::fs::create_dir_all(&directory).unwrap();
    let of_length = |bytes: usize| directory.join("j".repeat(bytes - directory.as_os_str().len() - 1));
    drop(SqliteStorage::open(SqliteOptions::new(of_length(504))).await.unwrap());
    let error = refusal(SqliteOptions::new(of_length(505))).await;
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(error.message().contains("504 bytes"), "{error}");
    assert!(!of_length(505).exists(), "nothing was made");
    // The target of a link counts.
    let link = place.directory.path().join("link");
    std::os::unix::fs::symlink(&directory, &link).unwrap();
    let error = refusal(SqliteOptions::new(link.join(of_length(505).file_name().unwrap()))).await;
    assert!(error.message().contains("504 bytes"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_leads_nowhere_is_refused_for_that() {
    let place = Place::new();
    std::os::unix::fs::symlink("missing.db", place.path()).unwrap();
    for create in [Create::IfMissing, Create::Never] {
        let error = refusal(place.options().create(create)).await;
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(error.message().contains("link") && names_the_path(&error, &place.path()), "{error}");
    }
}

#[tokio::test]
async fn special_names_and_uris_are_plain_paths() {
    let place = Place::new();
    for name in [":memory:", "file:jobs.db?mode=memory", "ü %20 'quoted'"] {
        let path = place.directory.path().join(name);
        drop(SqliteStorage::open(SqliteOptions::new(&path)).await.unwrap());
        assert!(path.is_file(), "{name}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_file_and_its_log_are_for_this_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    for file in std::fs::read_dir(place.directory.path()).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_read_only_file_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    drop(place.open().await);
    let read_only = std::fs::Permissions::from_mode(0o400);
    std::fs::set_permissions(place.path(), read_only).unwrap();
    if std::fs::OpenOptions::new().write(true).open(place.path()).is_ok() {
        eprintln!("this user may write to anything, so nothing is read-only");
        return;
    }
    let error = refusal(place.options()).await;
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(names_the_path(&error, &place.path()), "{error}");
}

#[tokio::test]
async fn tables_of_an_application_live_beside_ours() {
    let place = Place::new();
    let file = Connection::open(place.path()).unwrap();
    file.execute_batch("CREATE TABLE job (id INTEGER PRIMARY KEY); INSERT INTO job VALUES (7);").unwrap();
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    assert_eq!(file.query_row("SELECT id FROM job", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_name_of_ours_that_is_taken_is_told_and_left_alone() {
    for (taken, told) in [
        ("CREATE TABLE queue_job (mine)", "table queue_job"),
        ("CREATE TABLE Queue_Life (mine)", "table queue_life"),
        ("CREATE TABLE queue_schema (mine)", "table queue_schema"),
        ("CREATE TABLE queue_schema (version TEXT, name TEXT)", "table queue_schema"),
        ("CREATE VIEW queue_ready AS SELECT 1 AS mine", "view queue_ready"),
        ("CREATE TABLE t (mine); CREATE INDEX queue_job_id ON t (mine)", "index queue_job_id"),
    ] {
        let place = Place::new();
        let file = Connection::open(place.path()).unwrap();
        file.execute_batch(taken).unwrap();
        let schema = || file.query_row("SELECT group_concat(sql) FROM sqlite_schema", [], |row| row.get(0));
        let before: String = schema().unwrap();
        let error = refusal(place.options()).await;
        assert_eq!(error.kind(), ErrorKind::Invalid, "{taken}: {error}");
        assert!(error.message().contains(told) && names_the_path(&error, &place.path()), "{taken}: {error}");
        assert_eq!(schema().unwrap(), before);
    }
}

#[tokio::test]
async fn a_schema_applied_by_hand_is_taken_as_it_is() {
    let place = Place::new();
    let file = Connection::open(place.path()).unwrap();
    file.execute_batch(SCHEMA_TABLE).unwrap();
    for migration in MIGRATIONS {
        file.execute_batch(migration.sql).unwrap();
        file.execute("INSERT INTO queue_schema VALUES (?1, 'by hand')", [migration.version]).unwrap();
    }
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    assert_sound(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_that_open_a_new_file_at_once_all_succeed() {
    let place = Place::new();
    let opens: JoinSet<_> = (0..8).map(|_| SqliteStorage::open(place.options())).collect();
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
    let store = SqliteStorage::open(place.options().busy_timeout(Duration::from_millis(3))).await.unwrap();
    let other = Connection::open(place.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.enqueue(&queue(), vec![vec![job("a")]]).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied));
    assert!(store.get_one(&queue(), &JobId::from_static("a"), Detail::Meta).await.unwrap().is_none());
    other.execute_batch("ROLLBACK").unwrap();
    enqueue(&store, vec![job("a")]).await;
    assert_sound(&store).await;
}
