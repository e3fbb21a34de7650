//! What `diagnose` finds on a sick directory.

use crate::common::{Place, claim, complete, enqueue, job, queue, settle};
use queue_core::{Finding, JobId, Prune, PruneRequest, Severity, Storage};
use queue_fs::{Flush, FsStorage};
use std::{fs, time::Duration};

async fn finding(store: &FsStorage, code: &str) -> Finding {
    let findings = store.diagnose().await.expect("it looks");
    findings.into_iter().find(|finding| finding.code == code).expect("there is such a check")
}

#[track_caller]
fn assert_is(finding: &Finding, severity: Severity, seen: &str) {
    assert_eq!(finding.severity, severity, "{finding:?}");
    assert!(finding.seen.contains(seen), "{finding:?}");
}

#[tokio::test]
async fn a_directory_that_is_well_has_no_finding_of_its_own() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![job("one")]).await;
    for code in
        ["store-layout", "durability", "journal-size", "journal-damage", "files-put-aside", "files-memory"]
    {
        assert_eq!(finding(&store, code).await.severity, Severity::Fine, "{code}");
    }
    assert_is(&finding(&store, "journal-size").await, Severity::Fine, "1 jobs");
}

#[tokio::test]
async fn writes_that_a_power_cut_may_take_are_a_warning() {
    for (flush, words) in
        [(Flush::Never, "before the store closes"), (Flush::Every(Duration::from_millis(50)), "50 ms")]
    {
        let place = Place::new();
        let store = FsStorage::open(place.options().flush(flush)).await.expect("it opens");
        assert_is(&finding(&store, "durability").await, Severity::Warning, words);
    }
}

#[tokio::test]
async fn what_a_repair_put_aside_is_a_warning() {
    let place = Place::new();
    let store = place.open().await;
    fs::write(place.path().join("damaged-00000001.log"), b"x").expect("there is room");
    assert_is(&finding(&store, "files-put-aside").await, Severity::Warning, "1 damaged");
}

#[tokio::test]
async fn a_segment_that_is_found_damaged_is_broken_and_the_journal_it_keeps_is_a_warning() {
    let place = Place::new();
    let options = place.options().segment_bytes(64 << 10).memory_budget_bytes(0).flush(Flush::Never);
    let store = FsStorage::open(options).await.expect("it opens");
    // The first job stays, so that compaction has to copy it.
    enqueue(&store, vec![job("stays").with_priority(9)]).await;
    let first = place.path().join("journal-0000000000000001.log");
    let mut bytes = fs::read(&first).expect("it is there");
    bytes[60..].iter_mut().for_each(|byte| *byte ^= 0x55);
    fs::write(&first, bytes).expect("there is room");
    for n in 0..40 {
        let mut large = job("large");
        large.id = JobId::new(format!("large-{n}")).expect("an id");
        large.payload.bytes = vec![7; 1 << 20].into();
        enqueue(&store, vec![large]).await;
        let held = claim(&store, 1).await.jobs;
        settle(&store, &held[0].record.meta, complete(held[0].token)).await;
        let done = PruneRequest { queue: queue(), what: Prune::finished_before(Duration::ZERO), limit: 9 };
        store.prune(done).await.expect("it removes");
    }
    assert_is(&finding(&store, "journal-damage").await, Severity::Broken, "could not be read");
    assert_is(&finding(&store, "journal-size").await, Severity::Warning, "1 jobs");
}

#[cfg(target_os = "linux")]
mod in_a_namespace {
    use super::{assert_is, finding};
    use queue_core::Severity;
    use queue_fs::{FsOptions, FsStorage};
    use std::{fs, path::Path, process::Command};

    const CHILD: &str = "QUEUE_FS_DOCTOR_CHILD";
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
            let store = FsStorage::open(FsOptions::new(directory.join("jobs"))).await.expect("it opens");
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
            let store = FsStorage::open(FsOptions::new(directory.join("jobs"))).await.expect("it opens");
            assert_is(&finding(&store, "file-watches").await, Severity::Warning, "cannot be watched");
        });
    }
}
