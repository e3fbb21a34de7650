//! Cross-checks of records and indexes.

use super::{
    Engine,
    indexes::{IndexKeys, Indexes},
    packed_job::PackedJob,
    partitions::Partitions,
    queue_state::QueueState,
};
use queue_core::{Kind, QueueName, State, Timestamp};

impl Engine {
    /// Rebuilds every index from the records and answers what differs, in words.
    pub fn verify(&mut self, now: Timestamp) -> Vec<String> {
        let mut findings = Vec::new();
        if !self.queues.is_whole() {
            findings.push("the names of the queues are not those that there are".to_owned());
        }
        for (queue, state) in self.queues.iter_mut() {
            state.promote(now);
            verify_queue(queue, state, now, &mut findings);
        }
        findings
    }
}

/// What is wrong with the gate and the end signals of a job.
fn verify_signals(entry: &PackedJob) -> Option<&'static str> {
    let signals = entry.course().end_signals();
    if !entry.signalling.is_sound(signals.len(), entry.state) {
        return Some("has other end signals than it owes");
    }
    let gate = entry.course().gate()?;
    let stays_closed = entry.state.is_waiting() && gate.is_closed(entry.epoch) && gate.is_complete();
    match () {
        () if !gate.is_sound(entry.epoch) => Some("has a gate that cannot be"),
        () if stays_closed => Some("has a gate that is complete and closed"),
        () => None,
    }
}

fn verify_queue(queue: &QueueName, state: &QueueState, now: Timestamp, findings: &mut Vec<String>) {
    let mut rebuilt = Indexes::default();
    rebuilt.partitions =
        state.indexes.partitions.as_ref().map(|it| Box::new(Partitions::under(it.limits.clone())));
    for (seq, entry) in &state.entries {
        let course = entry.course();
        rebuilt.insert(&IndexKeys::of(entry), now);
        if state.ids.get(&entry.id) != Some(seq) {
            findings.push(format!("{queue}: the id {:?} does not lead to its life {seq}", entry.id));
        }
        let leased = entry.state == State::Processing;
        if leased != course.token.is_some() || leased != course.lease.is_some() {
            findings.push(format!("{queue}: {:?} is {} with the wrong lease", entry.id, entry.state));
        }
        let is_claimed = entry.epoch > 0;
        if course.claimed_at.is_some() != is_claimed
            || course.failed_at.is_some() != course.last_error.is_some()
        {
            findings.push(format!("{queue}: {:?} has times without what happened at them", entry.id));
        }
        if (entry.state == State::Completed) != course.result.is_some() {
            findings.push(format!("{queue}: {:?} is {} with the wrong result", entry.id, entry.state));
        }
    }
    for entry in state.entries.values() {
        findings.extend(verify_signals(entry).map(|what| format!("{queue}: {:?} {what}", entry.id)));
    }
    if state.ids.len() != state.entries.len() {
        findings.push(format!("{queue}: {} ids for {} records", state.ids.len(), state.entries.len()));
    }
    for (kind, line) in &state.indexes.aside {
        for (priority, run_at, seq) in line.behind(None) {
            let is_of_kind = state.entries.get(&seq).is_some_and(|entry| entry.traits.kind == *kind);
            if !is_of_kind || !rebuilt.ready.remove(priority, run_at, seq) {
                findings
                    .push(format!("{queue}: {seq} is set aside as a due job of kind {kind:?} and is none"));
            }
            rebuilt.aside.entry(kind.clone()).or_default().insert(priority, run_at, seq);
        }
    }
    if let Some(partitions) = &state.indexes.partitions {
        let is_of_kind = |kind: &Kind, seq| state.entries.get(&seq).is_some_and(|it| it.traits.kind == *kind);
        if !partitions.is_sound(is_of_kind) {
            findings.push(format!("{queue}: the partitions do not stand where their jobs put them"));
        }
    }
    if rebuilt != state.indexes {
        findings.push(format!("{queue}: the indexes are not those of the records"));
    }
}
