//! What a store takes up on the disk and in memory.

/// A store's use of disk and memory, from [`FsStorage::usage`](crate::FsStorage::usage).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FsUsage {
    /// Jobs in all queues and in all states.
    pub jobs: u64,
    /// Bytes of the journal: what is read when the store is opened.
    pub journal_bytes: u64,
    /// Files of the journal.
    pub journal_files: u64,
    /// Bytes in the journal that are still needed, approximately.
    pub live_bytes: u64,
    /// Bytes of payloads and results that this handle keeps in memory.
    pub resident_bytes: u64,
}
