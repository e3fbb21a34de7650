//! The leases that a process was given, and what the service itself may have done with them.

use super::tape::ClaimKey;
use crate::failed::Failed;
use queue_testkit::history::{Ask, Effect, Event, Op};
use std::collections::{BTreeMap, HashMap};

/// Leases by their receipts.
#[derive(Debug, Default)]
pub(super) struct Held {
    by_receipt: HashMap<String, Lease>,
    receipts: BTreeMap<ClaimKey, String>,
}

/// A lease as its holder knows it.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    pub(super) key: ClaimKey,
    pub(super) id: String,
    pub(super) token: u64,
    /// The latest time, by the store, for which an answer has promised it.
    pub(super) until_ms: i64,
    /// Its own settle was answered as done.
    pub(super) is_ended: bool,
}

impl Held {
    pub(super) fn insert(&mut self, receipt: String, lease: Lease) {
        self.receipts.insert(lease.key, receipt.clone());
        self.by_receipt.insert(receipt, lease);
    }

    pub(super) fn of(&self, receipt: &str) -> Result<&Lease, Failed> {
        self.by_receipt.get(receipt).ok_or_else(|| "a receipt that no answer gave".into())
    }

    pub(super) fn under(&self, key: ClaimKey) -> Result<&Lease, Failed> {
        let receipt = self.receipts.get(&key).ok_or_else(|| format!("{key:?} runs without a claim"))?;
        self.of(receipt)
    }

    /// A change under the lease was done: an extend, which promised it until then, or a settle.
    pub(super) fn changed(&mut self, receipt: &str, until_ms: Option<i64>) {
        let Some(lease) = self.by_receipt.get_mut(receipt) else { return };
        match until_ms {
            Some(until_ms) => lease.until_ms = lease.until_ms.max(until_ms),
            None => lease.is_ended = true,
        }
    }

    /// The calls by which the service may have ended leases: no client sees them, so their outcome
    /// is unknown. None can have come before its lease was over.
    pub(super) fn lapses(&self) -> impl Iterator<Item = Event> {
        let open = self.by_receipt.values().filter(|lease| !lease.is_ended);
        open.map(|lease| Event {
            op: Op::Lapse,
            time_mono: lease.until_ms.unsigned_abs() * 1_000_000,
            id: Some(lease.id.clone()),
            seq: Some(lease.key.seq),
            ask: Ask {
                revision: Some(Lease::revision_at_least(lease.key.epoch)),
                effect: Some(Effect::Requeue),
                ..Ask::default()
            },
            ..Event::default()
        })
    }
}

impl Lease {
    /// The least revision that the record can have under this claim: each one before it was ended.
    pub(super) const fn revision_at_least(epoch: u64) -> u64 {
        2 * epoch - 1
    }
}
