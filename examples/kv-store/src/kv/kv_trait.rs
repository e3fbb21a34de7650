use async_trait::async_trait;
use bytes::Bytes;
use queue_core::{Capabilities, Result};
use std::{fmt::Debug, ops::Range};

/// A key; keys are ordered byte by byte.
pub type Key = Vec<u8>;

/// A value and the version under which it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned {
    /// Never used twice for one key, not even after the key was deleted.
    pub version: u64,
    /// The bytes.
    pub value: Bytes,
}

/// What must still hold for a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Which key.
    pub key: Key,
    /// Its version as it was read, `None` if it was absent.
    pub version: Option<u64>,
}

/// One change of a commit. Deleting an absent key is no change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Which key.
    pub key: Key,
    /// What to put there; `None` deletes it.
    pub value: Option<Bytes>,
}

/// What became of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every check held, and every write is done.
    Done,
    /// Some check did not hold; nothing was written.
    Conflict,
}

/// The least that a queue needs of an ordered key-value store.
///
/// "Put if the version is still this" and "delete if the version is still this" are a [`commit`](Self::commit) with one
/// check and one write. It takes several because three promises of the queue span keys: a group of jobs is stored all
/// or not at all, a job and what follows it change in one step, and an index entry never stands without its record. With
/// a single key per step each of them needs a log of intentions and somebody to repair what a crash left half done, which
/// is a transaction system built by hand. Whoever stores data for others has one already: a `Txn` of etcd, a transaction of
/// `FoundationDB`, `TiKV`, redb or SQL, `TransactWriteItems` of `DynamoDB`.
///
/// Reads need no transaction: whatever a decision rests on is among the checks. Only [`scan`](Self::scan) is taken as a
/// hint, so a store without ranges that are safe against phantoms is good enough.
///
/// # Errors
/// Those of `queue-core`: `Unavailable` when it may work later. An error of `commit` is marked
/// [`unknown`](queue_core::Error::unknown) unless the writes certainly did not happen.
///
/// # Dropped futures
/// A dropped commit happens whole or not at all.
#[async_trait]
pub trait Kv: Debug + Send + Sync + 'static {
    /// Name, durability and reach of the driver. One whose transactions are bounded says so with a smaller
    /// [`batch_max`](queue_core::Limits::batch_max); a job takes up to a dozen writes.
    fn capabilities(&self) -> Capabilities;

    /// The values of these keys, in their order.
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Versioned>>>;

    /// The first entries of a range, in the order of their keys, at most `limit`.
    async fn scan(&self, range: Range<Key>, limit: usize) -> Result<Vec<(Key, Versioned)>>;

    /// Compares every check and does every write, in one atomic step. No key stands twice among the writes.
    ///
    /// Without writes it only compares, which makes earlier reads a snapshot.
    async fn commit(&self, checks: Vec<Check>, writes: Vec<Write>) -> Result<Outcome>;
}
