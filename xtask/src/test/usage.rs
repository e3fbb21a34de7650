//! What a process has used of the machine when it ends, and what this one has with all it started.

use std::fs;
use std::iter::Sum;
use std::ops::{Add, Sub};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use wait4::Wait4;

/// With the processes that it started and waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    /// Bytes that went to a disk, not to a file system in memory; 0 where the system does not tell.
    pub(crate) written: u64,
    /// The largest process of them, in bytes.
    pub(crate) memory: u64,
}

/// Waits for the end, and kills the process if it is not there before `patience` is over. The
/// kernel forgets what a process wrote once its parent has waited for it, so that is read between
/// its end and the wait.
pub(crate) fn wait(child: Child, start: Instant, patience: Duration) -> Result<(ExitStatus, Usage)> {
    let pid = Pid::from_child(&child);
    ended(pid, patience).context("cannot wait")?;
    let wall = start.elapsed();
    let written = written_by(&pid.as_raw_nonzero().to_string());
    let used = child.wait4().context("cannot wait for a process")?;
    let cpu = used.rusage.utime + used.rusage.stime;
    Ok((used.status, Usage { wall, cpu, written, memory: used.rusage.maxrss }))
}

/// Returns when the process has ended, by itself or killed. It was not waited for by then, so that
/// its number is still its own when it is killed.
fn ended(pid: Pid, patience: Duration) -> rustix::io::Result<()> {
    thread::scope(|scope| {
        let (end, is_over) = mpsc::channel::<()>();
        scope.spawn(move || {
            if is_over.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                // It may have ended just now.
                _ = kill_process(pid, Signal::KILL);
            }
        });
        let waited = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        drop(end);
        waited.map(drop)
    })
}

impl Usage {
    /// Of this process since its start and of those it has waited for.
    pub(crate) fn so_far(start: Instant) -> Self {
        let written = written_by("self");
        Self { wall: start.elapsed(), cpu: cpu_of_children(), written, memory: 0 }
    }
}

/// Its file is still there between the end of a process and the wait for it.
fn written_by(process: &str) -> u64 {
    let told = fs::read_to_string(format!("/proc/{process}/io")).unwrap_or_default();
    let bytes = told.lines().find_map(|line| line.strip_prefix("write_bytes: "));
    bytes.and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
}

/// Nothing where the system has no such file. The name of the program may hold spaces, and ends
/// with the last parenthesis; time is in hundredths of a second on every Linux.
fn cpu_of_children() -> Duration {
    let told = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = told.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    let hundredths: u64 = fields.skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(hundredths * 10)
}

impl Sub for Usage {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            wall: self.wall.saturating_sub(before.wall),
            cpu: self.cpu.saturating_sub(before.cpu),
            written: self.written.saturating_sub(before.written),
            memory: self.memory,
        }
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            wall: self.wall + other.wall,
            cpu: self.cpu + other.cpu,
            written: self.written + other.written,
            memory: self.memory.max(other.memory),
        }
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::{Usage, wait};
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;
    use std::time::{Duration, Instant};

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the start of what is measured")]
    fn a_process_that_computes_has_used_the_processor_and_memory_and_one_that_sleeps_has_not() {
        let used = |script: &str| {
            let start = Instant::now();
            let child = Command::new("sh").args(["-c", script]).spawn().expect("sh starts");
            wait(child, start, Duration::MAX).expect("it ends")
        };
        let (status, computed) = used("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exit 3");
        let (_, slept) = used("exec sleep 0.1");
        assert_eq!(status.code(), Some(3));
        assert!(computed.cpu > slept.cpu, "{computed:?} {slept:?}");
        assert!(computed.memory > 100_000, "{computed:?}");
        assert!(slept.wall >= Duration::from_millis(100), "{slept:?}");
        assert!((computed + slept).wall == computed.wall + slept.wall);
        assert_eq!([computed, slept].into_iter().sum::<Usage>(), computed + slept);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the start of what is measured")]
    fn a_process_that_does_not_end_is_killed_when_patience_is_over() {
        let child = Command::new("sleep").arg("1000000").spawn().expect("sleep starts");
        let (status, _) = wait(child, Instant::now(), Duration::from_millis(50)).expect("it ends");
        assert_eq!(status.signal(), Some(9));
    }

    #[test]
    #[cfg(target_os = "linux")]
    #[expect(clippy::disallowed_methods, reason = "the start of what is measured")]
    fn what_a_child_of_a_child_wrote_to_a_disk_is_counted() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a folder on the disk");
        let file = folder.path().join("file");
        let script =
            format!("dd if=/dev/zero of={} bs=1M count=4 conv=fsync 2>/dev/null; true", file.display());
        let child = Command::new("sh").args(["-c", &script]).spawn().expect("sh starts");
        let (_, used) = wait(child, Instant::now(), Duration::MAX).expect("it ends");
        assert!(used.written >= 4 << 20, "{used:?}");
    }
}
