//! What a callback of a batch gets.

use super::{BatchCounts, CallbackMoment};
use serde::{Deserialize, Serialize};

/// The payload of a callback: which batch ended, how, and what the producer gave the callback. The
/// callback for the first failure gets the counts of its moment.
///
/// It is JSON under every codec of the application, as the payload of a job that follows a failure
/// is: the worker that ends the batch may not know the codec. The names are stable, so that it is
/// read in any language:
///
/// ```
/// use queue_worker::batches::BatchEnd;
///
/// let text = r#"{"batch":"import-7","added":3,"completed":2,"failed":1,"cancelled":0,
///     "timed_out":false,"was_cancelled":false,"payload":"ada"}"#;
/// let end: BatchEnd<String> = serde_json::from_str(text)?;
/// assert_eq!((end.added, end.payload.as_str()), (3, "ada"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BatchEnd<P> {
    /// The name of the batch.
    pub batch: String,
    /// How many members were added.
    pub added: u64,
    /// How many completed.
    pub completed: u64,
    /// How many failed.
    pub failed: u64,
    /// How many were cancelled or deleted, or expired.
    pub cancelled: u64,
    /// The batch ended at its time-out. Members that are in no other count had not ended then.
    pub timed_out: bool,
    /// The batch was cancelled.
    pub was_cancelled: bool,
    /// What the producer gave the callback.
    pub payload: P,
}

/// How a batch ended, as its coordinator keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndedBatch {
    /// Its members at that moment.
    #[serde(flatten)]
    pub counts: BatchCounts,
    /// It ended at its time-out.
    pub timed_out: bool,
    /// It was cancelled.
    pub was_cancelled: bool,
    /// When it ended, by store time, in milliseconds.
    pub at_ms: i64,
}

impl EndedBatch {
    /// Whether every member completed, in time and without a cancel.
    pub const fn is_success(&self) -> bool {
        let BatchCounts { failed, cancelled, .. } = self.counts;
        failed == 0 && cancelled == 0 && !self.timed_out && !self.was_cancelled
    }

    /// What is called at the end beside the callback for every end.
    pub const fn outcome(&self) -> CallbackMoment {
        if self.is_success() { CallbackMoment::Success } else { CallbackMoment::Failure }
    }
}

impl BatchEnd<()> {
    /// Whether a type is the end of a batch with some payload. Types cannot be compared without
    /// their parameters, and the name of one is the same wherever this program is compiled.
    pub(crate) fn is<T>() -> bool {
        let own = std::any::type_name::<Self>();
        let front = own.split('<').next().unwrap_or(own);
        std::any::type_name::<T>().strip_prefix(front).is_some_and(|rest| rest.starts_with('<'))
    }

    /// The document of a callback, whose payload is the text of a JSON document.
    pub(super) fn document(batch: &str, end: &EndedBatch, payload: &str) -> String {
        let EndedBatch { counts, timed_out, was_cancelled, at_ms: _ } = *end;
        let BatchCounts { added, completed, failed, cancelled } = counts;
        let batch = batch.to_owned();
        let front =
            BatchEnd { batch, added, completed, failed, cancelled, timed_out, was_cancelled, payload: () };
        let mut text = serde_json::to_string(&front).expect("text and numbers are JSON");
        // The payload is the last field, and was written as `null`.
        text.truncate(text.len() - "null}".len());
        text.push_str(payload);
        text.push('}');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: EndedBatch = EndedBatch {
        counts: BatchCounts { added: 3, completed: 1, failed: 1, cancelled: 1 },
        timed_out: false,
        was_cancelled: true,
        at_ms: 5,
    };

    #[test]
    fn a_payload_stands_in_the_document_as_it_was_given() {
        let payload = r#"{"sum":0.1,"large":123456789012345678901234567890,"text":"\"null}"}"#;
        let text = BatchEnd::document("a\"b", &END, payload);
        let read: BatchEnd<serde_json::Value> = serde_json::from_str(&text).unwrap();
        assert_eq!((read.batch.as_str(), read.added, read.was_cancelled), ("a\"b", 3, true));
        assert!(text.ends_with(&format!("\"payload\":{payload}}}")), "{text}");
    }

    #[test]
    fn a_document_with_more_fields_is_read() {
        let mut document: serde_json::Value =
            serde_json::from_str(&BatchEnd::document("a", &END, "null")).unwrap();
        document["later"] = 1.into();
        assert!(serde_json::from_value::<BatchEnd<()>>(document).is_ok());
    }

    #[test]
    fn the_end_of_a_batch_is_known_with_any_payload() {
        assert!(BatchEnd::is::<BatchEnd<()>>() && BatchEnd::is::<BatchEnd<Vec<String>>>());
        assert!(!BatchEnd::is::<Vec<BatchEnd<()>>>() && !BatchEnd::is::<EndedBatch>());
    }

    #[test]
    fn an_end_comes_back_from_its_stored_form() {
        let text = serde_json::to_string(&END).unwrap();
        assert_eq!(serde_json::from_str::<EndedBatch>(&text).unwrap(), END);
    }
}
