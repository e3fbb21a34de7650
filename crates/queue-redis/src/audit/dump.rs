//! Everything that the server has of one queue, as one script answers it.

use crate::reply::{Reply, corrupt};
use bytes::Bytes;
use queue_core::{QueueName, Result, Timestamp};
use std::collections::BTreeMap;

/// Everything that belongs to a queue except the large parts.
#[derive(Debug)]
pub(crate) struct Dump {
    pub(crate) queue: QueueName,
    /// The number that the registry gives it.
    pub(crate) number: u64,
    pub(crate) now: Timestamp,
    pub(crate) meta: BTreeMap<Bytes, Bytes>,
    pub(crate) ids: BTreeMap<Bytes, Bytes>,
    pub(crate) states: BTreeMap<Bytes, Bytes>,
    /// Seqs, and how many bytes stand behind the content type.
    pub(crate) payloads: BTreeMap<Bytes, Bytes>,
    /// The headers that stand behind payloads, where there are some.
    pub(crate) headers: BTreeMap<Bytes, Bytes>,
    pub(crate) outcomes: Vec<Bytes>,
    /// Attempts, by their names in the outcomes.
    pub(crate) attempts: BTreeMap<Bytes, Bytes>,
    /// End signals, by their names in the outcomes.
    pub(crate) signals: BTreeMap<Bytes, Bytes>,
    /// Members with their scores, of the five indexes and of the blocks.
    pub(crate) ready: BTreeMap<Bytes, Bytes>,
    pub(crate) later: BTreeMap<Bytes, Bytes>,
    pub(crate) leases: BTreeMap<Bytes, Bytes>,
    pub(crate) done: BTreeMap<Bytes, Bytes>,
    pub(crate) listed: BTreeMap<Bytes, Bytes>,
    pub(crate) blocks: BTreeMap<Bytes, Bytes>,
    pub(crate) fills: BTreeMap<Bytes, Bytes>,
}

impl Dump {
    /// In the order in which `lua/dump.lua` answers.
    pub(crate) fn read(mut reply: Reply, queue: QueueName, number: u64, now: Timestamp) -> Result<Self> {
        let meta = pairs(&mut reply)?;
        let ids = pairs(&mut reply)?;
        let states = pairs(&mut reply)?;
        let (payloads, headers) = (pairs(&mut reply)?, pairs(&mut reply)?);
        let (outcomes, attempts) = (names(&mut reply)?, pairs(&mut reply)?);
        let signals = pairs(&mut reply)?;
        let ready = pairs(&mut reply)?;
        let later = pairs(&mut reply)?;
        let leases = pairs(&mut reply)?;
        let (done, listed) = (pairs(&mut reply)?, pairs(&mut reply)?);
        let (blocks, fills) = (pairs(&mut reply)?, pairs(&mut reply)?);
        Ok(Self {
            queue,
            number,
            now,
            meta,
            ids,
            states,
            payloads,
            headers,
            outcomes,
            attempts,
            signals,
            ready,
            later,
            leases,
            done,
            listed,
            blocks,
            fills,
        })
    }
}

fn names(reply: &mut Reply) -> Result<Vec<Bytes>> {
    let mut names = reply.array()?;
    let mut all = Vec::with_capacity(names.len());
    while names.len() > 0 {
        all.push(names.bytes()?);
    }
    Ok(all)
}

fn pairs(reply: &mut Reply) -> Result<BTreeMap<Bytes, Bytes>> {
    let names = names(reply)?;
    if names.len() % 2 == 1 {
        return Err(corrupt("verify"));
    }
    Ok(names.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
}
