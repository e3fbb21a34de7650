//! Counts how attempts end, by the minute and by the hour of store time.

use crate::worker::hold::ClockReading;
use parking_lot::Mutex;
use queue_core::{
    JobMeta, Timestamp,
    series::{SlotCounts, SlotLength, WorkOutcome},
};
use std::{collections::VecDeque, time::Duration};
use tokio::{sync::Notify, time::Instant};

/// The most entries that wait for a store which refuses them; the oldest give way.
pub(super) const PENDING_MAX: usize = 120;

/// What one run counted, and has not written yet. A recorder of a store without series counts
/// nothing.
#[derive(Debug)]
pub(in crate::worker) struct SeriesRecorder {
    state: Option<Mutex<RecorderState>>,
    /// Fires when an entry is to be written sooner than was known before.
    begun: Notify,
}

/// The end of an attempt, as series count it.
#[derive(Debug)]
pub(in crate::worker) struct CountedEnd<'j> {
    /// The job at its claim.
    pub(in crate::worker) job: &'j JobMeta,
    pub(in crate::worker) outcome: WorkOutcome,
    /// How long the handler ran, if it did.
    pub(in crate::worker) ran_for: Option<Duration>,
}

/// An entry on its way to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PendingEntry {
    pub(super) length: SlotLength,
    pub(super) slot: i64,
    pub(super) bytes: Vec<u8>,
}

#[derive(Debug)]
struct RecorderState {
    minute: OpenSlot,
    /// What was counted in the hour before the open minute.
    hour: OpenSlot,
    pending: VecDeque<PendingEntry>,
    /// When the first of them came.
    pending_since: Instant,
}

/// A slot that may still grow. Its counts stay until the next slot begins, since each write of a
/// slot has all of it.
#[derive(Debug)]
struct OpenSlot {
    length: SlotLength,
    slot: i64,
    counts: SlotCounts,
    /// When the slot is certainly over, if something was counted that is not pending or written.
    unwritten_until: Option<Instant>,
}

impl SeriesRecorder {
    pub(in crate::worker) fn new(is_on: bool) -> Self {
        let state = RecorderState {
            minute: OpenSlot::new(SlotLength::Minute),
            hour: OpenSlot::new(SlotLength::Hour),
            pending: VecDeque::new(),
            pending_since: Instant::now(),
        };
        Self { state: is_on.then(|| Mutex::new(state)), begun: Notify::new() }
    }

    pub(super) fn is_on(&self) -> bool {
        self.state.is_some()
    }

    /// Counts ends that the store answered at this time. A time before that of an earlier call
    /// counts as the same minute.
    pub(in crate::worker) fn count<'j>(
        &self,
        now: Timestamp,
        ends: impl IntoIterator<Item = CountedEnd<'j>>,
    ) {
        let Some(state) = &self.state else { return };
        let mut ends = ends.into_iter().peekable();
        if ends.peek().is_none() {
            return;
        }
        let mut state = state.lock();
        let begins = state.turn_to(now);
        for CountedEnd { job, outcome, ran_for } in ends {
            let counts = state.minute.counts.of_mut(&job.queue, &job.kind);
            counts.count(outcome);
            if let Some((ran_for, claimed_at)) = ran_for.zip(job.claimed_at) {
                counts.record(claimed_at.since(job.run_at), ran_for);
            }
        }
        drop(state);
        if begins {
            self.begun.notify_one();
        }
    }

    /// Resolves when an entry is to be written sooner than was known before.
    pub(super) async fn begun(&self) {
        self.begun.notified().await;
    }

    /// When there is something to write; `None` if nothing was counted since the last write.
    pub(super) fn due_at(&self) -> Option<Instant> {
        self.state.as_ref().and_then(|state| state.lock().due_at())
    }

    /// What is to be written now: slots that are over, and what was refused before.
    pub(super) fn take_due(&self, now: Instant) -> Vec<PendingEntry> {
        self.take(|until| until <= now)
    }

    /// All that was counted, since the run ends.
    pub(super) fn take_all(&self) -> Vec<PendingEntry> {
        self.take(|_| true)
    }

    fn take(&self, is_due: impl Fn(Instant) -> bool) -> Vec<PendingEntry> {
        let Some(state) = &self.state else { return Vec::new() };
        let mut state = state.lock();
        state.collect(is_due);
        state.pending.drain(..).collect()
    }

    /// Takes entries back that were not written. One that was counted on since is not replaced.
    pub(super) fn give_back(&self, entries: Vec<PendingEntry>) {
        let Some(state) = &self.state else { return };
        let mut state = state.lock();
        for entry in entries.into_iter().rev() {
            if !state.pending.iter().any(|newer| newer.is_of(entry.length, entry.slot)) {
                state.pending.push_front(entry);
            }
        }
        state.trim();
    }
}

impl PendingEntry {
    fn is_of(&self, length: SlotLength, slot: i64) -> bool {
        self.length == length && self.slot == slot
    }
}

impl RecorderState {
    fn due_at(&self) -> Option<Instant> {
        let open = [self.minute.unwritten_until, self.hour.unwritten_until];
        let pending = (!self.pending.is_empty()).then_some(self.pending_since);
        open.into_iter().chain([pending]).flatten().min()
    }

    /// Makes the slots of this time the open ones, and notes that they grow. Answers whether the
    /// minute had nothing to be written before.
    fn turn_to(&mut self, now: Timestamp) -> bool {
        let minute = SlotLength::Minute.slot_at(now).max(self.minute.slot);
        if minute > self.minute.slot {
            self.close_minute();
            let hour = SlotLength::Hour.slot_at(SlotLength::Minute.starts_at(minute));
            if hour > self.hour.slot {
                self.close_hour(hour);
            }
            self.minute.slot = minute;
        }
        let begins = self.minute.unwritten_until.is_none();
        if begins || self.hour.unwritten_until.is_none() {
            let reading = ClockReading::now(now);
            self.minute.grows(reading);
            self.hour.grows(reading);
        }
        begins
    }

    fn close_minute(&mut self) {
        let counts = std::mem::take(&mut self.minute.counts);
        if self.minute.unwritten_until.take().is_some() {
            self.push(SlotLength::Minute, self.minute.slot, counts.encode());
        }
        self.hour.counts.add(&counts);
    }

    fn close_hour(&mut self, next: i64) {
        let counts = std::mem::take(&mut self.hour.counts);
        if self.hour.unwritten_until.take().is_some() {
            self.push(SlotLength::Hour, self.hour.slot, counts.encode());
        }
        self.hour.slot = next;
    }

    /// Makes the open slots pending that are due, as they are now.
    fn collect(&mut self, is_due: impl Fn(Instant) -> bool) {
        if self.minute.unwritten_until.take_if(|until| is_due(*until)).is_some() {
            self.push(SlotLength::Minute, self.minute.slot, self.minute.counts.encode());
        }
        if self.hour.unwritten_until.take_if(|until| is_due(*until)).is_some() {
            let mut counts = self.hour.counts.clone();
            counts.add(&self.minute.counts);
            self.push(SlotLength::Hour, self.hour.slot, counts.encode());
        }
    }

    /// Puts an entry in the place of one of the same slot.
    fn push(&mut self, length: SlotLength, slot: i64, bytes: Vec<u8>) {
        if self.pending.is_empty() {
            self.pending_since = Instant::now();
        }
        self.pending.retain(|pending| !pending.is_of(length, slot));
        self.pending.push_back(PendingEntry { length, slot, bytes });
        self.trim();
    }

    fn trim(&mut self) {
        let excess = self.pending.len().saturating_sub(PENDING_MAX);
        self.pending.drain(..excess);
    }
}

impl OpenSlot {
    fn new(length: SlotLength) -> Self {
        Self { length, slot: i64::MIN, counts: SlotCounts::default(), unwritten_until: None }
    }

    fn grows(&mut self, reading: ClockReading) {
        let end = self.length.starts_at(self.slot.saturating_add(1));
        self.unwritten_until.get_or_insert_with(|| reading.reaches(end));
    }
}
