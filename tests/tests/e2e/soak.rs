//! A slice of each long run; `cargo xtask soak` makes them long.

use queue_e2e::{CommandDirectory, CommandRun};

fn soak(arguments: &[&str]) -> CommandRun {
    CommandDirectory::new(env!("CARGO_BIN_EXE_soak")).run(arguments).ok()
}

/// Each job takes a tenth of a second, so that the run is long enough for kills on every machine.
#[test]
fn every_call_is_answered_right_and_in_time_with_hints_without_any_and_with_workers_killed() {
    let ran = soak(&["waits", "--calls", "500", "--work-ms", "100"]);
    assert_eq!(ran.text().matches("500 right, 0 wrong, 0 late").count(), 6, "{}", ran.text());
}

#[test]
fn jobs_that_are_done_leave_no_record_no_task_and_no_memory() {
    let ran = soak(&["jobs", "--jobs", "100000"]);
    assert!(ran.text().ends_with("tasks left: 0\n"), "{}", ran.text());
}

#[test]
fn a_hundred_thousand_waits_leave_no_subscription_no_task_and_no_memory() {
    let ran = soak(&["growth", "--waits", "100000"]);
    assert!(ran.text().contains("0 held in the end"), "{}", ran.text());
}

#[test]
fn waits_on_a_file_leave_no_subscription_no_task_and_no_memory() {
    let ran = soak(&["growth", "--waits", "5000", "--store", "sqlite:soak.db"]);
    assert!(ran.text().contains("0 held in the end"), "{}", ran.text());
}

#[test]
fn failed_jobs_are_redriven_once_while_workers_run_and_the_runner_is_killed() {
    let ran = soak(&["bulk", "--jobs", "1500", "--kills", "1", "--calm-ms", "100"]);
    assert_eq!(ran.text().matches("done 1500, gone 0, skipped 0, failed 0").count(), 3, "{}", ran.text());
}

#[test]
fn jobs_in_all_states_are_the_same_after_a_copy_that_was_killed() {
    let ran = soak(&["copy", "--jobs", "1500", "--kills", "1"]);
    assert_eq!(ran.text().matches("done verified: ").count(), 9, "{}", ran.text());
}

#[test]
fn ends_count_once_at_gates_while_workers_are_killed() {
    let ran =
        soak(&["gates", "--jobs", "2000", "--gates", "1,8", "--workers", "2", "--kill-every-ms", "300"]);
    assert_eq!(
        ran.text().matches("1800 completed, 200 failed, each counted once").count(),
        9,
        "{}",
        ran.text()
    );
}

#[test]
fn callbacks_run_once_and_count_every_member_while_workers_are_killed() {
    let jobs = "batches --jobs 2000 --batches 1,20 --workers 2 --kill-every-ms 300";
    let others = "--paced 3 --idle 3 --rest-ms 100";
    let ran = soak(&jobs.split(' ').chain(others.split(' ')).collect::<Vec<_>>());
    for callbacks in [1, 20] {
        let counted = format!("1800 completed, 200 failed, {callbacks} callbacks counted each once");
        assert_eq!(ran.text().matches(&counted).count(), 3, "{}", ran.text());
    }
    assert_eq!(ran.text().matches("last end to callback: ").count(), 3, "{}", ran.text());
    assert_eq!(ran.text().matches("rate beside no open batch: ").count(), 3, "{}", ran.text());
}

#[test]
fn partitions_keep_their_limit_and_are_drained_while_workers_are_killed() {
    let stores = "partitions --stores memory,files,sqlite --seconds 3 --partitions 20";
    let workers = "--processes 3 --kill-every-ms 500 --lease-ms 8000";
    let ran = soak(&stores.split(' ').chain(workers.split(' ')).collect::<Vec<_>>());
    let held =
        "no limit was exceeded, no job is lost or stuck, no overlap is unexplained: memory, files, sqlite\n";
    assert!(ran.text().ends_with(held), "{}", ran.text());
}

#[test]
fn waits_of_a_small_tenant_are_measured_in_each_order_of_claims() {
    let ran =
        soak(&"partitions --fair --stores sqlite --jobs 500 --processes 2".split(' ').collect::<Vec<_>>());
    for order in
        ["without partitions ", "a partition for each tenant ", "has 100 keys ", "at most 2 of each key "]
    {
        assert_eq!(ran.text().matches(order).count(), 1, "{}", ran.text());
    }
}
