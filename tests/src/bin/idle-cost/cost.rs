//! The wake-ups and the processor time of this process, read from `/proc`.

use crate::Failed;
use std::fs;

/// The cost of this process's threads so far. None of them may end between two readings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// How often a thread went to sleep, and so woke up.
    pub(crate) wake_ups: u64,
    pub(crate) cpu_micros: u64,
}

impl Cost {
    pub(crate) fn so_far() -> Result<Self, Failed> {
        let mut cost = Self { wake_ups: 0, cpu_micros: 0 };
        for task in fs::read_dir("/proc/self/task")? {
            let task = task?.path();
            let status = fs::read_to_string(task.join("status"))?;
            let voluntary = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            cost.wake_ups += voluntary.ok_or("no count of switches")?.trim().parse::<u64>()?;
            let times = fs::read_to_string(task.join("schedstat"))?;
            let nanos: u64 = times.split_whitespace().next().ok_or("no time")?.parse()?;
            cost.cpu_micros += nanos / 1000;
        }
        Ok(cost)
    }

    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            wake_ups: self.wake_ups.saturating_sub(before.wake_ups),
            cpu_micros: self.cpu_micros.saturating_sub(before.cpu_micros),
        }
    }
}
