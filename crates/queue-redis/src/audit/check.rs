use super::Dump;
use crate::row::{self, StoredJob};
use bytes::Bytes;
use queue_core::{JobMeta, State};
use std::collections::{BTreeMap, BTreeSet};

/// Records of one block of the listing.
const BLOCK: u64 = 1024;

/// An index: members and their scores, as text.
type Index = BTreeMap<Bytes, Bytes>;

/// What does not add up, in words.
pub(crate) fn audit(dump: &Dump) -> Vec<String> {
    let mut audit = Audit { dump, findings: Vec::new(), expected: Expected::default() };
    for (seq, job) in &dump.states {
        audit.record(seq, job);
    }
    audit.indexes();
    audit.counters();
    audit.findings
}

struct Audit<'a> {
    dump: &'a Dump,
    findings: Vec<String>,
    expected: Expected,
}

/// What the records say that must be elsewhere.
#[derive(Default)]
struct Expected {
    ids: Index,
    payloads: Index,
    outcomes: BTreeSet<Bytes>,
    waiting: Index,
    leases: Index,
    done: Index,
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
        self.waits_once(seq, count, &stored.meta);
    }

    fn expect(&mut self, seq: &Bytes, count: u64, stored: &StoredJob) {
        let expected = &mut self.expected;
        let meta = &stored.meta;
        expected.by_state[usize::from(meta.state.as_code())] += 1;
        let id = Bytes::copy_from_slice(meta.id.as_str().as_bytes());
        if expected.ids.insert(id, seq.clone()).is_some() {
            self.findings.push(format!("record {count} shares its id"));
        }
        expected.payloads.insert(seq.clone(), text(stored.payload_bytes));
        if stored.has_large_result {
            expected.outcomes.insert(seq.clone());
        }
        if stored.has_details {
            expected.outcomes.insert([seq, &b"e"[..]].concat().into());
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

    /// A waiting job stands in one of two indexes, and in the one of ready jobs only when it is due.
    fn waits_once(&mut self, seq: &Bytes, count: u64, meta: &JobMeta) {
        if !meta.state.is_waiting() {
            return;
        }
        let member = waiting_member(seq, meta);
        let (ready, later) = (self.dump.ready.get(&member), self.dump.later.get(&member));
        if ready.is_some() == later.is_some() {
            self.say(format!(
                "record {count} is {} and stands in none or both of ready and later",
                meta.state
            ));
        }
        if ready.is_some() && meta.run_at > self.dump.now {
            self.say(format!("record {count} is ready before its time"));
        }
        if later.is_some_and(|score| *score != text(meta.run_at.as_millis())) {
            self.say(format!("record {count} is scheduled for another time than its own"));
        }
        self.expected.waiting.insert(member, Bytes::new());
    }

    fn indexes(&mut self) {
        let dump = self.dump;
        let expected = std::mem::take(&mut self.expected);
        self.same("ids", &dump.ids, &expected.ids);
        self.same("leases", &dump.leases, &expected.leases);
        self.same("done", &dump.done, &expected.done);
        self.same("fill", &dump.fills, &expected.fills);
        let blocks = expected.fills.keys().map(|block| (block.clone(), block.clone())).collect();
        self.same("blocks", &dump.blocks, &blocks);
        for (name, index) in [("ready", &dump.ready), ("later", &dump.later)] {
            for member in index.keys().filter(|member| !expected.waiting.contains_key(*member)) {
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

fn waiting_member(seq: &[u8], meta: &JobMeta) -> Bytes {
    let priority = row::priority_bytes(meta.priority);
    let run_at = row::six(meta.run_at.as_millis().unsigned_abs());
    [&priority[..], &run_at, seq].concat().into()
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
