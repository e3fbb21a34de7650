//! The data of the store, its time and its numbers, and their defects.

use super::{
    record::{Lane, Record},
    series::Series,
};
use crate::defect::Defect;
use queue_core::{JobMeta, Kind, Moment, Pause, QueueName, Seq, Timestamp};
use queue_store::Notices;
use std::collections::BTreeMap;

/// All data of a store. Simple on purpose: due jobs and lapsed leases are found by a scan of all
/// records.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) lanes: BTreeMap<QueueName, Lane>,
    pub(super) series: Series,
    pub(super) now: Timestamp,
    clock: Timestamp,
    pub(super) notices: Notices,
    defect: Option<Defect>,
    last_seq: u64,
    mark: Timestamp,
}

impl State {
    pub(super) fn new(defect: Option<Defect>) -> Self {
        Self {
            lanes: BTreeMap::new(),
            series: Series::new(),
            now: Timestamp::default(),
            clock: Timestamp::default(),
            notices: Notices::default(),
            defect,
            last_seq: 0,
            mark: Timestamp::default(),
        }
    }

    pub(super) fn has(&self, defect: Defect) -> bool {
        self.defect == Some(defect)
    }

    pub(super) fn defect(&self) -> Option<Defect> {
        self.defect
    }

    /// Moves store time to a reading of the clock, or to the floor of the calling handle, and
    /// returns it.
    pub(super) fn tick(&mut self, clock: Timestamp, floor: Timestamp) -> Timestamp {
        let floor = if self.has(Defect::TimeStandsStill) { self.mark.max(self.now) } else { floor };
        let moment = Moment::decide(self.mark, clock, floor);
        (self.now, self.clock) = (moment.now, clock);
        if self.has(Defect::ClockTrusted) {
            self.now = clock;
        }
        self.now
    }

    pub(super) fn moment(&self) -> Moment {
        Moment { now: self.now, clock: self.clock }
    }

    pub(super) fn mark(&self) -> Timestamp {
        self.mark
    }

    /// Raises the mark to the present time, at which the write is decided.
    pub(super) fn writes(&mut self) {
        self.mark = self.mark.max(self.now);
    }

    pub(super) fn lane(&mut self, queue: &QueueName) -> &mut Lane {
        self.lanes.entry(queue.clone()).or_default()
    }

    pub(super) fn pause(&mut self, queue: &QueueName, kind: Option<Kind>, pause: Pause) {
        let lane = self.lane(queue);
        lane.is_listed = true;
        lane.pauses.insert(kind, pause);
        self.notices.wake(queue);
    }

    pub(super) fn next_seq(&mut self) -> Seq {
        self.last_seq += 1;
        if self.has(Defect::SeqReused) {
            let present = self.lanes.values().filter_map(|lane| lane.records.keys().next_back());
            self.last_seq = present.max().map_or(1, |seq| seq.get() + 1);
        }
        Seq::new(self.last_seq)
    }

    pub(super) fn insert(&mut self, record: Record) {
        let meta = record.job.meta.clone();
        let lane = self.lane(&meta.queue);
        lane.is_listed = true;
        lane.ids.insert(meta.id.clone(), meta.seq);
        lane.records.insert(meta.seq, record);
        self.changed(&meta);
    }

    pub(super) fn remove(&mut self, queue: &QueueName, seq: Seq) {
        let leaves_index = self.has(Defect::IndexLeftBehind);
        let leaves_attempts = self.has(Defect::AttemptsOfFormerLife);
        let lane = self.lane(queue);
        let Some(record) = lane.records.remove(&seq) else { return };
        if !leaves_index {
            lane.ids.remove(&record.job.meta.id);
        }
        if leaves_attempts {
            lane.former_attempts.insert(record.job.meta.id.clone(), record.attempts);
        }
        self.notices.removed(&record.job.meta);
    }

    pub(super) fn changed(&mut self, job: &JobMeta) {
        self.notices.changed(job);
    }

    /// Forgets what a store would not find again if it kept it in memory alone.
    pub(super) fn reopen(&mut self) {
        if self.has(Defect::TimeForgotten) {
            (self.mark, self.now) = (Timestamp::default(), Timestamp::default());
        }
        if self.has(Defect::CountsOfGatesForgotten) {
            let records = self.lanes.values_mut().flat_map(|lane| lane.records.values_mut());
            for gate in records.filter_map(|record| record.job.meta.gate.as_mut()) {
                (gate.signals, gate.tally) = Default::default();
            }
        }
        if self.has(Defect::LastWriteLost) {
            self.lose_newest();
        }
    }

    fn lose_newest(&mut self) {
        let newest =
            |(queue, lane): (&QueueName, &Lane)| Some((*lane.records.keys().next_back()?, queue.clone()));
        if let Some((seq, queue)) = self.lanes.iter().filter_map(newest).max() {
            self.remove(&queue, seq);
        }
    }
}
