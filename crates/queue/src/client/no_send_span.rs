//! An enqueue without OpenTelemetry, which has no span and costs none.

use queue_core::{JobId, QueueName, Result};

#[derive(Debug)]
pub(crate) struct SendSpan;

#[expect(clippy::unused_self, reason = "the other build has a span")]
impl SendSpan {
    pub(crate) fn begin(_queue: &QueueName) -> Self {
        Self
    }

    pub(crate) fn make<T>(&self, make: impl FnOnce() -> T) -> T {
        make()
    }

    pub(crate) fn around<T, F: Future<Output = Result<T>>>(
        self,
        call: F,
        _describe: impl FnOnce(&Self, &T),
    ) -> F {
        call
    }

    pub(crate) fn job(&self, _id: &JobId) {}

    pub(crate) fn jobs(&self, _count: usize) {}
}
