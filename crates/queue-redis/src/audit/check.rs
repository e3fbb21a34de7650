//! Compares the records of a queue with its indexes and counters (I20).

use super::{
    Dump,
    gates::{has_mark, unmarked_gates, wrong_gate, wrong_signals},
    partitions::CountedJobs,
    waiting::WaitingMembers,
};
use crate::{
    attempts::read_attempts,
    body::read_headers,
    kinds::read_kinds,
    row::{self, RedisRecord},
};
use bytes::Bytes;
use queue_core::{ATTEMPTS_MAX, JobMeta, Kind, State};
use std::collections::{BTreeMap, BTreeSet};

/// Records of one block of the listing.
const BLOCK: u64 = 1024;

/// An index: members and their scores, as text.
type Index = BTreeMap<Bytes, Bytes>;

/// The findings, in words.
pub(crate) fn audit(dump: &Dump) -> Vec<String> {
    let mut audit = Audit {
        dump,
        findings: Vec::new(),
        expected: ExpectedIndexes::default(),
        kinds: BTreeSet::new(),
        partitions: CountedJobs::default(),
    };
    audit.kinds();
    audit.findings.extend(unmarked_gates(dump));
    for (seq, job) in &dump.states {
        audit.record(seq, job);
    }
    audit.partitions();
    audit.indexes();
    audit.counters();
    audit.findings
}

struct Audit<'a> {
    dump: &'a Dump,
    findings: Vec<String>,
    expected: ExpectedIndexes,
    /// Those that are paused or may have a line.
    kinds: BTreeSet<Kind>,
    partitions: CountedJobs,
}

/// What the indexes and counters must hold, by the records.
#[derive(Default)]
struct ExpectedIndexes {
    ids: Index,
    payloads: Index,
    outcomes: BTreeSet<Bytes>,
    ready: BTreeSet<Bytes>,
    later: BTreeSet<Bytes>,
    leases: Index,
    done: Index,
    listed: Index,
    fills: Index,
    by_state: [u64; State::ALL.len()],
}

impl Audit<'_> {
    fn say(&mut self, finding: impl Into<String>) {
        self.findings.push(finding.into());
    }

    fn record(&mut self, seq: &Bytes, job: &[u8]) {
        let Some(count) = count(seq) else { return self.say(format!("{seq:?} is no seq")) };
        let named = row::seq(count, self.dump.number);
        let Some(stored) = row::read(&self.dump.queue, named, job) else {
            return self.say(format!("record {count} cannot be read"));
        };
        if count > self.meta_number("seq") {
            self.say(format!("record {count} is beyond the last seq"));
        }
        if stored.is_held != (stored.meta.state == State::Processing) {
            self.say(format!("record {count} is {} with or without a lease's token", stored.meta.state));
        }
        self.expect(seq, count, &stored);
        self.parts(seq, count, &stored);
        let wrong = wrong_gate(&stored.meta).or_else(|| wrong_signals(self.dump, seq, &stored));
        if let Some(what) = wrong {
            self.say(format!("record {count} {what}"));
        }
        self.partitions.add(&stored.meta);
        self.waits_once(seq, count, &stored.meta);
    }

    fn expect(&mut self, seq: &Bytes, count: u64, stored: &RedisRecord) {
        let expected = &mut self.expected;
        let meta = &stored.meta;
        expected.by_state[usize::from(meta.state.as_code())] += 1;
        let id = Bytes::copy_from_slice(meta.id.as_str().as_bytes());
        if expected.ids.insert(id, seq.clone()).is_some() {
            self.findings.push(format!("record {count} shares its id"));
        }
        let headers = self.dump.headers.get(seq).map_or(0, Bytes::len) as u64;
        expected.payloads.insert(seq.clone(), text(u64::from(stored.payload_bytes) + headers));
        if stored.has_large_result {
            expected.outcomes.insert(seq.clone());
        }
        if stored.has_details {
            expected.outcomes.insert([seq, &b"e"[..]].concat().into());
        }
        if stored.has_attempts {
            expected.outcomes.insert([seq, &b"a"[..]].concat().into());
        }
        if stored.has_signals {
            expected.outcomes.insert([seq, &b"r"[..]].concat().into());
        }
        for tag in &meta.tags {
            expected.listed.insert([tag.as_str().as_bytes(), b"\0", seq].concat().into(), text(0));
        }
        if matches!(meta.state, State::Failing | State::Failed | State::Cancelled) {
            let at = row::six(meta.entered_at().as_millis().unsigned_abs());
            expected.listed.insert([&[meta.state.as_code()], &at[..], seq].concat().into(), text(0));
        }
        let fill = expected.fills.entry(text(count / BLOCK)).or_insert_with(|| text(0));
        *fill = text(number(fill) + 1);
        if let Some(lease) = &meta.lease {
            expected.leases.insert(seq.clone(), text(lease.expires_at.as_millis()));
        }
        if meta.state.is_terminal() {
            let score = meta.purge_at.map_or_else(|| "inf".into(), |at| text(at.as_millis()));
            expected.done.insert(seq.clone(), score);
        }
    }

    /// What stands apart from the state strings can be read, and fits to them.
    fn parts(&mut self, seq: &Bytes, count: u64, stored: &RedisRecord) {
        let headers = self.dump.headers.get(seq).map(|text| read_headers(text));
        if headers.is_some_and(|headers| headers.is_none()) {
            self.say(format!("what stands behind the payload of record {count} is no headers"));
        }
        let Some(kept) = self.dump.attempts.get(&[seq, &b"a"[..]].concat()[..]) else { return };
        let attempts = read_attempts(kept).unwrap_or_default();
        let rises = attempts.windows(2).all(|two| two[0].epoch < two[1].epoch);
        let last = attempts.last().map_or(0, |last| last.epoch);
        if attempts.is_empty() || attempts.len() > ATTEMPTS_MAX || !rises || last > stored.meta.epoch {
            self.say(format!("the attempts of record {count} cannot be read, are too many, or not in order"));
        }
    }

    fn kinds(&mut self) {
        let field = self.dump.meta.get(&b"kinds"[..]);
        let Some(kinds) = read_kinds(field.map_or(&[][..], |field| &field[..])) else {
            return self.say("its paused kinds cannot be read");
        };
        self.kinds = kinds.into_iter().map(|paused| paused.kind).collect();
        let is_marked = self.dump.meta.get(&b"paused"[..]).is_some_and(|pause| has_mark(pause, b" kinds"));
        if is_marked == self.kinds.is_empty() {
            self.say(format!("it has {} paused kinds, and its pause says otherwise", self.kinds.len()));
        }
    }

    /// A waiting job stands among the ready ones or in the line of its kind, only when it is due,
    /// or among the scheduled ones, or behind its closed gate.
    fn waits_once(&mut self, seq: &Bytes, count: u64, meta: &JobMeta) {
        if !meta.state.is_waiting() {
            return;
        }
        let members = WaitingMembers::of(seq, meta);
        let is_ready = members.is_ready(self.dump);
        let is_aside = self.dump.listed.contains_key(&members.aside);
        let scheduled_for = self.dump.later.get(&members.later);
        let is_gated = self.dump.listed.contains_key(&members.gated);
        let places = [is_ready, is_aside, scheduled_for.is_some(), is_gated];
        let places = places.into_iter().filter(|stands| *stands).count();
        if places != 1 {
            self.say(format!(
                "record {count} is {} and stands in {places} of ready, later, the line of its kind and behind gates",
                meta.state
            ));
        }
        let is_behind = meta.gate.as_ref().is_some_and(|gate| gate.is_closed(meta.epoch));
        if is_gated && !is_behind || scheduled_for.is_some() && is_behind {
            self.say(format!(
                "record {count} stands behind a gate, or is scheduled, and its gate says otherwise"
            ));
        }
        if (is_ready || is_aside) && meta.run_at > self.dump.now {
            self.say(format!("record {count} is ready before its time"));
        }
        if is_aside && !self.kinds.contains(&meta.kind) {
            self.say(format!("record {count} stands in a line that no claim looks at"));
        }
        if scheduled_for.is_some_and(|score| *score != text(meta.run_at.as_millis())) {
            self.say(format!("record {count} is scheduled for another time than its own"));
        }
        if is_aside {
            self.expected.listed.insert(members.aside, text(0));
        }
        if is_gated {
            self.expected.listed.insert(members.gated, text(0));
        }
        match members.in_partition {
            None => drop(self.expected.ready.insert(members.ready)),
            Some(due) if is_ready => {
                self.partitions.stands(meta);
                self.expected.listed.extend(due.map(|member| (member, text(0))));
            }
            Some(_) => {}
        }
        self.expected.later.insert(members.later);
    }

    fn partitions(&mut self) {
        let (findings, members) = std::mem::take(&mut self.partitions).compare(self.dump);
        self.findings.extend(findings);
        self.expected.listed.extend(members.into_iter().map(|member| (member, text(0))));
    }

    fn indexes(&mut self) {
        let dump = self.dump;
        let expected = std::mem::take(&mut self.expected);
        self.same("ids", &dump.ids, &expected.ids);
        self.same("leases", &dump.leases, &expected.leases);
        self.same("done", &dump.done, &expected.done);
        self.same("listed", &dump.listed, &expected.listed);
        self.same("fill", &dump.fills, &expected.fills);
        let blocks = expected.fills.keys().map(|block| (block.clone(), block.clone())).collect();
        self.same("blocks", &dump.blocks, &blocks);
        let waiting = [("ready", &dump.ready, &expected.ready), ("later", &dump.later, &expected.later)];
        for (name, index, expected) in waiting {
            for member in index.keys().filter(|member| !expected.contains(*member)) {
                self.say(format!("{name} has {member:?}, which no waiting record has"));
            }
        }
        if dump.ready.values().any(|score| score != "0") {
            self.say("ready has a score, so that its order is not that of claims");
        }
        self.same("payload", &dump.payloads, &expected.payloads);
        self.same_names("outcome", &dump.outcomes, &expected.outcomes);
        self.expected = expected;
    }

    fn counters(&mut self) {
        for state in State::ALL {
            let told = self.meta_number(&format!("jobs{}", state.as_code()));
            let found = self.expected.by_state[usize::from(state.as_code())];
            if told != found {
                self.say(format!("{told} records are counted as {state}, and there are {found}"));
            }
        }
        let number = self.meta_number("number");
        if number != self.dump.number && !self.dump.states.is_empty() {
            self.say(format!("its number is {number}, and {} in the registry", self.dump.number));
        }
    }

    fn same(&mut self, name: &str, found: &Index, expected: &Index) {
        for (member, score) in expected.iter().filter(|(member, score)| found.get(*member) != Some(*score)) {
            let there = found.get(member);
            self.say(format!("{name} has {there:?} for {member:?}, and the records say {score:?}"));
        }
        for member in found.keys().filter(|member| !expected.contains_key(*member)) {
            self.say(format!("{name} has {member:?}, which no record has"));
        }
    }

    fn same_names(&mut self, name: &str, found: &[Bytes], expected: &BTreeSet<Bytes>) {
        let found: BTreeSet<_> = found.iter().cloned().collect();
        for odd in found.symmetric_difference(expected) {
            self.say(format!("{name} and the records differ about {odd:?}"));
        }
    }

    fn meta_number(&self, field: &str) -> u64 {
        self.dump.meta.get(field.as_bytes()).map_or(0, number)
    }
}

fn count(seq: &[u8]) -> Option<u64> {
    (seq.len() == 6).then(|| seq.iter().fold(0, |count, byte| count << 8 | u64::from(*byte)))
}

fn text(number: impl ToString + Copy) -> Bytes {
    number.to_string().into()
}

/// What is no number is found out by the comparison with the records.
fn number(text: &Bytes) -> u64 {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(u64::MAX)
}
