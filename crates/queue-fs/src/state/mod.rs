//! What the journal adds up to: the engine of the memory store, and where on the disk each job stands.

mod carry;
mod foreign_news;
mod record;
mod shelf;
mod take;
mod usage;
mod verify;

pub use record::encode;
pub(crate) use record::{Pending, PresenceEdit};

use crate::{
    FsUsage,
    error::Fault,
    format::Names,
    journal::{Files, Location},
};
use bytes::Bytes;
pub(crate) use foreign_news::ForeignNews;
use queue_core::{JobBody, JobMeta, Payload, QueueName, Seq};
use queue_memory::{Engine, StoredJob};
use shelf::{Shelf, ShelvedResult};

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
    /// What others wrote since subscribers were told last.
    pub(crate) foreign_news: ForeignNews,
    /// The whole journal is read, which is told otherwise.
    is_loading: bool,
    /// Those that were read lately.
    names: Names,
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
            foreign_news: ForeignNews::default(),
            is_loading: false,
            names: Names::default(),
        }
    }

    /// Brings in the parts of a job that are not in memory.
    pub(crate) fn fill(&self, files: &mut Files, meta: &JobMeta, body: &mut JobBody) -> Result<(), Fault> {
        let Some(shelved) = self.shelf.get(meta.seq) else { return Ok(()) };
        fill_one(shelved.payload, shelved.is_payload_resident, files, &mut body.payload.bytes)?;
        let result = body.result.as_mut().map(|result| &mut result.bytes);
        fill_result(shelved.result_of(meta.epoch), files, result)
    }

    /// The same of a whole job.
    fn fill_whole(&self, files: &mut Files, whole: &mut StoredJob) -> Result<(), Fault> {
        let Some(shelved) = self.shelf.get(whole.seq) else { return Ok(()) };
        fill_one(shelved.payload, shelved.is_payload_resident, files, &mut whole.payload)?;
        let result = whole.course.as_mut().and_then(|course| course.result.as_mut());
        fill_result(shelved.result_of(whole.epoch), files, result.map(|result| &mut result.bytes))
    }

    /// How long a body is, wherever its parts are.
    pub(crate) fn body_len(&self, meta: &JobMeta, body: &JobBody) -> usize {
        let Some(shelved) = self.shelf.get(meta.seq) else { return body.len() };
        let result = shelved.result_of(meta.epoch).filter(|_| body.result.is_some());
        body.len()
            + absent_bytes(shelved.payload, shelved.is_payload_resident)
            + result.map_or(0, |result| absent_bytes(result.location, result.is_resident))
    }

    /// How long a result is, wherever it is.
    pub(crate) fn result_len(&self, queue: &QueueName, seq: Seq, result: &Payload) -> usize {
        let shelved = self.shelved_result(queue, seq);
        result.bytes.len() + shelved.map_or(0, |result| absent_bytes(result.location, result.is_resident))
    }

    /// Brings in a result that is not in memory.
    pub(crate) fn fill_result(
        &self,
        files: &mut Files,
        queue: &QueueName,
        seq: Seq,
        result: &mut Payload,
    ) -> Result<(), Fault> {
        fill_result(self.shelved_result(queue, seq), files, Some(&mut result.bytes))
    }

    fn shelved_result(&self, queue: &QueueName, seq: Seq) -> Option<ShelvedResult> {
        self.shelf.get(seq)?.result_of(self.engine.stored(queue, seq)?.epoch)
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
fn absent_bytes(location: Location, is_resident: bool) -> usize {
    if is_resident { 0 } else { location.len as usize }
}

fn fill_one(at: Location, is_resident: bool, files: &mut Files, bytes: &mut Bytes) -> Result<(), Fault> {
    if !is_resident {
        *bytes = files.read_body(at)?;
    }
    Ok(())
}

fn fill_result(
    shelved: Option<ShelvedResult>,
    files: &mut Files,
    bytes: Option<&mut Bytes>,
) -> Result<(), Fault> {
    match shelved.zip(bytes) {
        Some((result, bytes)) => fill_one(result.location, result.is_resident, files, bytes),
        None => Ok(()),
    }
}
