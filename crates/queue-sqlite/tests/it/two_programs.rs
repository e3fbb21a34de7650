//! Two programs that believe they share a store, and no longer do. The one that has lost its files
//! stops by itself.
//!
//! The test runs itself as that program, which goes by real time.
#![cfg(unix)]

use crate::common::{assert_sound, enqueue, job, queue};
use queue_core::{Detail, ErrorKind, JobId, Storage, StorageExt};
use queue_sqlite::{SqliteOptions, SqliteStorage};
use std::{
    fs,
    io::{BufRead, BufReader, Lines},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};
use tempfile::TempDir;

const CHILD: &str = "QUEUE_SQLITE_LOSING_CHILD";
const NAME: &str = "two_programs::a_program_whose_files_are_replaced_by_those_of_another_stops_acknowledging";
/// The acknowledgements to see before the files are taken away.
const LINES: usize = 20;

struct Program {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Program {
    fn start(path: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this test is a file"))
            .args(["--exact", NAME, "--nocapture"])
            .env(CHILD, path)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut program = Self { child, lines };
        assert_eq!(program.queued().take(LINES).count(), LINES, "it enqueues");
        program
    }

    fn queued(&mut self) -> impl Iterator<Item = String> {
        self.lines.by_ref().map_while(Result::ok).filter(|line| line.starts_with("queued "))
    }

    /// Waits for the end of the program, and returns its message.
    fn end(mut self) -> String {
        let last = self.lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("over "));
        self.child.wait().expect("it ends");
        last.expect("it says why")
    }
}

#[test]
fn a_program_whose_files_are_replaced_by_those_of_another_stops_acknowledging() {
    if let Some(path) = std::env::var_os(CHILD) {
        return enqueue_until_closed(Path::new(&path));
    }
    for replace in [remove_all, rename_directory, rename_file_onto_it] {
        let place = tempfile::tempdir().expect("a temporary directory");
        let path = place.path().join("data/jobs.db");
        fs::create_dir(place.path().join("data")).unwrap();
        let program = Program::start(&path);
        replace(&place);
        let told = with_another_store(&path, program);
        assert!(told.starts_with("over Closed") && told.contains("data/jobs.db was"), "{told}");
    }
}

fn remove_all(place: &TempDir) {
    fs::remove_dir_all(place.path().join("data")).expect("it is removed");
    fs::create_dir(place.path().join("data")).expect("it works");
}

fn rename_directory(place: &TempDir) {
    fs::rename(place.path().join("data"), place.path().join("old")).expect("it works");
    fs::create_dir(place.path().join("data")).expect("it works");
}

/// Replaces the database with a backup, together with the files that belonged to the old one.
fn rename_file_onto_it(place: &TempDir) {
    let path = |name| -> PathBuf { place.path().join("data").join(name) };
    block_on(async {
        let backup = SqliteStorage::open(SqliteOptions::new(path("backup.db"))).await.expect("it works");
        backup.close().await.expect("it works");
    });
    fs::rename(path("backup.db"), path("jobs.db")).expect("it works");
    fs::remove_file(path("jobs.db-wal")).expect("it works");
    fs::remove_file(path("jobs.db-shm")).expect("it works");
}

/// Opens the store that is at the path now, and uses it until the other program has ended.
fn with_another_store(path: &Path, program: Program) -> String {
    block_on(async {
        let store = SqliteStorage::open(SqliteOptions::new(path)).await.expect("it works");
        enqueue(&store, vec![job("ours")]).await;
        let told = program.end();
        enqueue(&store, vec![job("later")]).await;
        assert_eq!(store.counts(&queue()).await.expect("it works").total(), 2, "nothing of theirs");
        assert!(
            store
                .get_one(&queue(), &JobId::from_static("ours"), Detail::Meta)
                .await
                .expect("it works")
                .is_some()
        );
        assert_sound(&store).await;
        told
    })
}

fn enqueue_until_closed(path: &Path) {
    block_on(async {
        let store = SqliteStorage::open(SqliteOptions::new(path)).await.expect("it opens");
        for n in 0.. {
            match store.enqueue(&queue(), vec![vec![job(&n.to_string())]]).await {
                Ok(_) => say(&format!("queued {n}")),
                Err(error) if error.kind() == ErrorKind::Closed => {
                    return say(&format!("over Closed {error}"));
                }
                Err(error) => say(&format!("failed {error}")),
            }
        }
    });
}

fn say(line: &str) {
    println!("{line}");
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(future)
}
