//! The processor time of a process, read from `/proc`.

use std::{fs, time::Duration};

/// The length of a tick in `/proc` on every common Linux.
const TICK: Duration = Duration::from_millis(10);

/// How long a process has kept processors busy, in steps of 10 ms; `None` if it has ended, and on
/// systems other than Linux.
pub fn cpu_time(process: u32) -> Option<Duration> {
    of_stat(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?, OWN)
}

/// The same with the time of the children that the process has waited for.
pub fn cpu_time_with_children(process: u32) -> Option<Duration> {
    of_stat(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?, 2 * OWN)
}

/// The fields of a process itself: time in user code and in the system. The fields of its children
/// follow.
const OWN: usize = 2;

/// The sum of some fields from the 14th on. The second field is the program's name, which may
/// contain anything.
fn of_stat(text: &str, fields: usize) -> Option<Duration> {
    let (_, behind_name) = text.rsplit_once(')')?;
    let ticks: Vec<u32> =
        behind_name.split_whitespace().skip(11).take(fields).map_while(|field| field.parse().ok()).collect();
    (ticks.len() == fields).then(|| TICK * ticks.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_times_are_found_behind_any_name() {
        let stat = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 30 12 15 5 20";
        assert_eq!(of_stat(stat, OWN), Some(Duration::from_millis(420)));
        assert_eq!(of_stat(stat, 2 * OWN), Some(Duration::from_millis(620)));
        assert_eq!(of_stat("7 (a) S 1", OWN), None);
    }
}
