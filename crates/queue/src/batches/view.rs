//! A batch as a document.

use super::{BatchStatus, CallbackMoment};
use queue_core::Timestamp;
use queue_view::{BatchCallbackView, BatchView};

impl BatchStatus {
    /// `open`, `sealed`, `cancelling`, `ended` or `abandoned`.
    pub const fn state_word(&self) -> &'static str {
        match (self.is_abandoned, self.ended_at, self.was_cancelled, self.is_sealed) {
            (true, ..) => "abandoned",
            (_, Some(_), ..) => "ended",
            (.., true, _) => "cancelling",
            (.., true) => "sealed",
            _ => "open",
        }
    }

    /// The batch as a document, without what its producer gave the callbacks.
    pub fn view(&self) -> BatchView {
        let life = self.life();
        let callbacks = CallbackMoment::ALL.into_iter().filter_map(|moment| {
            let callback = self.spec.callback(moment)?.clone();
            let id = self.progress.has_called(moment).then(|| life.callback(moment).to_string());
            Some(BatchCallbackView { on: moment.as_str(), kind: callback.kind, queue: callback.queue, id })
        });
        BatchView {
            batch: self.name.to_string(),
            seq: self.seq.get(),
            state: self.state_word(),
            added: self.added,
            completed: self.completed,
            failed: self.failed,
            cancelled: self.cancelled,
            waiting: self.waiting,
            is_sealed: self.is_sealed,
            timed_out: self.timed_out,
            was_cancelled: self.was_cancelled,
            opened_at_ms: self.meta.created_at.as_millis(),
            first_failure_at_ms: self.first_failure.map(Timestamp::as_millis),
            ended_at_ms: self.ended_at.map(Timestamp::as_millis),
            counted_until_ms: self.counted_until().map(Timestamp::as_millis),
            timeout_ms: self.spec.timeout_ms,
            timeout_at_ms: self.timeout_at().map(Timestamp::as_millis),
            keep_ms: self.spec.keep_ms,
            callbacks: callbacks.collect(),
        }
    }
}
