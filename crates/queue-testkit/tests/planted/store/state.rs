use super::record::{Lane, Record};
use crate::defect::Defect;
use queue_core::{HighWater, JobMeta, Notices, QueueName, Seq, Timestamp};
use std::collections::BTreeMap;

/// All the data of a store. Simple on purpose: what is due and what has lapsed is found by looking at every record.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) lanes: BTreeMap<QueueName, Lane>,
    pub(super) now: Timestamp,
    pub(super) notices: Notices,
    defect: Option<Defect>,
    last_seq: u64,
    time: HighWater,
}

impl State {
    pub(super) fn new(defect: Option<Defect>) -> Self {
        Self {
            lanes: BTreeMap::new(),
            now: Timestamp::default(),
            notices: Notices::default(),
            defect,
            last_seq: 0,
            time: HighWater::default(),
        }
    }

    pub(super) fn has(&self, defect: Defect) -> bool {
        self.defect == Some(defect)
    }

    pub(super) fn defect(&self) -> Option<Defect> {
        self.defect
    }

    /// Moves store time to a reading of the clock.
    pub(super) fn tick(&mut self, reading: Timestamp) {
        let highest = self.time.advance(reading);
        self.now = if self.has(Defect::ClockTrusted) { reading } else { highest };
    }

    pub(super) fn lane(&mut self, queue: &QueueName) -> &mut Lane {
        self.lanes.entry(queue.clone()).or_default()
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
        lane.ids.insert(meta.id.clone(), meta.seq);
        lane.records.insert(meta.seq, record);
        self.changed(&meta);
    }

    pub(super) fn remove(&mut self, queue: &QueueName, seq: Seq) {
        let leaves_index = self.has(Defect::IndexLeftBehind);
        let lane = self.lane(queue);
        let Some(record) = lane.records.remove(&seq) else { return };
        if !leaves_index {
            lane.ids.remove(&record.job.meta.id);
        }
        self.notices.removed(&record.job.meta);
    }

    pub(super) fn changed(&mut self, job: &JobMeta) {
        self.notices.changed(job);
    }

    /// What a store does not find again that kept it in memory alone.
    pub(super) fn reopen(&mut self) {
        if self.has(Defect::TimeForgotten) {
            self.time = HighWater::default();
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
