//! What the disk under a store is like: findings for stores that keep files.

use queue_core::{Finding, Severity};
use std::path::Path;

/// One MiB.
const MIB: u64 = 1 << 20;
/// Below this the next checkpoint or segment may find no room: SQLite copies up to 4,000 pages of
/// 4 KiB in one go, and a segment and its reserve take 12 MiB.
const ROOM_BROKEN_BYTES: u64 = 16 * MIB;
/// A warning comes at the latest below this: it is an hour of a thousand jobs a second that no
/// worker takes, at 70 bytes each, or minutes of large payloads.
const ROOM_WARNING_MIN_BYTES: u64 = 256 * MIB;
/// And at the earliest below this, however large the disk is.
const ROOM_WARNING_MAX_BYTES: u64 = 10 << 30;
/// Between the two, below this part of the disk.
const ROOM_WARNING_PARTS: u64 = 50;
/// Removing records needs room itself: a log grows before it shrinks.
const ROOM_ADVICE: &str = "free a few MiB of something else first if less is left, since a change needs room itself; then \
    `queue prune --finished-before` removes records that no one needs; or move the store to a larger disk";
/// Watches that a user may have on Linux before programs beside this one are likely to take them
/// all. The kernel's own minimum is 8,192.
const WATCHES_MIN: u64 = 8_192;
/// Instances that a user may have: each handle that subscribes has one, and so has each desktop
/// program. The kernel's default is 128.
const INSTANCES_MIN: u64 = 128;

/// How much room the file system of this path has, and how much of it is free for this user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskRoom {
    /// Free bytes.
    pub free: u64,
    /// All bytes.
    pub total: u64,
}

impl DiskRoom {
    /// The finding `disk-room`: broken below 16 MiB, a warning below 2 % of the disk, but at least
    /// 256 MiB and at most 10 GiB.
    pub fn finding(self) -> Finding {
        let warning = (self.total / ROOM_WARNING_PARTS).clamp(ROOM_WARNING_MIN_BYTES, ROOM_WARNING_MAX_BYTES);
        let severity = match self.free {
            free if free < ROOM_BROKEN_BYTES => Severity::Broken,
            free if free < warning => Severity::Warning,
            _ => Severity::Fine,
        };
        let seen = format!("{} of {} are free on the disk of the store", bytes(self.free), bytes(self.total));
        Finding::new("disk-room", severity, seen, ROOM_ADVICE)
    }
}

/// The finding `disk-room` of the file system that a path is on.
pub fn room(path: &Path) -> Finding {
    match look_at_room(path) {
        Ok(room) => room.finding(),
        Err(error) => Finding::unknown(
            "disk-room",
            format!("the system does not say how much room is left: {error}"),
            "look at it with `df`",
        ),
    }
}

/// The finding `disk-kind`: what kind of file system a path is on.
pub fn kind(path: &Path) -> Finding {
    match look_at_kind(path) {
        Ok(number) => kind_of(number),
        Err(error) => Finding::unknown(
            "disk-kind",
            format!("the system does not say what file system this is: {error}"),
            "see that it is a disk of this host, and none that is shared over a network",
        ),
    }
}

/// The same of a file system with this number, as Linux numbers them.
pub fn kind_of(number: u64) -> Finding {
    const ADVICE: &str = "move the store to a disk of this host: over a network, locks and flushes are not what they say, \
        and two hosts can damage the files; for several hosts use Postgres or Redis";
    match number {
        0x6969 => broken_kind("NFS", ADVICE),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => broken_kind("SMB", ADVICE),
        0x0102_1997 => broken_kind("9p", ADVICE),
        0x00c3_6400 => broken_kind("Ceph", ADVICE),
        0x5346_414f | 0x6b41_4653 => broken_kind("AFS", ADVICE),
        0x0bd0_0bd0 => broken_kind("Lustre", ADVICE),
        0x4750_4653 => broken_kind("GPFS", ADVICE),
        0x6573_5546 => Finding::warning(
            "disk-kind",
            "the store is on FUSE, which may be anything, a network too",
            "see what is behind it: locks and flushes must reach a disk of this host",
        ),
        0x0102_1994 | 0x8584_58f6 => Finding::warning(
            "disk-kind",
            "the store is in memory (tmpfs), so all jobs are gone when this host starts again",
            "move the store to a disk, unless its jobs need not outlive the host",
        ),
        other => Finding::fine("disk-kind", format!("the store is on a local file system ({other:#x})")),
    }
}

/// The finding `file-watches`: whether writes of other processes are reported by the system.
/// `is_watched` says whether the directory of the store can be watched now.
pub fn watches(is_watched: bool) -> Finding {
    const ADVICE: &str = "raise fs.inotify.max_user_instances and fs.inotify.max_user_watches (sysctl); until then jobs of other \
        processes are found by polling, twice a second";
    let limits = (limit("max_user_instances"), limit("max_user_watches"));
    let words = match limits {
        (Some(instances), Some(watches)) => {
            format!("this user may have {instances} instances of inotify and {watches} watches")
        }
        _ => "the system tells no limits of inotify".to_owned(),
    };
    let is_low = limits.0.is_some_and(|instances| instances < INSTANCES_MIN)
        || limits.1.is_some_and(|watches| watches < WATCHES_MIN);
    match (is_watched, is_low) {
        (false, _) => Finding::warning(
            "file-watches",
            format!("the directory of the store cannot be watched; {words}"),
            ADVICE,
        ),
        (true, true) => Finding::warning("file-watches", format!("{words}, which is few"), ADVICE),
        (true, false) => Finding::fine("file-watches", words),
    }
}

/// A number of bytes, for people.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_024 => format!("{count} bytes"),
        1_024..0x10_0000 => format!("{} KiB", count >> 10),
        0x10_0000..0x4000_0000 => format!("{} MiB", count >> 20),
        _ => format!("{}.{} GiB", count >> 30, ((count >> 20) % 1_024) * 10 / 1_024),
    }
}

fn broken_kind(name: &str, advice: &str) -> Finding {
    Finding::broken("disk-kind", format!("the store is on {name}, a file system that hosts share"), advice)
}

fn limit(name: &str) -> Option<u64> {
    std::fs::read_to_string(format!("/proc/sys/fs/inotify/{name}")).ok()?.trim().parse().ok()
}

#[cfg(unix)]
fn look_at_room(path: &Path) -> std::io::Result<DiskRoom> {
    let disk = rustix::fs::statvfs(path)?;
    let unit = disk.f_frsize;
    Ok(DiskRoom { free: disk.f_bavail.saturating_mul(unit), total: disk.f_blocks.saturating_mul(unit) })
}

#[cfg(not(unix))]
fn look_at_room(_: &Path) -> std::io::Result<DiskRoom> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn look_at_kind(path: &Path) -> std::io::Result<u64> {
    // The type of this number differs between processors; the numbers have 32 bits.
    Ok(u64::from(u32::try_from(rustix::fs::statfs(path)?.f_type & 0xffff_ffff).unwrap_or_default()))
}

#[cfg(not(target_os = "linux"))]
fn look_at_kind(_: &Path) -> std::io::Result<u64> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Severity::{Broken, Fine, Warning};

    fn severity(free: u64, total: u64) -> Severity {
        DiskRoom { free, total }.finding().severity
    }

    #[test]
    fn room_is_judged_by_the_size_of_the_disk_within_bounds() {
        assert_eq!(severity(15 * MIB, 100 << 30), Severity::Broken);
        assert_eq!(severity(1 << 30, 100 << 30), Severity::Warning);
        assert_eq!(severity(3 << 30, 100 << 30), Severity::Fine);
        // A small disk, and a huge one.
        assert_eq!(severity(255 * MIB, 1 << 30), Severity::Warning);
        assert_eq!(severity(257 * MIB, 1 << 30), Severity::Fine);
        assert_eq!(severity(11 << 30, 100 << 40), Severity::Fine);
    }

    #[test]
    fn file_systems_that_hosts_share_are_broken_and_memory_is_a_warning() {
        let severities = [0x6969, 0xff53_4d42, 0x6573_5546, 0x0102_1994, 0xef53].map(|n| kind_of(n).severity);
        assert_eq!(severities, [Broken, Broken, Warning, Warning, Fine]);
    }

    #[test]
    fn bytes_are_shown_in_the_unit_that_fits() {
        let shown = [5, 5 << 10, 5 << 20, (5 << 30) + (512 << 20)].map(bytes);
        assert_eq!(shown, ["5 bytes", "5 KiB", "5 MiB", "5.5 GiB"]);
    }

    #[test]
    fn a_directory_that_cannot_be_watched_is_a_warning() {
        assert_eq!(watches(false).severity, Severity::Warning);
    }
}
