//! `queue lead` in several processes on one file.

use crate::place;
use queue_e2e::{CommandDirectory, Process, until};
use rustix::process::Signal;
use std::fs;

/// The command: it writes its term, and then works until it is killed.
const WORK: &str = "echo $QUEUE_FENCE $$ >> terms; exec sleep 1000";

fn candidate(place: &CommandDirectory) -> Process {
    place.start(&["lead", "report", "--exec", WORK, "--lease", "2s"])
}

/// The terms so far: number and working process.
fn terms(place: &CommandDirectory) -> Vec<(String, u32)> {
    let lines = fs::read_to_string(place.path().join("terms")).unwrap_or_default();
    let parse = |line: &str| {
        let (fence, pid) = line.split_once(' ')?;
        Some((fence.to_owned(), pid.parse().ok()?))
    };
    lines.lines().filter_map(parse).collect()
}

fn wait_for_terms(place: &CommandDirectory, count: usize) -> Vec<(String, u32)> {
    until("enough terms began", || Some(terms(place)).filter(|terms| terms.len() >= count))
}

pub(crate) fn is_alive(pid: u32) -> bool {
    // A zombie has ended: its parent has only not waited for it yet.
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_frozen_leader_is_replaced_and_its_command_is_killed_when_it_wakes_up() {
    let place = place();
    place.run(&["migrate"]).ok();
    let first = candidate(&place);
    let old = wait_for_terms(&place, 1)[0].clone();
    first.suspend();
    let second = candidate(&place);
    let new = wait_for_terms(&place, 2)[1].clone();
    assert_eq!((old.0.as_str(), new.0.as_str()), ("1.1", "1.2"), "the fences of two terms");
    assert!(is_alive(old.1), "the frozen leader could not stop it: this is what the fence is for");
    first.signal(Signal::CONT);
    until("the old command is killed", || (!is_alive(old.1)).then_some(()));
    assert!(is_alive(new.1), "the new leader works on");
    assert!(second.stderr().ends_with("leading, term 1.2\n"), "{}", second.stderr());
    // The term ends by the leader's own clock, or by the answer to a heartbeat that was under way
    // when it froze.
    let over = |reason| first.stderr().contains(&format!("term 1.1 is over: {reason}\n"));
    until("it says so", || (over("Lapsed") || over("Taken")).then_some(()));
    // The first runs for election again. A process that leads when it is killed at the end of the
    // test leaves its command behind.
    for candidate in [first, second] {
        candidate.signal(Signal::TERM);
        assert_eq!(candidate.wait().code, 130);
    }
    assert_eq!(terms(&place).len(), 2, "the first took over, and leads");
}

#[test]
fn a_leader_that_is_told_to_stop_hands_over_before_its_lease_ends() {
    let place = place();
    place.run(&["migrate"]).ok();
    let lead = ["lead", "report", "--exec", WORK, "--lease", "10m"];
    let first = place.start(&lead);
    wait_for_terms(&place, 1);
    let second = place.start(&lead);
    first.signal(Signal::HUP);
    assert_eq!(first.wait().code, 130);
    wait_for_terms(&place, 2);
    second.signal(Signal::QUIT);
    assert_eq!(second.wait().code, 130);
}

#[test]
fn a_candidate_says_that_it_waits_and_with_no_wait_ends() {
    let place = place();
    place.run(&["migrate"]).ok();
    let first = candidate(&place);
    wait_for_terms(&place, 1);
    let refused = place.run(&["lead", "report", "--exec", "true", "--no-wait"]).code(1);
    assert!(refused.stderr.contains("another process leads"), "{refused:?}");
    let second = candidate(&place);
    until("it says so", || second.stderr().contains("waiting: another process leads").then_some(()));
    for candidate in [first, second] {
        candidate.signal(Signal::TERM);
        candidate.wait().code(130);
    }
    let alone = place.run(&["lead", "report", "--exec", "true", "--no-wait"]).ok();
    assert!(alone.stderr.ends_with("is over: the command ended\n"), "{alone:?}");
}

#[test]
fn it_ends_as_its_command_does() {
    let place = place();
    place.run(&["migrate"]).ok();
    for (command, code) in [("true", 0), ("exit 7", 1)] {
        assert_eq!(place.run(&["lead", "report", "--exec", command]).code, code, "{command}");
    }
    assert_eq!(place.run(&["lead", "", "--exec", "true"]).code, 2, "a bad name");
    assert_eq!(place.run(&["lead", "x", "--exec", "true", "--lease", "1ms"]).code, 2, "a bad lease");
}
