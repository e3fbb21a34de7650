//! A log of what happened and when, for which tests can wait.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

/// What happened, in order, each line with the milliseconds since the log began. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Log(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    began: Instant,
    lines: Mutex<Vec<(u64, String)>>,
    more: Notify,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Shared { began: Instant::now(), lines: Mutex::default(), more: Notify::new() }))
    }

    pub(crate) fn push(&self, line: impl Into<String>) {
        let at = u64::try_from(self.0.began.elapsed().as_millis()).expect("tests are short");
        self.guard().push((at, line.into()));
        self.0.more.notify_waiters();
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.guard().iter().map(|(_, line)| line.clone()).collect()
    }

    pub(crate) fn trace(&self) -> Vec<(u64, String)> {
        self.guard().clone()
    }

    /// The times at which the lines were written.
    pub(crate) fn times(&self) -> Vec<u64> {
        self.guard().iter().map(|(at, _)| *at).collect()
    }

    pub(crate) fn times_of(&self, wanted: &str) -> Vec<u64> {
        self.guard().iter().filter(|(_, line)| line == wanted).map(|(at, _)| *at).collect()
    }

    pub(crate) fn count(&self, wanted: &str) -> usize {
        self.times_of(wanted).len()
    }

    /// Waits until a line has been written this many times.
    pub(crate) async fn wait_for_count(&self, wanted: &str, count: usize) {
        let came = timeout(super::FOREVER, self.wait_until(|| self.count(wanted) >= count)).await;
        assert!(came.is_ok(), "{count} times {wanted:?} never came, only {:?}", self.lines());
    }

    /// Waits until there are this many lines.
    pub(crate) async fn wait_for_lines(&self, count: usize) {
        let came = timeout(super::FOREVER, self.wait_until(|| self.guard().len() >= count)).await;
        assert!(came.is_ok(), "{count} lines never came, only {:?}", self.lines());
    }

    async fn wait_until(&self, is_there: impl Fn() -> bool) {
        loop {
            let more = self.0.more.notified();
            if is_there() {
                return;
            }
            more.await;
        }
    }

    pub(crate) async fn wait_for(&self, wanted: &str) {
        self.wait_for_count(wanted, 1).await;
    }

    fn guard(&self) -> MutexGuard<'_, Vec<(u64, String)>> {
        self.0.lines.lock()
    }
}
