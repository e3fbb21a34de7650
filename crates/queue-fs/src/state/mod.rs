//! The state that the journal describes: the engine of the memory store, and the index of where
//! each job is on the disk.

mod compaction;
mod differences;
mod foreign_news;
mod job_index;
mod record;
mod replay;
mod segment_usage;
mod verify;

pub use record::encode;
pub(crate) use record::{PendingRecords, PresenceEdit};

use crate::{
    FsUsage,
    error::FsFault,
    format::InternedNames,
    journal::{Location, SegmentFiles},
};
use bytes::Bytes;
pub(crate) use foreign_news::ForeignNews;
use job_index::{IndexEntry, JobIndex, ResultEntry};
use queue_core::{JobBody, JobMeta, Payload, QueueName, Seq};
use queue_memory::{Engine, PackedJob};

/// Every job of the store. Payloads and results beyond a memory budget are left on the disk: the
/// engine holds empty ones instead, and the index says where their bytes are.
#[derive(Debug)]
pub(crate) struct FsState {
    pub(crate) engine: Engine,
    index: JobIndex,
    /// The first segment that was replayed. Records written before the segments in front of it were
    /// removed may name jobs of those segments; a later record has such a job whole if it still
    /// exists.
    begun_at: u64,
    /// How many bytes of payloads and results may be in memory.
    budget_bytes: u64,
    /// The current transaction writes its time even if it changes nothing else.
    pub(crate) keeps_time: bool,
    /// Queues that other handles wrote since subscribers got their last hints.
    pub(crate) foreign_news: ForeignNews,
    /// The whole journal is being replayed; subscribers then get one `Missed` instead of news per
    /// queue.
    is_loading: bool,
    /// Names that were read lately.
    names: InternedNames,
}

impl FsState {
    /// An empty store.
    pub(crate) fn new(budget_bytes: u64) -> Self {
        Self {
            engine: Engine::default(),
            index: JobIndex::default(),
            begun_at: 0,
            budget_bytes,
            keeps_time: false,
            foreign_news: ForeignNews::default(),
            is_loading: false,
            names: InternedNames::default(),
        }
    }

    /// Reads the parts of a job that are not in memory.
    pub(crate) fn fill(
        &self,
        files: &mut SegmentFiles,
        meta: &JobMeta,
        body: &mut JobBody,
    ) -> Result<(), FsFault> {
        let Some(entry) = self.index.get(meta.seq) else { return Ok(()) };
        if self.has_payload_on_disk_alone(entry, meta, body) {
            body.payload.bytes = files.read_body(entry.payload)?;
        }
        let result = body.result.as_mut().map(|result| &mut result.bytes);
        fill_result(entry.result_of(meta.epoch), files, result)
    }

    /// The same of a whole job.
    fn fill_whole(&self, files: &mut SegmentFiles, whole: &mut PackedJob) -> Result<(), FsFault> {
        let Some(entry) = self.index.get(whole.seq) else { return Ok(()) };
        if is_on_disk_alone(entry, whole.payload_len, &whole.payload) {
            whole.payload = files.read_body(entry.payload)?;
        }
        let result = whole.course.as_mut().and_then(|course| course.result.as_mut());
        fill_result(entry.result_of(whole.epoch), files, result.map(|result| &mut result.bytes))
    }

    /// How long a body is, wherever its parts are.
    pub(crate) fn body_len(&self, meta: &JobMeta, body: &JobBody) -> usize {
        let Some(entry) = self.index.get(meta.seq) else { return body.len() };
        let result = entry.result_of(meta.epoch).filter(|_| body.result.is_some());
        let is_payload_absent = self.has_payload_on_disk_alone(entry, meta, body);
        body.len()
            + absent_bytes(entry.payload, !is_payload_absent)
            + result.map_or(0, |result| absent_bytes(result.location, result.is_resident))
    }

    /// How long a result is, wherever it is.
    pub(crate) fn result_len(&self, queue: &QueueName, seq: Seq, result: &Payload) -> usize {
        let entry = self.result_entry(queue, seq);
        result.bytes.len() + entry.map_or(0, |result| absent_bytes(result.location, result.is_resident))
    }

    /// Reads a result that is not in memory.
    pub(crate) fn fill_result(
        &self,
        files: &mut SegmentFiles,
        queue: &QueueName,
        seq: Seq,
        result: &mut Payload,
    ) -> Result<(), FsFault> {
        fill_result(self.result_entry(queue, seq), files, Some(&mut result.bytes))
    }

    fn result_entry(&self, queue: &QueueName, seq: Seq) -> Option<ResultEntry> {
        self.index.get(seq)?.result_of(self.engine.stored(queue, seq)?.epoch)
    }

    /// The store's use of disk and memory.
    pub(crate) fn usage(&self) -> FsUsage {
        FsUsage {
            jobs: self.index.len() as u64,
            journal_bytes: self.index.usage.journal_bytes,
            journal_files: self.index.usage.segments(),
            live_bytes: self.index.usage.live_bytes,
            resident_bytes: self.index.resident_bytes(),
        }
    }

    fn has_payload_on_disk_alone(&self, entry: &IndexEntry, meta: &JobMeta, body: &JobBody) -> bool {
        let stored = self.engine.stored(&meta.queue, meta.seq);
        let len = stored.map_or(entry.payload.len, |stored| stored.payload_len);
        is_on_disk_alone(entry, len, &body.payload.bytes)
    }

    /// Whether this many more bytes fit the memory budget.
    fn has_memory_for(&self, bytes: u32) -> bool {
        self.index.resident_bytes() + u64::from(bytes) <= self.budget_bytes
    }
}

/// Whether the bytes of a payload are the ones that the index points to, and not in memory. An
/// amendment replaces them in memory, and the index learns of it as the transaction ends.
fn is_on_disk_alone(entry: &IndexEntry, payload_len: u32, bytes: &Bytes) -> bool {
    !entry.is_payload_resident && bytes.is_empty() && payload_len == entry.payload.len
}

/// How many bytes of a part are on the disk alone.
fn absent_bytes(location: Location, is_resident: bool) -> usize {
    if is_resident { 0 } else { location.len as usize }
}

fn fill_result(
    entry: Option<ResultEntry>,
    files: &mut SegmentFiles,
    bytes: Option<&mut Bytes>,
) -> Result<(), FsFault> {
    if let Some((result, bytes)) = entry.zip(bytes)
        && !result.is_resident
    {
        *bytes = files.read_body(result.location)?;
    }
    Ok(())
}
