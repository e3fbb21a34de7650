//! Every index entry has its record, every record its entries, and every counter its jobs (I20).

mod partitions;

use crate::{
    KvEntry,
    failure::{KvFailure, KvResult},
    keys::{self, Family, Key},
    values,
    view::{GATED_SLOT, SCHEDULED_SLOT, View},
};
use partitions::CountedJobs;
use queue_core::{JobMeta, Partition, QueueName, Signalling, State};
use queue_store::stored::{self, StoredJob};
use std::collections::{BTreeMap, BTreeSet};

/// The families that point to records; their values are compared too.
const INDEXES: [Family; 10] = [
    Family::Id,
    Family::Ready,
    Family::PartitionReady,
    Family::PartitionDue,
    Family::Scheduled,
    Family::Gated,
    Family::Lease,
    Family::Purge,
    Family::Finished,
    Family::Count,
];
/// The families that belong to records; their values come from callers.
const PARTS: [Family; 6] =
    [Family::Payload, Family::Result, Family::Details, Family::Headers, Family::Attempts, Family::EndSignals];

/// The entries that the records imply.
#[derive(Default)]
struct ImpliedEntries {
    entries: BTreeSet<KvEntry>,
    names: BTreeSet<Key>,
    counts: BTreeMap<Key, u64>,
    partitions: CountedJobs,
}

/// The contradictions in the store. Reads the whole database, and keeps its keys in memory.
pub(crate) fn verify(view: &View<'_>) -> KvResult<Vec<String>> {
    let mut stored = view.stored()?;
    let mut implied = ImpliedEntries::default();
    let mut findings = Vec::new();
    let last_seq = view.number(&keys::global(Family::LastSeq))?.unwrap_or(0);
    view.each(keys::family(Family::Job), |(key, value)| {
        let found: StoredJob = stored::from_bytes(value)?;
        let meta = &found.job.meta;
        let is_before_time = stored.contains(&(keys::waiting(meta), waiting_value(&found)));
        implied.add(&found, is_before_time);
        findings.extend(view.contradictions(&found, &key, is_before_time, last_seq)?);
        for family in may_have(meta) {
            stored.remove(&nothing_at(keys::life(family, &meta.queue, meta.seq)));
        }
        Ok(())
    })?;
    implied
        .entries
        .extend(implied.counts.iter().map(|(key, jobs)| (key.clone(), values::number(*jobs).to_vec())));
    // A queue without records stays listed; a queue with records must be listed.
    view.each(keys::family(Family::Name), |(key, _)| {
        if let Some(queue) = queue(keys::name_of(&key)) {
            findings.extend(view.contradictory_mark(&queue)?);
            findings.extend(view.contradictory_partitions(&queue, &mut implied.partitions)?);
        }
        implied.names.remove(&key);
        Ok(())
    })?;
    findings.extend(implied.partitions.findings());
    let lacks = |key: &Key, what: &str| format!("a record lacks its {what} {key:?}");
    findings.extend(implied.names.iter().map(|key| lacks(key, "queue")));
    findings.extend(implied.entries.difference(&stored).map(|(key, _)| lacks(key, "entry")));
    let alone = stored.difference(&implied.entries);
    findings.extend(alone.map(|(key, _)| format!("no record accounts for {key:?}")));
    Ok(findings)
}

impl View<'_> {
    /// Every entry that some record must account for.
    fn stored(&self) -> KvResult<BTreeSet<KvEntry>> {
        let mut stored = BTreeSet::new();
        for family in INDEXES {
            self.each(keys::family(family), |entry| {
                // A counter that returned to zero means the same as no counter.
                if family != Family::Count || values::read_number(&entry.1)? > 0 {
                    stored.insert(entry);
                }
                Ok(())
            })?;
        }
        // A job that is set aside is accounted for as if it were ready, and must not be that too.
        self.each(keys::family(Family::Aside), |(key, value)| {
            let (payload_bytes, partition) = values::read_aside(&value)?;
            let queue = queue(keys::queue_of(&key));
            let queue = queue.ok_or_else(|| KvFailure::corrupt("a job is set aside in no queue"))?;
            let place = keys::place_of(&key);
            let ready = due_entries(&queue, partition.as_ref(), place, payload_bytes.to_vec());
            let is_ready = ready.iter().any(|entry| stored.contains(entry));
            stored.extend(if is_ready { vec![nothing_at(key)] } else { ready });
            Ok(())
        })?;
        for family in PARTS {
            self.each(keys::family(family), |(key, _)| {
                stored.insert(nothing_at(key));
                Ok(())
            })?;
        }
        Ok(stored)
    }

    /// A queue that is marked as having gated jobs and has none, or the reverse.
    fn contradictory_mark(&self, queue: &QueueName) -> KvResult<Option<String>> {
        let has_gated = self.first_time(Family::Gated, queue)?.is_some();
        let is_wrong = self.pauses(queue)?.1.gated != has_gated;
        Ok(is_wrong.then(|| format!("queue {queue:?} is wrong about having gated jobs")))
    }

    /// The contradictions within one record.
    fn contradictions(
        &self,
        found: &StoredJob,
        key: &Key,
        is_before_time: bool,
        last_seq: u64,
    ) -> KvResult<Vec<String>> {
        let meta = &found.job.meta;
        let signals = self.end_signals(meta)?.len();
        let running = meta.state == State::Processing;
        let waits_for_time = meta.state.is_waiting() && meta.run_at > self.now();
        let rules = [
            (*key == keys::life(Family::Job, &meta.queue, meta.seq), "stands under another's key"),
            (meta.seq.get() <= last_seq, "is newer than the newest life"),
            (!waits_for_time || is_before_time, "is ready before its time"),
            (meta.signalling.is_sound(signals, meta.state), "has other end signals than it owes"),
            (has_sound_gate(meta), "has a gate that no step leaves"),
            (meta.lease.is_some() == running, "has a lease and does not run, or the reverse"),
            (found.job.token.is_some() == running, "has a token and does not run, or the reverse"),
            (meta.claimed_at.is_some() == (meta.epoch > 0), "was claimed at no time, or the reverse"),
            (meta.failed_at.is_some() == meta.last_error.is_some(), "failed at no time, or the reverse"),
        ];
        let name = format!("job {:?} of queue {:?}", meta.id, meta.queue);
        let broken = rules.into_iter().filter(|(holds, _)| !holds);
        Ok(broken.map(|(_, broken)| format!("{name} {broken}")).collect())
    }
}

impl ImpliedEntries {
    fn add(&mut self, found: &StoredJob, is_before_time: bool) {
        let meta = &found.job.meta;
        let (queue, seq) = (&meta.queue, meta.seq);
        self.names.insert(keys::name(queue));
        self.partitions.add(meta);
        self.entries.extend(keys::times(meta).into_iter().map(nothing_at));
        self.entries.insert((keys::id(queue, &meta.id), values::number(seq.get()).to_vec()));
        self.entries.insert(nothing_at(keys::life(Family::Payload, queue, seq)));
        if meta.state == State::Completed {
            self.entries.insert(nothing_at(keys::life(Family::Result, queue, seq)));
        }
        *self.counts.entry(keys::count(queue, meta.state.as_code())).or_default() += 1;
        if let Signalling::Owed(1..) = meta.signalling {
            self.entries.insert(nothing_at(keys::life(Family::EndSignals, queue, seq)));
        }
        if meta.state.is_waiting() && is_before_time {
            let entry = keys::waiting(meta);
            let is_gated = keys::is_of(Family::Gated, &entry);
            self.entries.insert((entry, waiting_value(found)));
            let slot = if is_gated { GATED_SLOT } else { SCHEDULED_SLOT };
            *self.counts.entry(keys::count(queue, slot)).or_default() += 1;
        } else if meta.state.is_waiting() {
            let place = keys::place_in_order(meta);
            let payload_bytes = values::number(found.payload_bytes).to_vec();
            self.entries.extend(due_entries(queue, meta.partition.as_ref(), &place, payload_bytes));
        }
    }
}

fn waiting_value(found: &StoredJob) -> Vec<u8> {
    let meta = &found.job.meta;
    values::scheduled(found.payload_bytes, meta.priority, meta.partition.as_ref())
}

/// No job waits behind a gate that is complete.
fn has_sound_gate(meta: &JobMeta) -> bool {
    meta.gate.as_ref().is_none_or(|gate| {
        let stays_closed = meta.state.is_waiting() && gate.is_closed(meta.epoch) && gate.is_complete();
        !stays_closed && gate.is_sound(meta.epoch)
    })
}

/// The parts that a record may have: headers from its enqueue, details of an error, attempts once
/// it was claimed, end signals once they are sent.
fn may_have(meta: &JobMeta) -> impl Iterator<Item = Family> {
    let details = meta.last_error.is_some().then_some(Family::Details);
    let attempts = (meta.epoch > 0).then_some(Family::Attempts);
    let sent = (meta.signalling == Signalling::Sent).then_some(Family::EndSignals);
    [Some(Family::Headers), details, attempts, sent].into_iter().flatten()
}

/// The entries of a due job.
fn due_entries(
    queue: &QueueName,
    partition: Option<&Partition>,
    place: &[u8],
    payload_bytes: Vec<u8>,
) -> Vec<KvEntry> {
    let mut entries = vec![(keys::due(queue, partition, place), payload_bytes)];
    entries.extend(partition.map(|_| nothing_at(keys::partition_due(queue, place))));
    entries
}

fn queue(name: &[u8]) -> Option<QueueName> {
    QueueName::new(std::str::from_utf8(name).ok()?).ok()
}

fn nothing_at(key: Key) -> KvEntry {
    (key, Vec::new())
}
