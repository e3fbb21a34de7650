//! What an amendment changes of a job beside its payload and its due time.

use super::wire::{FieldReader, FieldWriter, Malformed};
use queue_core::{QueueName, Retention, RetentionPolicy, Seq};
use queue_memory::PackedJob;

/// The present values of what is set once unless a job is amended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AmendedFields {
    pub(crate) queue: QueueName,
    pub(crate) seq: Seq,
    pub(crate) priority: i16,
    pub(crate) retention: RetentionPolicy,
}

pub(super) fn write_amended(out: &mut FieldWriter<'_>, stored: &PackedJob) {
    out.u64(stored.seq.get());
    out.i64(i64::from(stored.priority));
    out.i64(stored.traits.retention.completed.as_raw());
    out.i64(stored.traits.retention.failed.as_raw());
}

pub(super) fn read_amended(from: &mut FieldReader<'_>, queue: QueueName) -> Result<AmendedFields, Malformed> {
    let seq = Seq::new(from.u64()?);
    let priority = i16::try_from(from.i64()?).map_err(|_| Malformed("a priority is out of its range"))?;
    let retention = RetentionPolicy { completed: kept(from)?, failed: kept(from)? };
    Ok(AmendedFields { queue, seq, priority, retention })
}

fn kept(from: &mut FieldReader<'_>) -> Result<Retention, Malformed> {
    Retention::from_raw(from.i64()?).ok_or(Malformed("no retention has this number"))
}
