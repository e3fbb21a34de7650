//! A host at its limit of processes.

use crate::place;
use queue_e2e::{CommandDirectory, until};
use rustix::process::{Signal, geteuid};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown},
    process,
};

/// More than a worker with one thread of the runtime needs.
const PROCESSES_MAX: u32 = 14;

/// A directory of a user who has no other process, with a store and one job.
fn place_of_another_user() -> (CommandDirectory, u32) {
    let place = place();
    let user = 500_000 + process::id();
    let path = place.path();
    let whole = path.parent().expect("it is in another one");
    fs::set_permissions(whole, fs::Permissions::from_mode(0o755)).expect("it is ours");
    place.run(&["enqueue", "x", "--id", "a", "--max-attempts", "1"]).ok();
    chown(&path, Some(user), Some(user)).expect("root may");
    for file in fs::read_dir(&path).expect("it is there") {
        chown(file.expect("it is there").path(), Some(user), Some(user)).expect("root may");
    }
    (place, user)
}

/// At every limit a worker works, waits, or says what is missing. It ends in good order, and no job
/// is charged for what its host lacks.
#[test]
fn a_worker_at_its_limit_of_processes_does_not_crash_and_charges_no_job() {
    if !geteuid().is_root() {
        eprintln!("skipped: only root can start programs of a user without other processes");
        return;
    }
    let (place, user) = place_of_another_user();
    let status = || place.run(&["status", "a", "--json"]).ok().object();
    let (mut said, mut completed) = (String::new(), false);
    for processes in 1..=PROCESSES_MAX {
        let mut worker =
            place.start_limited(processes, user, &["work", "--exec", "true", "--concurrency", "1"]);
        let mut has_ended = false;
        until("it works, or has said why not", || {
            completed = status()["state"] == "completed";
            has_ended = worker.has_ended();
            let has_warned =
                worker.stderr().lines().any(|line| line.starts_with("warning") && !line.contains("guardian"));
            (completed || has_ended || has_warned).then_some(())
        });
        if !has_ended {
            worker.signal(Signal::TERM);
        }
        let ended = worker.wait();
        assert!(matches!(ended.code, 0 | 5), "{processes}: {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{processes}: {ended:?}");
        assert_eq!(status()["failures"], 0, "{processes}: {ended:?}");
        said += &ended.stderr;
        if completed {
            break;
        }
    }
    assert!(completed, "{said}");
    for words in
        ["the system starts no thread", "no thread can be started", "starts no process for the command"]
    {
        assert!(said.contains(words), "{words:?} is missing: {said}");
    }
}
