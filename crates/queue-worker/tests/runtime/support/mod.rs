//! What the tests share: a table that misbehaves on request, and a log with times.

mod inbox;
mod log;

pub(crate) use inbox::{Batches, Fault, Inbox};
pub(crate) use log::Log;

use std::time::Duration;
use tokio::{
    task::{JoinHandle, yield_now},
    time::timeout,
};

/// Longer than anything a test waits for; on paused time it costs nothing.
pub(crate) const FOREVER: Duration = Duration::from_secs(21_600);

pub(crate) fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

#[expect(clippy::disallowed_methods, reason = "the one place that spawns in these tests")]
pub(crate) fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    tokio::spawn(task)
}

/// Awaits work that must end, so that a test that would hang fails instead.
pub(crate) async fn within<T>(work: impl Future<Output = T>) -> T {
    timeout(FOREVER, work).await.expect("it ends")
}

/// Waits for a task that must end.
pub(crate) async fn ended<T>(task: JoinHandle<T>) -> T {
    within(task).await.expect("it does not panic")
}

/// Lets every other task run until it waits. The turns are enough for the longest chain of tasks in
/// these tests.
pub(crate) async fn settle() {
    for _ in 0..100 {
        yield_now().await;
    }
}
