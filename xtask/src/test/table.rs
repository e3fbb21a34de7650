//! What programs used, so that growth is seen.

use std::fmt::Write;

use super::ended::Ended;
use super::usage::Usage;

/// The slowest ones.
const ROWS: usize = 10;

/// The slowest programs first, and all of them together.
pub(super) fn of(ended: &[Ended]) -> String {
    let mut slowest: Vec<&Ended> = ended.iter().collect();
    slowest.sort_by_key(|ended| std::cmp::Reverse(ended.usage.wall));
    let width = slowest.iter().take(ROWS).map(|ended| ended.name().len()).max().unwrap_or(0).max(16);
    let mut table = format!("{:<width$} {}    cases\n", "program", heading());
    for ended in slowest.iter().take(ROWS) {
        line(&mut table, &format!("{:<width$}", ended.name()), ended.usage, ended.cases());
    }
    let all = ended.iter().map(|ended| ended.usage).sum();
    let cases = ended.iter().map(Ended::cases).sum();
    line(&mut table, &format!("{:<width$}", format!("all {}", ended.len())), all, cases);
    table
}

/// The columns of [`columns`].
pub(crate) fn heading() -> String {
    format!("{:>8} {:>8} {:>11} {:>10}", "seconds", "CPU s", "MiB written", "MiB memory")
}

pub(crate) fn columns(usage: Usage) -> String {
    let (wall, cpu) = (usage.wall.as_secs_f64(), usage.cpu.as_secs_f64());
    format!("{wall:>8.1} {cpu:>8.1} {:>11} {:>10}", usage.written >> 20, usage.memory >> 20)
}

fn line(table: &mut String, name: &str, usage: Usage, cases: usize) {
    writeln!(table, "{name} {} {cases:>8}", columns(usage)).expect("a string takes text");
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::test::program::tests::shell;

    #[test]
    fn the_slowest_ten_are_shown_and_all_are_added_up() {
        let script =
            |at: usize| format!("sleep 0.0{}; echo 'test result: ok. 2 passed; 0 failed; 1 ignored'", at % 2);
        let ended: Vec<_> = (0..12).map(|at| shell(&format!("a::p{at}"), &script(at)).run(&[])).collect();
        let table = of(&ended);
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines.len(), 12, "{table}");
        assert!(lines[0].starts_with("program") && lines[11].starts_with("all 12"), "{table}");
        assert!(lines[11].ends_with(" 24") && lines[1].ends_with(" 2"), "{table}");
    }
}
