//! A batch as a store keeps it: the payload of its coordinator.

use super::{
    BATCH_KIND, BatchCounts, BatchEnd, BatchLife, BatchName, BatchSpecError, CallbackMoment, EndedBatch,
    canonical::canonical,
};
use queue_core::{
    Budget, ContentType, JobId, Kind, LibraryJob, Limits, NewGate, NewJob, Payload, QueueName, Retention,
    RetentionPolicy, Span, Tag, Tags,
};
use serde::{Deserialize, Serialize, de::IgnoredAny};

/// The layout that this library writes. It reads every one up to this.
const SPEC_VERSION: u32 = 1;
/// How much longer than its members the coordinator is kept: a producer that repeats its calls
/// meets the batch for as long as it meets a member.
const KEPT_LONGER: Span = Span::from_secs(3600);

/// A batch as a producer makes it and a store keeps it, without its name, which is in the id of
/// its job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BatchSpec {
    /// The version of the layout.
    pub version: u32,
    /// How long after its opening the batch ends at the latest, in milliseconds.
    pub timeout_ms: i64,
    /// How long members and batch are kept after the end, in milliseconds.
    pub keep_ms: i64,
    /// What happens to members that have not ended at the time-out.
    pub on_timeout: OnTimeout,
    /// The callback at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<CallbackSpec>,
    /// The callback at the end of a batch whose members all completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<CallbackSpec>,
    /// The callback at the end of any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<CallbackSpec>,
    /// The callback as soon as a member has not completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<CallbackSpec>,
}

/// What happens at the time-out to members that have not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnTimeout {
    /// Waiting members are cancelled, running ones are asked to stop.
    #[default]
    Cancel,
    /// They go on, and nothing counts them.
    Leave,
}

/// A job that a batch enqueues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallbackSpec {
    /// Its kind.
    pub kind: String,
    /// Its queue, unless it is that of the batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// What the producer gave it, as the text of a JSON document: a number comes back as it went,
    /// however many digits it has.
    pub payload: String,
}

impl BatchSpec {
    /// A batch without callbacks, which cancels its members at the time-out.
    pub fn new(timeout: Span, keep: Span) -> Self {
        Self {
            version: SPEC_VERSION,
            timeout_ms: timeout.as_millis(),
            keep_ms: keep.as_millis(),
            on_timeout: OnTimeout::default(),
            end: None,
            success: None,
            failure: None,
            first_failure: None,
        }
    }

    /// How long after its opening the batch ends at the latest.
    pub const fn timeout(&self) -> Span {
        Span::from_millis(self.timeout_ms)
    }

    /// How long the members are kept once all have ended.
    pub const fn keep(&self) -> Span {
        Span::from_millis(self.keep_ms)
    }

    /// How long the coordinator is kept, and the job that cancelled the members.
    pub(super) fn coordinator_kept(&self) -> Retention {
        Retention::Keep(Span::from_millis(self.keep_ms.saturating_add(KEPT_LONGER.as_millis())))
    }

    /// The callback of a moment.
    pub const fn callback(&self, moment: CallbackMoment) -> Option<&CallbackSpec> {
        match moment {
            CallbackMoment::End => self.end.as_ref(),
            CallbackMoment::Success => self.success.as_ref(),
            CallbackMoment::Failure => self.failure.as_ref(),
            CallbackMoment::FirstFailure => self.first_failure.as_ref(),
        }
    }

    /// The callback of a moment, to be set.
    pub const fn callback_mut(&mut self, moment: CallbackMoment) -> &mut Option<CallbackSpec> {
        match moment {
            CallbackMoment::End => &mut self.end,
            CallbackMoment::Success => &mut self.success,
            CallbackMoment::Failure => &mut self.failure,
            CallbackMoment::FirstFailure => &mut self.first_failure,
        }
    }

    /// Whether a member that does not complete wakes the coordinator at once.
    pub const fn is_urgent(&self) -> bool {
        self.first_failure.is_some()
    }

    /// Checks that a store with these limits can take the end of the batch.
    ///
    /// # Errors
    /// [`BatchSpecError::NoTime`] and [`BatchSpecError::TooLarge`].
    pub fn check(&self, limits: &Limits) -> Result<(), BatchSpecError> {
        if self.timeout_ms <= 0 {
            return Err(BatchSpecError::NoTime);
        }
        let largest = self.largest_callbacks();
        limits
            .check_enqueue(&[largest])
            .map_err(|error| BatchSpecError::TooLarge { reason: error.message().to_owned() })
    }

    /// The callbacks with the longest name and counts, and a job for the operation behind them.
    fn largest_callbacks(&self) -> Vec<NewJob> {
        // A quote is two bytes of JSON.
        let name = "\"".repeat(super::BATCH_NAME_BYTES_MAX);
        let counts =
            BatchCounts { added: u64::MAX, completed: u64::MAX, failed: u64::MAX, cancelled: u64::MAX };
        let end = EndedBatch { counts, timed_out: false, was_cancelled: false, at_ms: i64::MAX };
        let id = || JobId::from_static("largest");
        let callbacks = CallbackMoment::ALL.into_iter();
        let callbacks = callbacks.filter_map(|moment| Some(self.callback(moment)?.job(id(), &name, &end)));
        let behind = NewJob::new(id(), Kind::unnamed(), Payload::new("", json()));
        callbacks.flatten().chain([behind]).collect()
    }

    /// The coordinator of a batch of this name: a job behind an unsealed gate. It is the first in
    /// its queue, so that a full queue cannot hold up the end of a batch.
    pub fn job(&self, name: &BatchName) -> NewJob {
        let payload = Payload::new(self.to_bytes(), json());
        let kept = RetentionPolicy { completed: self.coordinator_kept(), ..RetentionPolicy::default() };
        let gate = NewGate { needs: 0, is_sealed: false, timeout: Some(self.timeout()) };
        NewJob::new(BatchLife::coordinator_of(name), Kind::from_static(BATCH_KIND), payload)
            .with_gate(gate)
            .with_tags(coordinator_tags())
            .with_priority(i16::MIN)
            .with_retention(kept)
            // A worker that dies is no reason to give up.
            .with_max_attempts(Budget::Unlimited)
            .with_max_stalls(Budget::Unlimited)
    }

    /// The stored form.
    ///
    /// # Panics
    /// Never: names and numbers always serialize.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("names and numbers are JSON")
    }

    /// Reads the payload of a coordinator.
    ///
    /// # Errors
    /// [`BatchSpecError::Newer`], [`BatchSpecError::UnreadableHere`] and
    /// [`BatchSpecError::Unreadable`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BatchSpecError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let unreadable = |error: serde_json::Error| BatchSpecError::Unreadable { reason: error.to_string() };
        let Version { version } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if version > SPEC_VERSION {
            return Err(BatchSpecError::Newer { version });
        }
        let here = |reason: String| BatchSpecError::UnreadableHere { reason };
        let spec: Self = serde_json::from_slice(bytes).map_err(|error| here(error.to_string()))?;
        for callback in CallbackMoment::ALL.iter().filter_map(|moment| spec.callback(*moment)) {
            callback.check().map_err(here)?;
        }
        Ok(spec)
    }
}

impl CallbackSpec {
    /// A callback in the queue of the batch. Two payloads are the same if they are equal as JSON,
    /// in any order of their fields, with the same digits.
    ///
    /// # Errors
    /// [`BatchSpecError::Callback`].
    pub fn new<P: Serialize + ?Sized>(kind: &Kind, payload: &P) -> Result<Self, BatchSpecError> {
        let text = serde_json::value::to_raw_value(payload).map_err(|error| error.to_string());
        let payload = text.and_then(|text| canonical(&text));
        let payload = payload.map_err(|reason| BatchSpecError::Callback { reason })?;
        Ok(Self { kind: kind.as_str().to_owned(), queue: None, payload })
    }

    /// The queue, if it is not that of the batch.
    pub(super) fn other_queue(&self, own: &QueueName) -> Option<QueueName> {
        let other = QueueName::new(self.queue.as_deref()?).ok()?;
        (other != *own).then_some(other)
    }

    /// The job that it is; `None` for a kind that is none, which [`check`](Self::check) refuses.
    pub(super) fn job(&self, id: JobId, name: &str, end: &EndedBatch) -> Option<NewJob> {
        let kind = Kind::new(&self.kind).ok()?;
        let payload = BatchEnd::document(name, end, &self.payload);
        Some(NewJob::new(id, kind, Payload::new(payload, json())))
    }

    fn check(&self) -> Result<(), String> {
        let kind = Kind::new(&self.kind).map_err(|error| error.to_string())?;
        if kind.is_reserved() {
            return Err(format!("the kind {kind:?} is reserved"));
        }
        self.queue.as_deref().map(QueueName::new).transpose().map_err(|error| error.to_string())?;
        serde_json::from_str::<IgnoredAny>(&self.payload).map_err(|error| error.to_string())?;
        Ok(())
    }
}

/// The tag by which the batches of a queue are found among its jobs.
///
/// # Panics
/// Never: the tag is valid.
pub fn coordinator_tag() -> Tag {
    Tag::new(LibraryJob::BATCH_KIND).expect("a kind is a valid tag")
}

fn coordinator_tags() -> Tags {
    Tags::new([coordinator_tag()]).expect("one tag is allowed")
}

pub(super) fn json() -> ContentType {
    ContentType::from_static("application/json")
}
