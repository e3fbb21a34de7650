//! A batch as it was read from its store.

use super::{BatchCounts, BatchError, BatchLife, BatchName, BatchProgress, BatchSpec};
use crate::client::Shared;
use queue_core::{Detail, Error, JobMeta, JobRecord, Result, Stamped, State, StorageExt};

/// A batch as it was read, with the job that cancels it. Both are of one read.
#[derive(Clone, Debug)]
pub(super) struct FoundBatch {
    pub(super) life: BatchLife,
    pub(super) spec: BatchSpec,
    pub(super) progress: BatchProgress,
    pub(super) meta: JobMeta,
    pub(super) halt: Option<JobMeta>,
}

/// Whether a batch takes members from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Open,
    Sealed,
    Ended,
    /// There is no such life of the batch, or none any more.
    Missing,
}

impl FoundBatch {
    /// The batch of a name. Without its halt, whose id has the number of the life.
    pub(super) async fn by_name(shared: &Shared, name: &BatchName) -> Result<Option<Self>> {
        let id = BatchLife::coordinator_of(name);
        let record = shared.storage.get_one(&shared.name, &id, Detail::Full).await?;
        record.map(|record| Self::of(record, None, name)).transpose()
    }

    /// One life of a batch, in one read.
    pub(super) async fn by_life(shared: &Shared, life: &BatchLife) -> Result<Option<Self>> {
        let ids = [life.coordinator(), life.halt()];
        let Stamped { value, .. } = shared.storage.get_whole(&shared.name, &ids).await?;
        let mut value = value.into_iter();
        let mut next = || value.next().flatten();
        let (coordinator, halt) = (next(), next());
        let Some(record) = coordinator.filter(|record| life.is(&record.meta)) else { return Ok(None) };
        Self::of(record, halt, life.name()).map(Some)
    }

    /// Reads a coordinator.
    pub(super) fn of(record: JobRecord, halt: Option<JobRecord>, name: &BatchName) -> Result<Self> {
        let JobRecord { meta, body } = record;
        let life = BatchLife::of(&meta).ok_or_else(|| BatchError::NameTaken { name: name.clone() })?;
        let body = body.ok_or_else(|| Error::without_body("batch"))?;
        let spec = BatchSpec::from_bytes(&body.payload.bytes)?;
        let progress = meta.progress().map(BatchProgress::from_bytes).transpose()?.unwrap_or_default();
        Ok(Self { life, spec, progress, meta, halt: BatchLife::halt_in(halt.map(|halt| halt.meta)) })
    }

    /// The members, as they were counted at the end, or are so far.
    pub(super) fn counts(&self) -> BatchCounts {
        let so_far = || BatchCounts::of(self.meta.gate.as_deref().unwrap_or(&NO_GATE), self.halt.as_ref());
        self.progress.end.map_or_else(so_far, |end| end.counts)
    }
}

const NO_GATE: queue_core::Gate = queue_core::Gate {
    needs: 0,
    signals: 0,
    tally: queue_core::Tally { completed: 0, failed: 0, cancelled: 0 },
    is_sealed: false,
    heeds_urgent: false,
    closed_at: None,
};

/// Whether a batch takes members, by the metadata of its coordinator.
pub(super) async fn standing_of(shared: &Shared, life: &BatchLife) -> Result<(Standing, Option<JobMeta>)> {
    let record = shared.storage.get_one(&shared.name, &life.coordinator(), Detail::Meta).await?;
    let Some(meta) = record.map(|record| record.meta).filter(|meta| life.is(meta)) else {
        return Ok((Standing::Missing, None));
    };
    let progress = meta.progress().map(BatchProgress::from_bytes).transpose()?.unwrap_or_default();
    Ok((standing(&meta, progress), Some(meta)))
}

fn standing(meta: &JobMeta, progress: BatchProgress) -> Standing {
    let gate = meta.gate.as_deref();
    let is_over = meta.state.is_terminal() || progress.end.is_some();
    match gate {
        _ if is_over => Standing::Ended,
        Some(gate) if gate.is_complete() => Standing::Ended,
        Some(gate) if gate.is_sealed => Standing::Sealed,
        _ => Standing::Open,
    }
}

/// Whether a batch was abandoned: its coordinator was cancelled.
pub(super) fn is_abandoned(meta: &JobMeta) -> bool {
    meta.state == State::Cancelled
}
