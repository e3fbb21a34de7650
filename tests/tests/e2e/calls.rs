//! A short run of the program `call-latency`.

use queue_e2e::CommandDirectory;

#[test]
fn a_call_between_processes_is_answered_by_events_alone() {
    let ran =
        CommandDirectory::new(env!("CARGO_BIN_EXE_call-latency")).run(&["20", "--idle-seconds", "1"]).ok();
    assert!(ran.text().starts_with("20 calls"), "{ran:?}");
    assert!(ran.text().contains("idle for 1s"), "{ran:?}");
}
