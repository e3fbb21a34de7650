//! Every index entry has its record, and every record its entries (I20).

use crate::{
    keys::{self, Family},
    kv::{Key, Kv},
    row::{self, StoredJob},
};
use bytes::Bytes;
use queue_core::{JobMeta, Result, Seq, State, lifecycle::TrackedJob};
use std::collections::BTreeSet;

/// How many entries one step of a scan reads.
const PAGE: usize = 1000;
/// What points to records. The values count too.
const INDEXES: [Family; 5] = [Family::Id, Family::Ready, Family::Lease, Family::Purge, Family::Finished];
/// What belongs to records. The values are the callers'.
const BODIES: [Family; 5] =
    [Family::Payload, Family::Result, Family::Details, Family::Headers, Family::Attempts];

/// A key and what it must hold: for bodies, anything.
type Entry = (Key, Bytes);

/// What does not add up. Reads the whole store, page by page: while somebody writes it sees ghosts.
pub(crate) async fn verify(kv: &dyn Kv) -> Result<Vec<String>> {
    let mut stored = stored(kv).await?;
    let mut implied: BTreeSet<Entry> = BTreeSet::new();
    let mut names: BTreeSet<Key> = BTreeSet::new();
    let mut findings = Vec::new();
    let last_seq = last_seq(kv).await?;
    for (key, value) in everything(kv, Family::Job).await? {
        let found = row::read_job(&value)?;
        implied.extend(implied_by(&found));
        let job = found.job;
        names.insert(keys::name(&job.meta.queue));
        findings.extend(contradictions(&job, &key, last_seq));
        for family in may_have(&job.meta) {
            stored.remove(&nothing_at(keys::life(family, &job.meta.queue, job.meta.seq)));
        }
    }
    // A queue without a record stays listed, one with records must be.
    let listed: BTreeSet<Key> = everything(kv, Family::Name).await?.into_iter().map(|(key, _)| key).collect();
    findings.extend(
        names.difference(&listed).map(|key| format!("records lack the name of their queue, {key:?}")),
    );
    findings.extend(implied.difference(&stored).map(|(key, _)| format!("a record lacks its entry {key:?}")));
    findings.extend(stored.difference(&implied).map(|(key, _)| format!("no record accounts for {key:?}")));
    Ok(findings)
}

/// Every entry that some record must account for.
async fn stored(kv: &dyn Kv) -> Result<BTreeSet<Entry>> {
    let mut stored = BTreeSet::new();
    for family in INDEXES {
        stored.extend(everything(kv, family).await?);
    }
    for family in BODIES {
        stored.extend(everything(kv, family).await?.into_iter().map(|(key, _)| nothing_at(key)));
    }
    Ok(stored)
}

fn implied_by(stored: &StoredJob) -> Vec<Entry> {
    let job = &stored.job.meta;
    let entry = |key: Key| (key.clone(), keys::index_value(&key, stored.payload_len));
    let mut implied: Vec<Entry> = keys::index(job).into_iter().map(entry).collect();
    implied.push((keys::id(&job.queue, &job.id), row::write_number(job.seq.get())));
    implied.push(nothing_at(keys::life(Family::Payload, &job.queue, job.seq)));
    if job.state == State::Completed {
        implied.push(nothing_at(keys::life(Family::Result, &job.queue, job.seq)));
    }
    implied
}

/// What a record may have or not: headers from its enqueue, details of an error, attempts once it was claimed.
fn may_have(meta: &JobMeta) -> impl Iterator<Item = Family> {
    let details = meta.last_error.is_some().then_some(Family::Details);
    let attempts = (meta.epoch > 0).then_some(Family::Attempts);
    [Some(Family::Headers), details, attempts].into_iter().flatten()
}

/// What is wrong with one record by itself.
fn contradictions(job: &TrackedJob, key: &Key, last_seq: Seq) -> impl Iterator<Item = String> {
    let meta = &job.meta;
    let running = meta.state == State::Processing;
    let rules = [
        (*key == keys::life(Family::Job, &meta.queue, meta.seq), "stands under another's key"),
        (meta.seq <= last_seq, "is newer than the newest life"),
        (meta.lease.is_some() == running, "has a lease and does not run, or the reverse"),
        (job.token.is_some() == running, "has a token and does not run, or the reverse"),
        (meta.claimed_at.is_some() == (meta.epoch > 0), "was claimed at no time, or the reverse"),
        (meta.failed_at.is_some() == meta.last_error.is_some(), "failed at no time, or the reverse"),
    ];
    let name = format!("job {:?} of queue {:?}", meta.id, meta.queue);
    rules.into_iter().filter(|(holds, _)| !holds).map(move |(_, broken)| format!("{name} {broken}"))
}

async fn last_seq(kv: &dyn Kv) -> Result<Seq> {
    let last = kv.get(&[keys::global(Family::LastSeq)]).await?.pop().flatten();
    Ok(Seq::new(last.map_or(Ok(0), |found| row::read_number(&found.value))?))
}

async fn everything(kv: &dyn Kv, family: Family) -> Result<Vec<Entry>> {
    let mut found = Vec::new();
    let mut rest = keys::family(family);
    loop {
        let entries = kv.scan(rest.clone(), PAGE).await?;
        let Some((last, _)) = entries.last() else { return Ok(found) };
        rest.start = keys::after(last);
        found.extend(entries.into_iter().map(|(key, entry)| (key, entry.value)));
    }
}

fn nothing_at(key: Key) -> Entry {
    (key, Bytes::new())
}
