//! The log that the page shows is the one that the program writes.

use std::process::Command;

const PAGE: &str = include_str!("../../../docs/tasks/logging.md");

#[test]
fn the_page_shows_what_the_program_writes() {
    let output = Command::new(env!("CARGO_BIN_EXE_log-of-a-job")).output().expect("it runs");
    let written = String::from_utf8(output.stdout).expect("it is text");
    assert!(output.status.success() && !written.is_empty(), "{written}");
    assert!(PAGE.contains(&written), "docs/tasks/logging.md shows another log than this:\n{written}");
}
