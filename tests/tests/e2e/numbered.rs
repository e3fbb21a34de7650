//! People read the numbers of the charged attempts.

use crate::place;
use queue_e2e::{CommandDirectory, until};
use rustix::process::Signal;

fn hangs_and_is_killed(place: &CommandDirectory) {
    let worker = place.start(&["work", "--exec", "touch begun; exec sleep 1000"]);
    until("it runs", || place.path().join("begun").exists().then_some(()));
    until("the commands are killed", || {
        worker.signal(Signal::INT);
        worker.stderr().contains("stopping now").then_some(())
    });
    worker.wait().code(130);
}

#[test]
fn a_claim_that_was_given_back_has_no_number() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    hangs_and_is_killed(&place);
    place.run(&["work", "--exec", "echo $QUEUE_ATTEMPT", "--drain"]).ok();
    assert_eq!(place.run(&["result", "a"]).ok().text(), "1\n");
    let shown = place.run(&["show", "a"]).ok();
    assert!(shown.text().contains("1 of 25") && shown.text().contains("attempt 1 completed"), "{shown:?}");
}

#[test]
fn attempts_are_counted_from_one_again_after_a_redrive() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--max-attempts", "2"]).ok();
    place.run(&["work", "--exec", "exit 1", "--drain", "--retry-wait", "1ms"]).code(1);
    place.run(&["redrive", "a"]).ok();
    let exec = "echo $QUEUE_ATTEMPT; test $QUEUE_ATTEMPT = 2";
    place.run(&["work", "--exec", exec, "--drain", "--retry-wait", "1ms"]).ok();
    let shown = place.run(&["show", "a"]).ok();
    for words in ["2 of 2", "an attempt before the redrive failed", "attempt 1 failed", "attempt 2 completed"]
    {
        assert!(shown.text().contains(words), "{words}: {shown:?}");
    }
    assert!(!shown.text().contains("attempt 3"), "{shown:?}");
    let log = place.run(&["show", "a", "--json"]).ok().object()["attempt_log"].clone();
    let numbers: Vec<_> = log.as_array().expect("a list").iter().map(|it| it["attempt"].as_u64()).collect();
    assert_eq!(numbers, [None, None, Some(1)]);
}
