//! The import is run as its first line says, with fewer rows.

use std::process::Command;

#[test]
fn there_is_one_report_though_a_producer_and_a_worker_are_killed() {
    let output = Command::new(env!("CARGO_BIN_EXE_import")).arg("3000").output().expect("it starts");
    let shown = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{shown}{}", String::from_utf8_lossy(&output.stderr));
    for part in [
        "killed the producer in the middle\n",
        "killed a worker\n",
        "for ada: 3003 rows, 3000 imported, 3 failed, 0 cancelled\n",
        "One report, and every row is in it.\n",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
}
