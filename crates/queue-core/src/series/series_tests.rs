//! Merging and decoding, over random counts.

use super::*;
use crate::{Kind, QueueName, SeriesEntry, WorkerId};
use bytes::Bytes;
use proptest::prelude::*;
use std::time::Duration;

const QUEUES: [&str; 3] = ["a", "b", "\u{e9}"];
const WRITERS: [&str; 3] = ["v", "w", "w "];

fn queue(at: usize) -> QueueName {
    QueueName::from_static(QUEUES[at])
}

fn counts() -> impl Strategy<Value = SlotCounts> {
    let end = (0..QUEUES.len(), 0..4_usize, 0..WorkOutcome::ALL.len(), any::<u32>(), any::<u64>());
    prop::collection::vec(end, 0..20).prop_map(|ends| {
        let mut counts = SlotCounts::default();
        for (at, kind, outcome, waited, ran) in ends {
            let kind = Kind::new(format!("kind-{kind}")).expect("a name");
            let of_kind = counts.of_mut(&queue(at), &kind);
            of_kind.count(WorkOutcome::ALL[outcome]);
            of_kind.record(Duration::from_millis(waited.into()), Duration::from_micros(ran));
        }
        counts
    })
}

fn entry() -> impl Strategy<Value = SeriesEntry> {
    (counts(), -2..3_i64, 0..WRITERS.len()).prop_map(|(counts, slot, writer)| SeriesEntry {
        series: SlotLength::Minute.series(),
        slot,
        writer: WorkerId::from_static(WRITERS[writer]),
        bytes: counts.encode().into(),
    })
}

fn series(entries: &[SeriesEntry]) -> QueueSeries {
    let mut series = QueueSeries::new(queue(0), SlotLength::Minute);
    for entry in entries {
        series.insert(entry).expect("it was encoded");
    }
    series
}

fn merged(of: &[&QueueSeries]) -> QueueSeries {
    let mut merged = QueueSeries::new(queue(0), SlotLength::Minute);
    for series in of {
        merged.merge(series);
    }
    merged
}

fn some_entries() -> impl Strategy<Value = Vec<SeriesEntry>> {
    prop::collection::vec(entry(), 0..6)
}

proptest! {
    #[test]
    fn counts_are_read_as_they_were_written(counts in counts()) {
        prop_assert_eq!(SlotCounts::decode(counts.encode().into()), Ok(counts));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _read = SlotCounts::decode(bytes.into());
    }

    #[test]
    fn what_is_cut_short_or_goes_on_is_refused(counts in counts(), more in any::<u8>()) {
        let bytes = Bytes::from(counts.encode());
        prop_assert!((0..bytes.len()).all(|len| SlotCounts::decode(bytes.slice(..len)).is_err()));
        prop_assert!(SlotCounts::decode([&bytes[..], &[more]].concat().into()).is_err());
    }

    #[test]
    fn a_merge_knows_no_order(a in some_entries(), b in some_entries(), c in some_entries()) {
        let (a, b, c) = (series(&a), series(&b), series(&c));
        prop_assert_eq!(merged(&[&a, &b]), merged(&[&b, &a]));
        let (ab, bc) = (merged(&[&a, &b]), merged(&[&b, &c]));
        prop_assert_eq!(merged(&[&ab, &c]), merged(&[&a, &bc]));
    }

    #[test]
    fn what_is_merged_twice_counts_once(a in some_entries(), b in some_entries()) {
        let (a, b) = (series(&a), series(&b));
        let once = merged(&[&a, &b]);
        prop_assert_eq!(merged(&[&a, &b, &a, &once, &b]), once);
    }

    #[test]
    fn entries_in_parts_and_in_another_order_are_the_same(entries in some_entries(), at in 0..6_usize) {
        let at = at.min(entries.len());
        let parts = (series(&entries[at..]), series(&entries[..at]));
        prop_assert_eq!(merged(&[&parts.0, &parts.1]), series(&entries));
    }

    #[test]
    fn a_total_is_the_sum_over_slots_and_over_kinds(entries in some_entries()) {
        let series = series(&entries);
        let sum = |parts: Vec<WorkCounts>| {
            let mut sum = WorkCounts::default();
            for part in &parts {
                sum.add(part);
            }
            sum
        };
        prop_assert_eq!(series.total(-9..9), sum(series.slots().into_values().collect()));
        prop_assert_eq!(series.total(-9..9), sum(series.kinds(-9..9).into_values().collect()));
        prop_assert_eq!(series.total(0..9), sum(series.slots().split_off(&0).into_values().collect()));
    }
}

#[test]
fn a_later_entry_of_the_same_key_takes_the_place_of_the_earlier_one() {
    let kind = Kind::from_static("k");
    let entry = |times: usize| {
        let mut counts = SlotCounts::default();
        (0..times).for_each(|_| counts.of_mut(&queue(0), &kind).count(WorkOutcome::Failed));
        let (series, writer) = (SlotLength::Hour.series(), WorkerId::from_static("w"));
        SeriesEntry { series, slot: 1, writer, bytes: counts.encode().into() }
    };
    for order in [[2, 5], [5, 2]] {
        let mut series = QueueSeries::new(queue(0), SlotLength::Hour);
        for times in order {
            series.insert(&entry(times)).expect("it was encoded");
        }
        assert_eq!(series.total(1..2).of(WorkOutcome::Failed), 5);
    }
}

#[test]
fn minutes_fill_the_hours_that_their_writers_have_not_written() {
    let entry = |length: SlotLength, slot, writer: &'static str, times: usize| {
        let mut counts = SlotCounts::default();
        let of_kind = counts.of_mut(&queue(0), &Kind::from_static("k"));
        (0..times).for_each(|_| of_kind.count(WorkOutcome::Completed));
        let writer = WorkerId::from_static(writer);
        SeriesEntry { series: length.series(), slot, writer, bytes: counts.encode().into() }
    };
    let (mut hours, mut minutes) =
        (QueueSeries::new(queue(0), SlotLength::Hour), QueueSeries::new(queue(0), SlotLength::Minute));
    hours.insert(&entry(SlotLength::Hour, 0, "ended", 10)).expect("it was encoded");
    for (minute, writer, times) in [(0, "ended", 4), (59, "killed", 2), (58, "killed", 1), (60, "ended", 5)] {
        minutes.insert(&entry(SlotLength::Minute, minute, writer, times)).expect("it was encoded");
    }
    hours.fill_hours(&minutes);
    let filled = hours.clone();
    hours.fill_hours(&minutes);
    assert_eq!(hours, filled, "a second time fills nothing");
    let completed = |slots| hours.total(slots).of(WorkOutcome::Completed);
    assert_eq!((completed(0..1), completed(1..2)), (13, 5));
}

#[test]
fn kinds_beyond_the_most_are_counted_together() {
    let mut counts = SlotCounts::default();
    for number in 0..KINDS_MAX + 7 {
        let kind = Kind::new(format!("kind-{number}")).expect("a name");
        counts.of_mut(&queue(number % 2), &kind).count(WorkOutcome::Completed);
    }
    assert_eq!(counts.iter().count(), KINDS_MAX + 2);
    let others = counts.iter().filter(|(_, kind, _)| **kind == other_kinds());
    assert_eq!(others.map(|(_, _, counts)| counts.of(WorkOutcome::Completed)).sum::<u64>(), 7);
    assert_eq!(SlotCounts::decode(counts.encode().into()), Ok(counts));
}

#[test]
fn an_entry_of_the_longest_names_and_the_fullest_histograms_fits() {
    let mut counts = SlotCounts::default();
    for number in 0..KINDS_MAX {
        let kind = Kind::new(format!("{number:0>255}")).expect("a name");
        let of_kind = counts.of_mut(&queue(0), &kind);
        of_kind.outcomes = [u64::from(u32::MAX) + number as u64; WorkOutcome::ALL.len()];
        let full = TimeHistogram::from_parts([u64::from(u32::MAX); TimeHistogram::BUCKETS], u64::MAX);
        (of_kind.wait, of_kind.run) = (full.clone(), full);
    }
    let bytes = counts.encode();
    assert!(bytes.len() <= SeriesEntry::BYTES_MAX, "{}", bytes.len());
    let read = SlotCounts::decode(bytes.into()).expect("it was encoded");
    let sum =
        |counts: &SlotCounts| counts.iter().map(|(.., counts)| counts.of(WorkOutcome::Failed)).sum::<u64>();
    assert_eq!(sum(&read), sum(&counts));
    assert!(read.iter().count() > KINDS_MAX / 4, "most of the frequent kinds are told apart");
}

#[test]
fn a_minute_of_one_kind_takes_few_bytes() {
    let mut counts = SlotCounts::default();
    let of_kind = counts.of_mut(&QueueName::from_static("emails"), &Kind::from_static("welcome"));
    for millis in 0..1000 {
        of_kind.count(WorkOutcome::Completed);
        of_kind.record(Duration::from_millis(millis % 10), Duration::from_millis(20 + millis % 30));
    }
    assert!(counts.encode().len() < 60, "{}", counts.encode().len());
}
