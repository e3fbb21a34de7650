//! `queue work` that is suspended while its commands end, as on a laptop that sleeps: the work is
//! done, so it is not done again, although the leases are over.

use crate::{
    place,
    remote_working::{service, with},
};
use queue_e2e::{CommandDirectory, CommandRun, Process, until};
use rustix::process::Signal;
use std::{fs, process::Command};

/// Notes its start, and ends once the file `hold` is removed.
const SCRIPT: &str = "echo $$ >> starts; while [ -e hold ]; do sleep 0.05; done; printf done";
const WORK: [&str; 6] = ["work", "--exec", SCRIPT, "--lease", "2s", "--drain"];

/// The exit code for a store that cannot answer now.
const LOCKED: i32 = 5;
/// How often a worker that was stopped with the store's lock is followed by another.
const TRIES: usize = 5;

/// The processes of all commands so far.
fn starts(place: &CommandDirectory) -> Vec<String> {
    let lines = fs::read_to_string(place.path().join("starts")).unwrap_or_default();
    lines.lines().map(str::to_owned).collect()
}

/// Whether a process has ended, though its parent may not have waited for it yet.
fn has_ended(pid: &str) -> bool {
    let shown = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().expect("the system has ps");
    shown.stdout.is_empty() || shown.stdout.starts_with(b"Z")
}

fn hold(place: &CommandDirectory) {
    fs::write(place.path().join("hold"), "").expect("the directory is ours");
}

/// Suspends the worker until the leases of the jobs are over and their commands have ended. False
/// if it was stopped with the store's lock in its hands, so that no process can ask the store.
fn suspend(
    place: &CommandDirectory,
    worker: &Process,
    jobs: &[&str],
    run: impl Fn(&[&str]) -> CommandRun,
) -> bool {
    until("all commands run", || (starts(place).len() == jobs.len()).then_some(()));
    worker.suspend();
    for id in jobs {
        let is_over = until("the store says that the lease is over", || {
            let shown = run(&["status", id, "--json"]);
            if shown.code == LOCKED {
                return Some(false);
            }
            let job = shown.ok().object();
            (job["now_ms"].as_i64()? >= job["lease_expires_at_ms"].as_i64()?).then_some(true)
        });
        if !is_over {
            return false;
        }
    }
    fs::remove_file(place.path().join("hold")).expect("it was made before");
    for pid in starts(place) {
        until("the command has ended", || has_ended(&pid).then_some(()));
    }
    worker.signal(Signal::CONT);
    true
}

/// False if the worker has to be suspended at another moment.
fn ends_while_suspended(store: &str) -> bool {
    let (place, jobs) = (place(), ["a", "b", "c", "d"]);
    hold(&place);
    let run = |arguments: &[&str]| place.run(&[arguments, &["--store", store]].concat());
    for id in jobs {
        run(&["enqueue", "x", "--id", id]).ok();
    }
    let worker = place.start(&[&WORK[..], &["--concurrency", "4", "--store", store]].concat());
    if !suspend(&place, &worker, &jobs, run) {
        // The commands end once there is no file `hold`.
        worker.kill();
        return false;
    }
    assert_eq!(worker.wait().ok().text(), "completed 4 jobs\n", "{store}");
    assert_eq!(starts(&place).len(), jobs.len(), "{store}");
    assert_eq!(run(&["result", "a"]).ok().text(), "done", "{store}");
    true
}

#[test]
fn commands_that_ended_while_their_worker_was_suspended_are_not_run_again() {
    for store in ["sqlite:store.db", "file:store"] {
        let is_seen = (0..TRIES).any(|_| ends_while_suspended(store));
        assert!(is_seen, "{store}: each time it was stopped with the store's lock");
    }
}

#[test]
fn nor_are_they_by_a_worker_of_a_service() {
    let place = place();
    hold(&place);
    let served = service(&place);
    let url = format!("http://{}", served.address());
    let run = |arguments: &[&str]| place.run(&with(&url, "store.token", arguments));
    run(&["enqueue", "x", "--id", "a"]).ok();
    let worker = place.start(&with(&url, "work.token", &[&WORK[..], &["--concurrency", "1"]].concat()));
    assert!(suspend(&place, &worker, &["a"], run), "the service has the lock, if anybody");
    assert_eq!(worker.wait().ok().text(), "completed 1 job\n");
    assert_eq!(starts(&place).len(), 1);
    assert_eq!(run(&["result", "a"]).ok().text(), "done");
}
