//! What a recorder has to write, and when.

use super::series_recorder::{CountedEnd, PENDING_MAX, PendingEntry, SeriesRecorder};
use queue_core::{
    ContentType, JobId, JobMeta, Kind, NewJob, Payload, QueueName, Seq, Timestamp,
    series::{SlotCounts, SlotLength, WorkCounts, WorkOutcome},
};
use std::time::Duration;
use tokio::time::Instant;

const MINUTE: i64 = 60_000;

fn job(kind: &'static str) -> JobMeta {
    let payload = Payload::new("", ContentType::from_static("x/y"));
    let new = NewJob::new(JobId::from_static("a"), Kind::from_static(kind), payload);
    let mut meta = JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(1), Timestamp::default());
    meta.claimed_at = Some(Timestamp::from_millis(5));
    meta
}

fn count(recorder: &SeriesRecorder, at: i64, times: usize) {
    let (job, ran_for) = (job("k"), Some(Duration::from_millis(3)));
    let outcome = WorkOutcome::Completed;
    let ends = (0..times).map(|_| CountedEnd { job: &job, outcome, ran_for });
    recorder.count(Timestamp::from_millis(at), ends);
}

/// The length, the slot and the completed jobs of each entry.
fn shown(entries: &[PendingEntry]) -> Vec<(SlotLength, i64, u64)> {
    let completed = |entry: &PendingEntry| {
        let counts = SlotCounts::decode(entry.bytes.clone().into()).expect("it was encoded");
        let completed = |counts: &WorkCounts| counts.of(WorkOutcome::Completed);
        counts.iter().map(|(.., counts)| completed(counts)).sum()
    };
    entries.iter().map(|entry| (entry.length, entry.slot, completed(entry))).collect()
}

fn later(secs: u64) -> Instant {
    Instant::now() + Duration::from_secs(secs)
}

#[test]
fn a_minute_is_written_once_it_is_over_and_the_hour_once_that_is() {
    let recorder = SeriesRecorder::new(true);
    assert_eq!((recorder.due_at(), recorder.take_all()), (None, Vec::new()));
    count(&recorder, 7 * MINUTE + 1_000, 3);
    assert_eq!(recorder.take_due(later(1)), []);
    assert_eq!(shown(&recorder.take_due(later(61))), [(SlotLength::Minute, 7, 3)]);
    assert_eq!(recorder.take_due(later(61)), []);
    assert_eq!(shown(&recorder.take_due(later(3600))), [(SlotLength::Hour, 0, 3)]);
    assert_eq!(recorder.due_at(), None);
}

#[test]
fn a_minute_that_grows_after_it_was_written_is_written_again_with_all_of_it() {
    let recorder = SeriesRecorder::new(true);
    count(&recorder, MINUTE, 3);
    assert_eq!(shown(&recorder.take_due(later(62))), [(SlotLength::Minute, 1, 3)]);
    count(&recorder, MINUTE + 1, 2);
    let expected = [(SlotLength::Minute, 1, 5), (SlotLength::Hour, 0, 5)];
    assert_eq!(shown(&recorder.take_all()), expected);
    count(&recorder, 2 * MINUTE, 1);
    let expected = [(SlotLength::Minute, 2, 1), (SlotLength::Hour, 0, 6)];
    assert_eq!(shown(&recorder.take_all()), expected);
}

#[test]
fn slots_that_time_has_left_wait_for_the_next_write() {
    let recorder = SeriesRecorder::new(true);
    count(&recorder, 58 * MINUTE, 1);
    count(&recorder, 59 * MINUTE, 2);
    count(&recorder, 60 * MINUTE, 4);
    let expected = [(SlotLength::Minute, 58, 1), (SlotLength::Minute, 59, 2), (SlotLength::Hour, 0, 3)];
    assert_eq!(shown(&recorder.take_due(Instant::now())), expected);
    let rest = [(SlotLength::Minute, 60, 4), (SlotLength::Hour, 1, 4)];
    assert_eq!(shown(&recorder.take_all()), rest);
}

#[test]
fn a_time_that_goes_back_counts_as_the_same_minute() {
    let recorder = SeriesRecorder::new(true);
    count(&recorder, 90 * MINUTE, 1);
    count(&recorder, 5 * MINUTE, 1);
    let expected = [(SlotLength::Minute, 90, 2), (SlotLength::Hour, 1, 2)];
    assert_eq!(shown(&recorder.take_all()), expected);
}

#[test]
fn what_was_refused_comes_again_unless_there_is_more_of_it() {
    let recorder = SeriesRecorder::new(true);
    count(&recorder, MINUTE, 1);
    let refused = recorder.take_due(later(62));
    recorder.give_back(refused.clone());
    assert_eq!(recorder.take_due(later(0)), refused);
    count(&recorder, MINUTE, 1);
    count(&recorder, 2 * MINUTE, 1);
    recorder.give_back(refused);
    assert_eq!(shown(&recorder.take_due(later(0))), [(SlotLength::Minute, 1, 2)]);
}

#[test]
fn a_store_that_is_away_for_long_costs_a_bounded_memory() {
    let recorder = SeriesRecorder::new(true);
    for minute in 0..500 {
        count(&recorder, minute * MINUTE, 1);
        let refused = recorder.take_due(Instant::now());
        recorder.give_back(refused);
    }
    let kept = recorder.take_due(Instant::now());
    assert_eq!(kept.len(), PENDING_MAX);
    assert_eq!(kept.last().map(|entry| entry.slot), Some(498));
}

#[test]
fn a_recorder_that_is_off_counts_nothing() {
    let recorder = SeriesRecorder::new(false);
    count(&recorder, MINUTE, 1);
    assert_eq!((recorder.due_at(), recorder.take_all()), (None, Vec::new()));
}
