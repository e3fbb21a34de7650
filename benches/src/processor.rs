//! The processor time that processes have used, as the kernel counts it. It leaves out the time for
//! which a process waits, and grows where others share the caches or the core: on a busy machine by
//! a half. So it too is compared within one run.

use rustix::time::{ClockId, clock_gettime};
use std::{fs, time::Duration};

/// The kernel counts the processor time of children that have ended in these, a hundred in a second
/// on every usual Linux.
const TICK: Duration = Duration::from_millis(10);
/// Where the parent stands behind the name of the program, and the two times of children that have
/// ended: in user code and in the system.
const PARENT_AT: usize = 1;
const ENDED_AT: [usize; 2] = [13, 14];

/// Processor time that this process has used, all threads together.
pub(crate) fn time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).expect("a process uses no negative time")
}

/// Processor time of a process of this machine and its children. That of children that have ended
/// is in steps of 10 ms.
pub(crate) fn time_with_children(pid: u32) -> Duration {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let children = pids.filter(|child| parent(*child) == Some(pid));
    let ended: u32 = ENDED_AT.iter().filter_map(|at| field::<u32>(pid, *at)).sum();
    children.chain([pid]).map(time_of_threads).sum::<Duration>() + TICK * ended
}

/// The process that started another one of this machine.
pub(crate) fn parent(pid: u32) -> Option<u32> {
    field(pid, PARENT_AT)
}

/// That of the threads that have not ended.
fn time_of_threads(pid: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let statistics = threads.filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok());
    let on_processor = statistics.filter_map(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    Duration::from_nanos(on_processor.sum())
}

/// One of the fields behind the name of the program, which may contain anything.
fn field<T: std::str::FromStr>(pid: u32, at: usize) -> Option<T> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(at)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{parent, time, time_with_children};
    use crate::clock::now;
    use std::{
        process::{self, Command},
        thread,
        time::Duration,
    };

    /// Longer than a busy machine takes; a kernel that counts no time for threads never ends.
    const PATIENCE: Duration = Duration::from_mins(1);

    #[test]
    fn a_process_that_computes_is_seen_from_outside_and_belongs_to_its_parent() {
        let mut busy = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().expect("it starts");
        let start = now();
        while time_with_children(busy.id()) < Duration::from_millis(20) && start.elapsed() < PATIENCE {
            thread::yield_now();
        }
        let (of_parent, of_both) = (parent(busy.id()), time_with_children(process::id()));
        busy.kill().and_then(|()| busy.wait()).expect("it ends");
        assert_eq!(of_parent, Some(process::id()));
        assert!(of_both >= Duration::from_millis(20), "{of_both:?} within {PATIENCE:?}");
        assert!(time() > Duration::ZERO);
    }
}
