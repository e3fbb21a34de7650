//! The `queue` command on the store of this example.

use std::{
    path::Path,
    process::{Command, Output},
};

fn queue(store: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kv-store-example"));
    command.arg("--store").arg(format!("redb:{}", store.display())).args(arguments);
    command.output().expect("it runs")
}

fn answer(store: &Path, arguments: &[&str]) -> String {
    let output = queue(store, arguments);
    let (told, complaint) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {told}{complaint}");
    told.into_owned()
}

#[test]
fn a_job_goes_from_enqueue_to_its_result_in_three_processes() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = directory.path().join("jobs.redb");
    answer(&store, &["enqueue", "--id", "greeting", "hello"]);
    answer(&store, &["work", "--exec", "tr a-z A-Z", "--drain"]);
    assert_eq!(answer(&store, &["result", "greeting"]), "HELLO");
    answer(&store, &["verify"]);
}

#[test]
fn a_store_that_ends_with_the_process_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kv-store-example"));
    let output = command.args(["--store", "memory:", "enqueue", "hello"]).output().expect("it runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && complaint.contains("exists inside one program only"), "{complaint}");
}
