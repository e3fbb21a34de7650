//! The checks at the end of a run that memory has not grown and that no task is left.

use crate::failed::{Failed, require};
use queue_e2e::resident_bytes;
use std::time::Duration;
use tokio::{runtime::Handle, time::sleep};

/// Anything left of each of many thousand jobs or waits adds up to more than this; what an
/// allocator keeps for itself is less.
const GROWTH_MAX_BYTES: u64 = 16 << 20;
/// The most checks for a task that has done its work: it ends a moment later.
const LOOKS_MAX: usize = 1000;
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The memory in use after the warm-up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Baseline(Option<u64>);

impl Baseline {
    pub(crate) fn take() -> Self {
        Self(resident_bytes())
    }

    /// Prints the memory in use now, and fails if it is much more.
    pub(crate) fn compare(self) -> Result<(), Failed> {
        let (Some(before), Some(after)) = (self.0, resident_bytes()) else {
            println!("  memory: this system does not say");
            return Ok(());
        };
        println!("  memory: {} MiB after the warm-up, {} MiB in the end", before >> 20, after >> 20);
        require(after <= before + GROWTH_MAX_BYTES, || format!("memory grew from {before} to {after} bytes"))
    }
}

/// Fails if tasks of this runtime remain although everything has ended.
pub(crate) async fn no_task_is_left() -> Result<(), Failed> {
    let mut left = 0;
    for _ in 0..LOOKS_MAX {
        left = Handle::current().metrics().num_alive_tasks();
        if left == 0 {
            println!("  tasks left: 0");
            return Ok(());
        }
        sleep(LOOK_EVERY).await;
    }
    Err(format!("{left} tasks are left").into())
}
