//! The example prints what happened, so the test reads it.

use std::process::Command;

#[test]
fn the_night_on_which_the_worker_was_dead_gets_its_report_once_in_the_morning() {
    let output = Command::new(env!("CARGO_BIN_EXE_nightly-report")).output().expect("it starts");
    let told = String::from_utf8(output.stdout).expect("text");
    let expected = "\
2026-11-23 22:00  the worker starts
2026-11-24 00:00  the report for 2026-11-24 00:00
2026-11-24 23:50  the worker is killed
2026-11-25 03:10  the worker starts again
2026-11-25 03:10  the report for 2026-11-25 00:00
2026-11-26 00:00  the report for 2026-11-26 00:00
in the store:
  nightly@2026-11-24T00:00:00Z, claimed 1 time(s)
  nightly@2026-11-25T00:00:00Z, claimed 1 time(s)
  nightly@2026-11-26T00:00:00Z, claimed 1 time(s)
";
    assert_eq!(told, expected, "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}", output.status);
}
