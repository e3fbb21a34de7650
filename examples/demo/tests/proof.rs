//! The demo is run as README says, with fewer jobs.

use std::process::Command;

#[test]
fn a_worker_is_killed_in_mid_work_and_nothing_is_lost() {
    let output = Command::new(env!("CARGO_BIN_EXE_demo")).arg("600").output().expect("it starts");
    let told = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    for part in ["completed  600 in", "lost       0\n", "wrong      0\n", "Nothing was lost."] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert!(!told.contains("run again  0 "), "{told}");
}
