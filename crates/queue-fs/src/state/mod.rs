//! What the journal adds up to: the engine of the memory store, and where on the disk each job stands.

mod carry;
mod record;
mod shelf;
mod take;
mod usage;
mod verify;

pub use record::encode;
pub(crate) use record::{Pending, PresenceEdit};

use crate::{FsUsage, error::Fault, journal::Files};
use queue_core::{JobBody, JobMeta, Payload, QueueName, Seq};
use queue_memory::Engine;
use shelf::{Part, Shelf};

/// Every job of the store. Payloads and results beyond a budget are not in memory: the engine has empty ones in their
/// place, and the shelf knows where they are.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) engine: Engine,
    shelf: Shelf,
    /// The first segment that was read. Records from before the ones in front of it were given up may be about jobs that
    /// were in those; whatever is left of such jobs is carried on later.
    begun_at: u64,
    /// So many bytes of payloads and results may be in memory.
    budget_bytes: u64,
    /// The time of the transaction at hand is written down even if nothing else is.
    pub(crate) keeps_time: bool,
}

impl State {
    /// An empty store.
    pub(crate) fn new(budget_bytes: u64) -> Self {
        Self {
            engine: Engine::default(),
            shelf: Shelf::default(),
            begun_at: 0,
            budget_bytes,
            keeps_time: false,
        }
    }

    /// Brings in the parts of a job that are not in memory.
    pub(crate) fn fill(&self, files: &mut Files, meta: &JobMeta, body: &mut JobBody) -> Result<(), Fault> {
        let Some(shelved) = self.shelf.get(meta.seq) else { return Ok(()) };
        fill_one(shelved.payload, files, &mut body.payload)?;
        match (shelved.result, &mut body.result) {
            (Some(part), Some(result)) if part.epoch == meta.epoch => fill_one(part, files, result),
            _ => Ok(()),
        }
    }

    /// How long a body is, wherever its parts are.
    pub(crate) fn body_len(&self, meta: &JobMeta, body: &JobBody) -> usize {
        let Some(shelved) = self.shelf.get(meta.seq) else { return body.len() };
        let result = shelved.result.filter(|part| body.result.is_some() && part.epoch == meta.epoch);
        body.len() + absent_bytes(shelved.payload) + result.map_or(0, absent_bytes)
    }

    /// How long a result is, wherever it is.
    pub(crate) fn result_len(&self, queue: &QueueName, seq: Seq, result: &Payload) -> usize {
        result.bytes.len() + self.shelved_result(queue, seq).map_or(0, absent_bytes)
    }

    /// Brings in a result that is not in memory.
    pub(crate) fn fill_result(
        &self,
        files: &mut Files,
        queue: &QueueName,
        seq: Seq,
        result: &mut Payload,
    ) -> Result<(), Fault> {
        self.shelved_result(queue, seq).map_or(Ok(()), |part| fill_one(part, files, result))
    }

    fn shelved_result(&self, queue: &QueueName, seq: Seq) -> Option<Part> {
        let epoch = self.engine.stored(queue, seq)?.job.meta.epoch;
        self.shelf.get(seq)?.result.filter(|part| part.epoch == epoch)
    }

    /// What all of it takes up.
    pub(crate) fn usage(&self) -> FsUsage {
        FsUsage {
            jobs: self.shelf.len() as u64,
            journal_bytes: self.shelf.usage.journal_bytes,
            journal_files: self.shelf.usage.segments(),
            live_bytes: self.shelf.usage.live_bytes,
            resident_bytes: self.shelf.resident_bytes(),
        }
    }

    /// Whether some more bytes may stay in memory.
    fn has_memory_for(&self, bytes: u32) -> bool {
        self.shelf.resident_bytes() + u64::from(bytes) <= self.budget_bytes
    }
}

/// What of a part is on the disk alone.
fn absent_bytes(part: Part) -> usize {
    if part.is_resident { 0 } else { part.location.len as usize }
}

fn fill_one(part: Part, files: &mut Files, payload: &mut Payload) -> Result<(), Fault> {
    if !part.is_resident {
        payload.bytes = files.read_body(part.location)?;
    }
    Ok(())
}
