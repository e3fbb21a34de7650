//! What an amendment changes of a job beside its payload and its due time.

use super::{
    options::read_terms,
    wire::{FieldReader, FieldWriter, Malformed},
};
use queue_core::{QueueName, Seq, SharedTerms};
use queue_memory::PackedJob;

/// The present values of what is set once unless a job is amended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AmendedFields {
    pub(crate) queue: QueueName,
    pub(crate) seq: Seq,
    pub(crate) priority: i16,
    pub(crate) terms: SharedTerms,
}

pub(super) fn write_amended(out: &mut FieldWriter<'_>, stored: &PackedJob) {
    out.u64(stored.seq.get());
    out.i64(i64::from(stored.priority));
    out.blob(&stored.traits.terms.to_bytes());
}

pub(super) fn read_amended(from: &mut FieldReader<'_>, queue: QueueName) -> Result<AmendedFields, Malformed> {
    let seq = Seq::new(from.u64()?);
    let priority = i16::try_from(from.i64()?).map_err(|_| Malformed("a priority is out of its range"))?;
    Ok(AmendedFields { queue, seq, priority, terms: read_terms(from)? })
}
