//! A folder in memory for what tests write, where a flush costs nothing.

use std::fs;
use std::path::Path;

use crate::disk::room;
use crate::scratch::Scratch;

/// Where Linux keeps such a file system.
const PLACE: &str = "/dev/shm";
/// What all tests need at once at most, with room: they were seen to use 1.1 GiB.
const ROOM_MIN: u64 = 4 << 30;
/// What tests and the compiler need besides.
const MEMORY_MIN: u64 = 8 << 30;
/// Servers that run as another user go through it.
const ENTERED: u32 = 0o711;

/// `None` if the machine has no room for it; then the folder of temporary files does.
pub(crate) fn folder() -> Option<Scratch> {
    let place = Path::new(PLACE);
    match refusal(room(place), memory()) {
        None => Scratch::new(place, "queue-tests-", ENTERED).ok(),
        Some(why) => {
            println!("tests write to the disk: {why}");
            None
        }
    }
}

fn refusal(room: u64, memory: u64) -> Option<String> {
    if room < ROOM_MIN {
        return Some(format!("{PLACE} has {} MiB of room, and {} are needed", room >> 20, ROOM_MIN >> 20));
    }
    let short = memory < MEMORY_MIN;
    short.then(|| format!("{} MiB of memory are free, and {} are needed", memory >> 20, MEMORY_MIN >> 20))
}

/// What new programs may take; nothing where the system does not tell.
fn memory() -> u64 {
    let told = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::{MEMORY_MIN, ROOM_MIN, memory, refusal};

    #[test]
    fn a_machine_with_too_little_is_told_what_it_lacks() {
        assert_eq!(refusal(ROOM_MIN, MEMORY_MIN), None);
        assert!(refusal(64 << 20, MEMORY_MIN).is_some_and(|why| why.contains("64 MiB of room")));
        assert!(refusal(ROOM_MIN, 1 << 30).is_some_and(|why| why.contains("1024 MiB of memory")));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_machine_tells_its_memory() {
        assert!(memory() > 0);
    }
}
