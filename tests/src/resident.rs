//! The memory of this process that is in use, read from `/proc`.

use std::fs;

/// The memory of this process that is in use, in bytes; `None` on systems other than Linux.
pub fn resident_bytes() -> Option<u64> {
    of_status(&fs::read_to_string("/proc/self/status").ok()?)
}

fn of_status(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_and_read() {
        assert_eq!(of_status("Name:\tx\nVmRSS:\t    2048 kB\nThreads:\t1\n"), Some(2 << 20));
        assert_eq!(of_status("Name:\tx\n"), None);
    }
}
