//! Checks of partitions: that their leases and waiting jobs are counted right, and that they stand
//! where these put them (I25).

use super::{Dump, gates::has_mark};
use crate::{
    limits::limit,
    reader::Reader,
    row::{priority, priority_bytes},
};
use bytes::Bytes;
use queue_core::{JobMeta, Limit, LimitInForce, Partition, State, lifecycle::Opening};
use std::collections::BTreeMap;

/// What stands in front of a key among the fields of `meta`.
const LANE_FIELD: u8 = b':';
/// What stands in front of members of `listed`.
const IN_PARTITION: u8 = 8;
const IN_ANY_PARTITION: u8 = 9;
const FREE_FRONT: u8 = 11;
const LIMITED_FRONT: u8 = 12;
const PARTITION: u8 = 14;
const OWN_LIMIT: u8 = 15;

/// The members of `listed` for a due job of a partition, by its place and seq.
pub(super) fn due_members(partition: &Partition, place: &[u8]) -> [Bytes; 2] {
    let in_partition = [&[IN_PARTITION], partition.as_str().as_bytes(), b"\0", place].concat();
    [in_partition, [&[IN_ANY_PARTITION], place].concat()].map(Bytes::from)
}

/// The jobs of partitions, counted from records.
#[derive(Default)]
pub(super) struct CountedJobs(BTreeMap<String, Counted>);

#[derive(Clone, Copy, Default)]
struct Counted {
    leases: u64,
    waiting: u64,
    /// The priority of the next job that stands among the due ones, as its bytes sort.
    next: Option<u16>,
}

impl CountedJobs {
    pub(super) fn add(&mut self, meta: &JobMeta) {
        let Some(partition) = &meta.partition else { return };
        let (is_leased, is_waiting) = (meta.state == State::Processing, meta.state.is_waiting());
        if is_leased || is_waiting {
            let counted = self.0.entry(partition.to_string()).or_default();
            counted.leases += u64::from(is_leased);
            counted.waiting += u64::from(is_waiting);
        }
    }

    /// A job stands among the due ones of its partition.
    pub(super) fn stands(&mut self, meta: &JobMeta) {
        let Some(partition) = &meta.partition else { return };
        let counted = self.0.entry(partition.to_string()).or_default();
        let priority = u16::from_be_bytes(priority_bytes(meta.priority));
        counted.next = counted.next.into_iter().chain([priority]).min();
    }

    /// What is wrong, and the members that `listed` must have.
    pub(super) fn compare(mut self, dump: &Dump) -> (Vec<String>, Vec<Bytes>) {
        let (mut findings, mut members) = (Vec::new(), Vec::new());
        let Some(rules) = Rules::read(dump) else {
            return (vec!["its limits or turns cannot be read".to_owned()], members);
        };
        let mut has_any = rules.each.is_some() || rules.has_unpartitioned;
        for (field, value) in &dump.meta {
            let Some((&LANE_FIELD, key)) = field.split_first() else { continue };
            has_any = true;
            let name = String::from_utf8_lossy(key).into_owned();
            let counted = self.0.remove(&name).unwrap_or_default();
            let Some(lane) = Lane::read(value) else {
                findings.push(format!("partition {name:?} cannot be read"));
                continue;
            };
            findings
                .extend(lane.broken(&rules, key, counted).map(|what| format!("partition {name:?} {what}")));
            members.extend(lane.members(key));
        }
        findings.extend(self.0.into_keys().map(|name| format!("partition {name:?} has no record")));
        let is_marked = dump.meta.get(&b"paused"[..]).is_some_and(|pause| has_mark(pause, b" partitions"));
        if is_marked != has_any {
            findings.push("its pause is wrong about partitions or limits".to_owned());
        }
        if !has_any && (rules.has_turns || rules.swept_to.is_some()) {
            findings.push("it has turns and no partitions".to_owned());
        }
        (findings, members)
    }
}

/// What holds for all partitions.
struct Rules {
    each: Option<Limit>,
    has_unpartitioned: bool,
    has_turns: bool,
    /// Behind this key the limit of each partition may be new to some.
    swept_to: Option<Bytes>,
}

impl Rules {
    fn read(dump: &Dump) -> Option<Self> {
        let (mut each, mut unpartitioned) = (None, None);
        if let Some(limits) = dump.meta.get(&b"limits"[..]) {
            let mut from = Reader::new(limits);
            (each, unpartitioned) = (limit(&mut from).ok()?, limit(&mut from).ok()?);
            // A queue without either has no such field.
            each.or(unpartitioned)?;
        }
        let turns = dump.meta.get(&b"turns"[..]);
        if turns.is_some_and(|turns| turns.len() != 17) {
            return None;
        }
        let swept_to = dump.meta.get(&b"sweep"[..]).cloned();
        Some(Self { each, has_unpartitioned: unpartitioned.is_some(), has_turns: turns.is_some(), swept_to })
    }
}

/// What is kept of a partition.
struct Lane {
    leases: u64,
    waiting: u64,
    /// With the priority and the turn as their bytes sort.
    front: Option<(u8, u16, [u8; 7])>,
    own: Option<Limit>,
}

impl Lane {
    fn read(value: &[u8]) -> Option<Self> {
        let mut from = Reader::new(value);
        let (leases, waiting) = (from.six()?, from.six()?);
        let (front, priority, turn) = (from.u8()?, from.u16()?, from.take(7)?.try_into().ok()?);
        let own = limit(&mut from).ok()?;
        let front = if front == 0 { None } else { Some((front, priority, turn)) };
        from.is_empty().then_some(Self { leases, waiting, front, own })
    }

    fn broken(&self, rules: &Rules, key: &[u8], counted: Counted) -> impl Iterator<Item = String> + use<> {
        let in_force = LimitInForce::of(self.own, rules.each);
        let opening = Opening::of(counted.next.map(priority), self.leases, &in_force.limit);
        let side = |is_limited| if is_limited { LIMITED_FRONT } else { FREE_FRONT };
        let belongs = opening.map(|opening| (side(opening.is_limited), opening.priority));
        let stands = self.front.map(|(front, sorts_as, _)| (front, priority(sorts_as)));
        let is_swept = rules.swept_to.as_ref().is_none_or(|to| key <= &to[..]);
        let rules = [
            (self.leases == counted.leases, format!("has {} leases and not {}", counted.leases, self.leases)),
            (
                self.waiting == counted.waiting,
                format!("has {} jobs that wait and not {}", counted.waiting, self.waiting),
            ),
            (in_force.keeps(self.leases, self.waiting), "is kept for nothing".to_owned()),
            (
                !is_swept || stands == belongs,
                format!(
                    "stands elsewhere than its next job of priority {:?} puts it",
                    opening.map(|opening| opening.priority)
                ),
            ),
        ];
        rules.into_iter().filter(|(holds, _)| !holds).map(|(_, broken)| broken)
    }

    /// The members of `listed` that it has.
    fn members(&self, key: &[u8]) -> impl Iterator<Item = Bytes> {
        let front = self
            .front
            .map(|(front, priority, turn)| [&[front], &priority.to_be_bytes()[..], &turn, key].concat());
        let own = self.own.map(|_| [&[OWN_LIMIT], key].concat());
        [Some([&[PARTITION], key].concat()), front, own].into_iter().flatten().map(Bytes::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{APPLY_TEXT, constant};

    #[test]
    fn scripts_have_the_same_numbers() {
        let members = [
            ("IN_PARTITION", IN_PARTITION),
            ("IN_ANY_PARTITION", IN_ANY_PARTITION),
            ("FREE_FRONT", FREE_FRONT),
            ("LIMITED_FRONT", LIMITED_FRONT),
            ("PARTITION", PARTITION),
            ("OWN_LIMIT", OWN_LIMIT),
        ];
        for (name, number) in members {
            assert_eq!(constant(APPLY_TEXT, name), Some(format!("'\\{number}'")), "{name}");
        }
        assert_eq!(constant(APPLY_TEXT, "LANE_FIELD"), Some(format!("'{}'", char::from(LANE_FIELD))));
    }
}
