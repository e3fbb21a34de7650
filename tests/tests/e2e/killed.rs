//! Programs that are killed while they run commands: nothing goes on in their place.

use crate::{leading::is_alive, place};
use queue_e2e::{CommandDirectory, Process, Served, until};
use rustix::process::Signal;
use std::fs;

/// A command that has started another one, and waits for it. Its input ends once the guardian knows
/// its group, so a program that is killed after that does not leave it behind.
const WORK: &str = "cat > /dev/null; sleep 1000 & echo $$ $! > pids; wait";

fn pids(place: &CommandDirectory) -> Vec<u32> {
    until("the command runs", || {
        let line = fs::read_to_string(place.path().join("pids")).ok().filter(|line| line.ends_with('\n'))?;
        Some(line.split_whitespace().map(|pid| pid.parse().expect("a number")).collect())
    })
}

fn its_command_ends_with_it(place: &CommandDirectory, program: Process) {
    let pids = pids(place);
    assert!(pids.len() == 2 && pids.iter().all(|pid| is_alive(*pid)), "{pids:?}");
    program.kill();
    until("the command and what it started have ended", || {
        pids.iter().all(|pid| !is_alive(*pid)).then_some(())
    });
}

#[test]
fn the_command_of_a_killed_worker_ends_with_it() {
    let place = place();
    place.run(&["enqueue", "x"]).ok();
    its_command_ends_with_it(&place, place.start(&["work", "--exec", WORK]));
}

#[test]
fn the_command_of_a_killed_leader_ends_with_it() {
    let place = place();
    place.run(&["migrate"]).ok();
    its_command_ends_with_it(&place, place.start(&["lead", "report", "--exec", WORK]));
}

#[test]
fn the_command_of_a_killed_worker_of_a_service_ends_with_it() {
    let place = place();
    place.run(&["enqueue", "x"]).ok();
    let served = Served::start(&place, &["--no-auth"]);
    let url = format!("http://{}", served.address());
    its_command_ends_with_it(&place, place.start(&["work", "--server", &url, "--exec", WORK]));
}

/// The guardian kills what runs, and nothing that has ended: what a command leaves behind lives on.
#[test]
fn what_a_command_left_behind_outlives_a_killed_worker() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    let worker = place.start(&["work", "--exec", "sleep 1000 & echo $$ $! > pids"]);
    let left = pids(&place)[1];
    place.run(&["wait", "a"]).ok();
    worker.kill();
    place.run(&["enqueue", "x", "--id", "b"]).ok();
    place.run(&["work", "--drain", "--exec", "true"]).ok();
    assert!(is_alive(left), "it was killed");
    let left = rustix::process::Pid::from_raw(left.cast_signed()).expect("a process");
    rustix::process::kill_process(left, Signal::KILL).expect("it is there");
}
