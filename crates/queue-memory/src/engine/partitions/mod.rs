//! The partitions of a queue: whose job is next, and which are full.

mod fronts;
mod lane;
mod page;

use super::{
    limits::QueueLimits,
    packed_job::Traits,
    ready_index::{ReadyIndex, ReadyPlace},
};
use fronts::Fronts;
pub(super) use lane::Counted;
use lane::Lane;
use queue_core::{
    Kind, LimitScope, Partition, Seq, Timestamp,
    lifecycle::{Opening, PartitionFront, Turn, TurnPlace},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The partitions of a queue that has any, or limits. A slot is a lease: leases are counted where
/// their index changes, and nowhere else.
#[derive(Debug, Default)]
pub(super) struct Partitions {
    /// Each of which a job waits or is leased, and each with a limit of its own.
    by_key: BTreeMap<Partition, Lane>,
    /// The jobs without a partition, which take turns as one.
    unpartitioned: Lane,
    /// All due jobs with a partition, also of full ones and of paused kinds.
    pub(super) due: ReadyIndex,
    /// The due jobs that claims met while their kind was paused. No line is empty.
    pub(super) aside: BTreeMap<Kind, ReadyIndex>,
    fronts: Fronts,
    pub(super) limits: QueueLimits,
}

impl Partitions {
    /// Partitions under these limits: those with a limit of their own are there, without jobs.
    pub(super) fn under(limits: QueueLimits) -> Self {
        let mut partitions = Self { limits, ..Self::default() };
        partitions.refresh_all();
        partitions
    }

    /// Whether they are as good as none.
    pub(super) fn is_empty(&self) -> bool {
        self.by_key.is_empty() && self.limits.is_empty()
    }

    /// Counts a job of a partition in.
    pub(super) fn count(&mut self, partition: &Partition, job: Counted) {
        let lane = self.lane_mut(partition);
        lane.waiting += u64::from(job.is_waiting);
        lane.leases += u64::from(job.is_leased);
    }

    /// Counts a job of a partition out.
    pub(super) fn uncount(&mut self, partition: &Partition, job: Counted) {
        let lane = self.lane_mut(partition);
        lane.waiting = lane.waiting.saturating_sub(u64::from(job.is_waiting));
        lane.leases = lane.leases.saturating_sub(u64::from(job.is_leased));
    }

    /// A job of a partition is due.
    #[inline(never)]
    pub(super) fn insert_due(&mut self, partition: &Partition, place: ReadyPlace) {
        self.due.insert(place.0, place.1, place.2);
        self.lane_mut(partition).ready.insert(place);
    }

    /// Takes a due job out; false if it is not known to be due.
    #[inline(never)]
    pub(super) fn remove_due(&mut self, partition: &Partition, place: ReadyPlace) -> bool {
        if !self.due.remove(place.0, place.1, place.2) {
            return false;
        }
        if !self.lane_mut(partition).ready.remove(&place) {
            let of_kind = |(kind, line): (&Kind, &mut ReadyIndex)| {
                line.remove(place.0, place.1, place.2).then(|| (kind.clone(), line.len() == 0))
            };
            if let Some((kind, true)) = self.aside.iter_mut().find_map(of_kind) {
                self.aside.remove(&kind);
            }
        }
        true
    }

    /// Sets the next job of a partition aside, which is of a paused kind.
    pub(super) fn set_aside(&mut self, partition: &Partition, kind: &Kind, place: ReadyPlace) {
        self.lane_mut(partition).ready.remove(&place);
        self.aside.entry(kind.clone()).or_default().insert(place.0, place.1, place.2);
        self.refresh(partition);
    }

    /// Takes the first job of a kind out of its line, which [`put_back`](Self::put_back) then puts
    /// back in its partition.
    pub(super) fn take_aside(&mut self, kind: &Kind) -> Option<ReadyPlace> {
        let line = self.aside.get_mut(kind)?;
        let first = line.first();
        if let Some((priority, run_at, seq)) = first {
            line.remove(priority, run_at, seq);
        }
        if line.len() == 0 {
            self.aside.remove(kind);
        }
        first
    }

    /// Puts a job back that was set aside.
    pub(super) fn put_back(&mut self, partition: &Partition, place: ReadyPlace) {
        self.lane_mut(partition).ready.insert(place);
        self.refresh(partition);
    }

    /// These traits, shared with the last job of the partition if that has the same. A queue has
    /// too many partitions for a pool of the traits of all.
    pub(super) fn share(&self, partition: &Partition, traits: Traits) -> Arc<Traits> {
        let last = self.by_key.get(partition).and_then(|lane| lane.traits.as_ref());
        last.filter(|last| ***last == traits).cloned().unwrap_or_else(|| Arc::new(traits))
    }

    /// Remembers the traits of a job of a partition, while that has jobs.
    pub(super) fn remember(&mut self, partition: &Partition, traits: &Arc<Traits>) {
        if let Some(lane) = self.by_key.get_mut(partition) {
            lane.traits = Some(traits.clone());
        }
    }

    /// The next job of a partition.
    pub(super) fn next_of(&self, partition: &Partition) -> Option<ReadyPlace> {
        self.by_key.get(partition)?.ready.first().copied()
    }

    /// Whether the number of its leases is limited.
    pub(super) fn is_limited(&self, partition: &Partition) -> bool {
        self.limits.of(Some(partition)).limit.running.is_some()
    }

    /// The partition whose job is next, of those with a limit only if they are asked for. `in_line`
    /// is the next job without a partition.
    pub(super) fn first(
        &mut self,
        in_line: Option<ReadyPlace>,
        with_limited: bool,
    ) -> Option<PartitionFront> {
        self.put(None, Opening::unpartitioned(in_line.map(|(priority, ..)| priority)));
        self.fronts.first(with_limited).cloned()
    }

    /// Whether a partition with a limit has a job to give and a slot.
    pub(super) fn has_limited(&self) -> bool {
        self.fronts.has_limited()
    }

    /// When the next job became due of a partition that has one to give.
    pub(super) fn due_to_give(&self) -> Option<Timestamp> {
        let partition = self.fronts.iter().find_map(|front| front.partition.as_ref())?;
        self.next_of(partition).map(|(_, run_at, _)| run_at)
    }

    /// A job of a partition was claimed, so the turn of the partition moves on.
    #[inline(never)]
    pub(super) fn took_turn(&mut self, partition: Option<&Partition>) {
        let Some(place) = self.lane(partition).and_then(|lane| lane.place) else { return };
        let next = place.after_job(&self.limits.of(partition).limit);
        self.fronts.present = place.turn;
        self.stand(partition, Some(next));
    }

    /// Finds out where a partition stands after a change to it. True if it has a job to give now
    /// and had none before. One without jobs and without a limit of its own is forgotten.
    #[inline(never)]
    pub(super) fn refresh(&mut self, partition: &Partition) -> bool {
        let in_force = self.limits.of(Some(partition));
        let Some(lane) = self.by_key.get(partition) else { return false };
        let is_kept = in_force.keeps(lane.leases, lane.waiting);
        let opening = lane.opening(&in_force.limit);
        let has_opened = self.put(Some(partition), opening);
        if !is_kept {
            self.by_key.remove(partition);
        }
        has_opened
    }

    /// Finds out where each partition stands, after the limits or many jobs changed.
    pub(super) fn refresh_all(&mut self) {
        let own: Vec<Partition> = self.limits.own().cloned().collect();
        for partition in &own {
            self.lane_mut(partition);
        }
        let all: Vec<Partition> = self.by_key.keys().cloned().collect();
        for partition in &all {
            self.refresh(partition);
        }
    }

    /// Places all partitions where none has a turn, as after a reopening: the one with the fewest
    /// leases comes first, and of several the one whose last claim was the longest ago. All stand
    /// within one step.
    pub(super) fn place_anew(&mut self, claimed: &BTreeMap<Partition, Option<Timestamp>>) {
        let mut all: Vec<(u64, Option<Timestamp>, Partition)> = (self.by_key.iter())
            .map(|(key, lane)| (lane.leases, claimed.get(key).copied().flatten(), key.clone()))
            .collect();
        all.sort_unstable();
        for (nth, (.., partition)) in all.iter().enumerate() {
            self.put(Some(partition), None);
            self.fronts.present = Turn::from_u64(nth as u64);
            self.refresh(partition);
        }
    }

    /// Finds out where the partition of a scope stands, whose limit changed.
    pub(super) fn limit_changed(&mut self, scope: &LimitScope) {
        if let LimitScope::Partition(partition) = scope {
            if self.limits.of(Some(partition)).is_own {
                self.lane_mut(partition);
            }
            self.refresh(partition);
        }
    }

    /// Whether each partition stands where its jobs, leases and limit put it, and whether the jobs
    /// that are set aside are of their kinds.
    pub(super) fn is_sound(&self, is_of_kind: impl Fn(&Kind, Seq) -> bool) -> bool {
        let lanes = self.by_key.iter().map(|(key, lane)| (Some(key.clone()), lane));
        let placed: BTreeSet<PartitionFront> = (lanes.chain([(None, &self.unpartitioned)]))
            .filter_map(|(partition, lane)| Some(PartitionFront::new(partition, lane.place?)))
            .collect();
        let stands_right = |(key, lane): (&Partition, &Lane)| {
            lane.place.map(|place| place.opening) == lane.opening(&self.limits.of(Some(key)).limit)
        };
        let mut aside =
            self.aside.iter().flat_map(|(kind, line)| line.behind(None).map(move |(.., seq)| (kind, seq)));
        let ready: usize = self.by_key.values().map(|lane| lane.ready.len()).sum();
        let set_aside: usize = self.aside.values().map(ReadyIndex::len).sum();
        self.fronts.iter().cloned().collect::<BTreeSet<_>>() == placed
            && self.by_key.iter().all(stands_right)
            && aside.all(|(kind, seq)| is_of_kind(kind, seq))
            && ready + set_aside == self.due.len()
    }

    /// Of each partition its waiting jobs and its leases.
    fn counted(&self) -> BTreeMap<&Partition, (u64, u64)> {
        self.by_key.iter().map(|(key, lane)| (key, (lane.waiting, lane.leases))).collect()
    }

    /// Puts a partition where its opening belongs, or takes it away. True if it stood nowhere
    /// before.
    fn put(&mut self, partition: Option<&Partition>, opening: Option<Opening>) -> bool {
        let former = self.lane(partition).and_then(|lane| lane.place);
        if former.map(|place| place.opening) == opening {
            return false;
        }
        self.stand(partition, None);
        let Some(opening) = opening else { return false };
        let place = opening.kept(former).unwrap_or_else(|| {
            let (present, lowest) = (self.fronts.present, self.fronts.lowest(opening.priority));
            opening.behind(present, lowest, &self.limits.of(partition).limit)
        });
        self.stand(partition, Some(place));
        former.is_none()
    }

    /// Notes where a partition stands, with it and among the fronts.
    fn stand(&mut self, partition: Option<&Partition>, place: Option<TurnPlace>) {
        let lane = match partition {
            Some(partition) => self.by_key.get_mut(partition),
            None => Some(&mut self.unpartitioned),
        };
        let Some(lane) = lane else { return };
        let former = std::mem::replace(&mut lane.place, place);
        if let Some(former) = former {
            self.fronts.remove(partition, former);
        }
        if let Some(place) = place {
            self.fronts.insert(partition, place);
        }
    }

    fn lane(&self, partition: Option<&Partition>) -> Option<&Lane> {
        partition.map_or(Some(&self.unpartitioned), |partition| self.by_key.get(partition))
    }

    fn lane_mut(&mut self, partition: &Partition) -> &mut Lane {
        self.by_key.entry(partition.clone()).or_default()
    }
}

/// What follows from the records: not the turns, and not what was set aside.
impl PartialEq for Partitions {
    fn eq(&self, other: &Self) -> bool {
        self.counted() == other.counted() && self.due == other.due && self.limits == other.limits
    }
}

impl Eq for Partitions {}
