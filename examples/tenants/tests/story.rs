//! The example prints what ran, so the test reads it.

use std::process::Command;

/// A line of the example.
#[derive(Debug)]
struct Line {
    tenant: String,
    last: usize,
    most_at_once: usize,
}

fn line(line: &str) -> Line {
    let (tenant, rest) = line.trim().split_once(": ").expect("a tenant");
    let numbers: Vec<usize> =
        rest.split(' ').filter_map(|word| word.trim_matches(',').parse().ok()).collect();
    assert_eq!(numbers[1], 320, "every job ran once: {line}");
    Line { tenant: tenant.to_owned(), last: numbers[0], most_at_once: numbers[2] }
}

#[test]
fn the_small_tenants_get_their_turns_while_one_floods_the_queue() {
    let output = Command::new(env!("CARGO_BIN_EXE_tenants")).output().expect("it starts");
    let told = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    let (plain, fair) = told.split_once("in partitions, at most 2 at once:\n").expect("two runs");
    let plain: Vec<Line> = plain.lines().skip(1).map(line).collect();
    let fair: Vec<Line> = fair.lines().map(line).collect();
    assert_eq!((plain.len(), fair.len()), (3, 3), "{told}");
    for small in plain.iter().filter(|line| line.tenant != "flood") {
        assert!(small.last > 300, "without partitions it waits for the flood: {told}");
    }
    for line in &fair {
        assert!(line.most_at_once <= 2, "{told}");
        // Ten turns of each of three, and what a claim had of the flood before and after them.
        let is_soon = line.last <= 3 * 10 + 20;
        assert_eq!(is_soon, line.tenant != "flood", "{told}");
    }
}
