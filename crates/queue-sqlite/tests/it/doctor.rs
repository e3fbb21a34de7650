//! What `diagnose` finds on a sick file.

use crate::common::{Place, job};
use queue_core::{Finding, JobId, NewJob, QueueName, Severity, Storage};
use queue_sqlite::{SqliteStorage, Synchronous};
use rusqlite::Connection;

/// More than the log is cut back to: 70 payloads of a MiB.
const LARGE_JOBS: usize = 70;

async fn finding(store: &SqliteStorage, code: &str) -> Finding {
    let findings = store.diagnose().await.expect("it looks");
    findings.into_iter().find(|finding| finding.code == code).expect("there is such a check")
}

#[track_caller]
fn assert_is(finding: &Finding, severity: Severity, seen: &str) {
    assert_eq!(finding.severity, severity, "{finding:?}");
    assert!(finding.seen.contains(seen), "{finding:?}");
}

fn large(n: usize) -> NewJob {
    let mut large = job("large");
    large.payload.bytes = vec![7; 1 << 20].into();
    large.id = JobId::new(format!("large-{n}")).expect("an id");
    large
}

#[tokio::test]
async fn a_file_that_is_well_has_no_finding_of_its_own() {
    let place = Place::new();
    let store = place.open().await;
    for code in ["sqlite-version", "store-layout", "durability", "sqlite-log"] {
        assert_eq!(finding(&store, code).await.severity, Severity::Fine, "{code}");
    }
}

#[tokio::test]
async fn a_reader_that_holds_the_log_is_a_warning_until_it_ends() {
    let place = Place::new();
    let store =
        SqliteStorage::open(place.options().synchronous(Synchronous::Normal)).await.expect("it opens");
    let queue = QueueName::from_static("large");
    store.enqueue(&queue, vec![vec![large(LARGE_JOBS)]]).await.expect("it is stored");
    let reader = Connection::open(place.path()).expect("it opens");
    reader.execute_batch("BEGIN; SELECT count(*) FROM queue_job;").expect("it reads");
    for n in 0..LARGE_JOBS {
        store.enqueue(&queue, vec![vec![large(n)]]).await.expect("it is stored");
    }
    assert_is(&finding(&store, "sqlite-log").await, Severity::Warning, "the log has 7");

    reader.execute_batch("ROLLBACK").expect("it ends");
    // The log starts over with a commit once a checkpoint has copied all of it.
    for n in 0..2 {
        store.enqueue(&queue, vec![vec![large(1_000 + n)]]).await.expect("it is stored");
    }
    assert_eq!(finding(&store, "sqlite-log").await.severity, Severity::Fine);
}

#[tokio::test]
async fn commits_that_a_power_cut_may_take_are_a_warning() {
    let place = Place::new();
    let store =
        SqliteStorage::open(place.options().synchronous(Synchronous::Normal)).await.expect("it opens");
    assert_is(&finding(&store, "durability").await, Severity::Warning, "synchronous=normal");
}

#[tokio::test]
async fn a_file_on_a_network_is_broken() {
    let place = Place::new();
    let store = SqliteStorage::open(place.options().file_system(0x6969)).await.expect("it opens");
    assert_is(&finding(&store, "disk-kind").await, Severity::Broken, "NFS");
}

#[tokio::test]
async fn tables_of_another_version_are_broken() {
    let place = Place::new();
    let store = place.open().await;
    let other = Connection::open(place.path()).expect("it opens");
    other.execute_batch("UPDATE queue_schema SET version = version + 1").expect("it writes");
    assert_is(&finding(&store, "store-layout").await, Severity::Broken, "this program has version");
}

#[cfg(target_os = "linux")]
mod in_a_namespace {
    use super::{assert_is, finding};
    use queue_core::Severity;
    use queue_sqlite::{SqliteOptions, SqliteStorage};
    use std::{fs, path::Path, process::Command};

    const CHILD: &str = "QUEUE_SQLITE_DOCTOR_CHILD";
    /// The exit code if mounting is not permitted; tests end with 0 or 101.
    const MAY_NOT: i32 = 1;

    /// Runs a test again in namespaces of its own, after a script that has the directory as its
    /// first argument.
    fn run(name: &str, script: &str, test: impl AsyncFnOnce(&Path)) {
        if let Some(directory) = std::env::var_os(CHILD) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            return runtime.expect("a runtime").block_on(test(Path::new(&directory)));
        }
        let directory = tempfile::tempdir().expect("a temporary directory");
        let ended = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
            .arg(format!(r#"{{ {script}; }} || exit 1; exec "$@""#))
            .arg(directory.path())
            .arg(std::env::current_exe().expect("this test is a file"))
            .args(["--exact", &format!("doctor::in_a_namespace::{name}"), "--nocapture"])
            .env(CHILD, directory.path())
            .status();
        match ended {
            Ok(status) if status.code() != Some(MAY_NOT) => assert!(status.success(), "{status}"),
            _ => eprintln!("this user may not have namespaces of its own"),
        }
    }

    #[test]
    fn a_disk_that_fills_up_is_a_warning_and_then_broken() {
        let mount = r#"mount -t tmpfs -o size=64m tmpfs "$0""#;
        run("a_disk_that_fills_up_is_a_warning_and_then_broken", mount, async |directory| {
            let options = SqliteOptions::new(directory.join("jobs.db"));
            let store = SqliteStorage::open(options).await.expect("it opens");
            assert_is(&finding(&store, "disk-room").await, Severity::Warning, "of 64 MiB are free");
            assert_is(&finding(&store, "disk-kind").await, Severity::Warning, "tmpfs");
            fs::write(directory.join("filler"), vec![1; 50 << 20]).expect("there is room");
            assert_is(&finding(&store, "disk-room").await, Severity::Broken, "of 64 MiB are free");
        });
    }

    #[test]
    fn a_directory_that_cannot_be_watched_is_a_warning() {
        let limit = "echo 0 > /proc/sys/user/max_inotify_instances";
        run("a_directory_that_cannot_be_watched_is_a_warning", limit, async |directory| {
            let options = SqliteOptions::new(directory.join("jobs.db"));
            let store = SqliteStorage::open(options).await.expect("it opens");
            let found = finding(&store, "file-watches").await;
            assert_is(&found, Severity::Warning, "cannot be watched");
        });
    }
}
