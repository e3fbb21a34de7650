//! The processor time of a process, read from `/proc`.

use std::{fs, time::Duration};

/// The length of a tick in `/proc` on every common Linux.
const TICK: Duration = Duration::from_millis(10);

/// How long a process has kept processors busy, in steps of 10 ms; `None` if it is gone, and on
/// systems other than Linux.
pub fn cpu_time(process: u32) -> Option<Duration> {
    of_stat(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// The 14th and 15th field: time in user code and in the system. The second field is the program's
/// name, which may contain anything.
fn of_stat(text: &str) -> Option<Duration> {
    let (_, behind_name) = text.rsplit_once(')')?;
    let mut ticks = behind_name.split_whitespace().skip(11).map(str::parse::<u32>);
    Some(TICK * (ticks.next()?.ok()? + ticks.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_times_are_found_behind_any_name() {
        let stat = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0 20";
        assert_eq!(of_stat(stat), Some(Duration::from_millis(420)));
        assert_eq!(of_stat("7 (a) S 1"), None);
    }
}
