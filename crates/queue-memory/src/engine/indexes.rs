//! The ordered indexes over the jobs of a queue.

use super::{
    limits::QueueLimits,
    packed_job::{PackedJob, Traits},
    partitions::{Counted, Partitions},
    ready_index::{ReadyIndex, ReadyPlace},
};
use queue_core::{Kind, Partition, Seq, State, Tag, Timestamp};
use std::{
    collections::{BTreeMap, BTreeSet},
    iter::Peekable,
    sync::Arc,
};

/// Jobs that wait, by their time.
type TimedIndex = BTreeSet<(Timestamp, Seq, i16)>;

/// The ordered indexes over jobs. Each job is in those that its state calls for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Indexes {
    /// Waiting, known to be due, and without a partition.
    pub(super) ready: ReadyIndex,
    /// Known to be due and met by a claim while their kind was paused: a line for each kind, none
    /// empty. Claims take jobs from the lines of kinds that are not paused: a resume moves none.
    pub(super) aside: BTreeMap<Kind, ReadyIndex>,
    /// The partitions, in a queue that has any, or limits.
    pub(super) partitions: Option<Box<Partitions>>,
    /// Waiting for its time, as known when last looked at.
    pub(super) scheduled: TimedIndex,
    /// Waiting behind a closed gate for its time-out, as known when last looked at.
    pub(super) gated: TimedIndex,
    /// Leased, by lapse.
    pub(super) leases: BTreeSet<(Timestamp, Seq)>,
    /// Terminal, by purge time, unless kept forever.
    pub(super) purges: BTreeSet<(Timestamp, Seq)>,
    /// Terminal, by finish time.
    pub(super) finished: BTreeSet<(Timestamp, Seq)>,
    /// Failing, Failed or Cancelled, by the time at which it came into that state.
    pub(super) failures: BTreeSet<(State, Timestamp, Seq)>,
    /// Those with each tag. None is empty.
    pub(super) tagged: BTreeMap<Tag, BTreeSet<Seq>>,
    by_state: [u64; State::ALL.len()],
}

/// The fields of a job that its index entries are made of.
#[derive(Clone, Debug)]
pub(super) struct IndexKeys {
    seq: Seq,
    state: State,
    priority: i16,
    run_at: Timestamp,
    is_behind_gate: bool,
    expires_at: Option<Timestamp>,
    purge_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    failed_at: Option<Timestamp>,
    /// With its tags and its partition, if it has any.
    labels: Option<Arc<Traits>>,
}

impl IndexKeys {
    pub(super) fn of(job: &PackedJob) -> Self {
        let course = job.course();
        Self {
            seq: job.seq,
            state: job.state,
            priority: job.priority,
            run_at: job.run_at,
            is_behind_gate: course.gate().is_some_and(|gate| gate.is_closed(job.epoch)),
            expires_at: course.lease.as_ref().map(|lease| lease.expires_at),
            purge_at: course.purge_at,
            finished_at: course.finished_at,
            failed_at: course.failed_at,
            labels: job.traits.has_labels().then(|| job.traits.clone()),
        }
    }

    pub(super) fn partition(&self) -> Option<&Partition> {
        self.labels.as_ref()?.partition.as_ref()
    }

    fn tags(&self) -> impl Iterator<Item = &Tag> {
        self.labels.iter().flat_map(|traits| &traits.tags)
    }

    pub(super) fn is_leased(&self) -> bool {
        self.expires_at.is_some()
    }

    /// How it counts in its partition, if it does.
    fn counted(&self) -> Option<(&Partition, Counted)> {
        let partition = self.partition()?;
        let job = Counted { is_waiting: self.state.is_waiting(), is_leased: self.is_leased() };
        (job != Counted::default()).then_some((partition, job))
    }

    /// Its key among [`Indexes::failures`].
    fn failure(&self) -> Option<(State, Timestamp, Seq)> {
        let at = match self.state {
            State::Failing => self.failed_at?,
            State::Failed | State::Cancelled => self.finished_at?,
            State::Queued | State::Processing | State::Completed => return None,
        };
        Some((self.state, at, self.seq))
    }

    fn is_ready(&self, now: Timestamp) -> bool {
        self.state.is_waiting() && self.run_at <= now
    }
}

impl Indexes {
    /// Builds the indexes of many jobs at once: less time and memory than one insert after another.
    pub(super) fn of(places: impl Iterator<Item = IndexKeys>, limits: QueueLimits, now: Timestamp) -> Self {
        let mut partitions = (!limits.is_empty()).then(|| Box::new(Partitions::under(limits)));
        let mut ready = Vec::new();
        let mut scheduled = Vec::new();
        let mut gated = Vec::new();
        let mut leases = Vec::new();
        let mut purges = Vec::new();
        let mut finished = Vec::new();
        let mut failures = Vec::new();
        let mut tagged = BTreeMap::<_, BTreeSet<_>>::new();
        let mut by_state = [0; State::ALL.len()];
        for place in places {
            by_state[usize::from(place.state.as_code())] += 1;
            let due = (place.priority, place.run_at, place.seq);
            if let Some((partition, job)) = place.counted() {
                let partitions = partitions.get_or_insert_default();
                partitions.count(partition, job);
                if place.is_ready(now) {
                    partitions.insert_due(partition, due);
                }
            } else if place.is_ready(now) {
                ready.push(due);
            }
            if place.state.is_waiting() && !place.is_ready(now) {
                let until = if place.is_behind_gate { &mut gated } else { &mut scheduled };
                until.push((place.run_at, place.seq, place.priority));
            }
            leases.extend(place.expires_at.map(|at| (at, place.seq)));
            purges.extend(place.purge_at.map(|at| (at, place.seq)));
            finished.extend(place.finished_at.map(|at| (at, place.seq)));
            failures.extend(place.failure());
            for tag in place.tags() {
                tagged.entry(tag.clone()).or_default().insert(place.seq);
            }
        }
        if let Some(partitions) = &mut partitions {
            partitions.refresh_all();
        }
        Self {
            ready: ReadyIndex::of(ready),
            aside: BTreeMap::new(),
            partitions,
            scheduled: scheduled.into_iter().collect(),
            gated: gated.into_iter().collect(),
            leases: leases.into_iter().collect(),
            purges: purges.into_iter().collect(),
            finished: finished.into_iter().collect(),
            failures: failures.into_iter().collect(),
            tagged,
            by_state,
        }
    }

    pub(super) fn insert(&mut self, place: &IndexKeys, now: Timestamp) {
        self.by_state[usize::from(place.state.as_code())] += 1;
        if let Some((partition, job)) = place.counted() {
            self.partitions.get_or_insert_default().count(partition, job);
        }
        if place.is_ready(now) {
            self.insert_due(place.partition(), (place.priority, place.run_at, place.seq));
        } else if place.state.is_waiting() {
            let until = if place.is_behind_gate { &mut self.gated } else { &mut self.scheduled };
            until.insert((place.run_at, place.seq, place.priority));
        }
        place.expires_at.map(|at| self.leases.insert((at, place.seq)));
        place.purge_at.map(|at| self.purges.insert((at, place.seq)));
        place.finished_at.map(|at| self.finished.insert((at, place.seq)));
        place.failure().map(|failure| self.failures.insert(failure));
        for tag in place.tags() {
            self.tagged.entry(tag.clone()).or_default().insert(place.seq);
        }
    }

    pub(super) fn remove(&mut self, place: &IndexKeys) {
        self.by_state[usize::from(place.state.as_code())] -= 1;
        // The due time does not tell the index: a job whose time has come stays scheduled until a
        // claim or a listing promotes it.
        let due = (place.priority, place.run_at, place.seq);
        if place.state.is_waiting()
            && !self.remove_due(place.partition(), due)
            && !self.scheduled.remove(&(place.run_at, place.seq, place.priority))
            && !self.gated.remove(&(place.run_at, place.seq, place.priority))
        {
            self.remove_aside(due);
        }
        if let (Some((partition, job)), Some(partitions)) = (place.counted(), &mut self.partitions) {
            partitions.uncount(partition, job);
        }
        place.expires_at.map(|at| self.leases.remove(&(at, place.seq)));
        place.purge_at.map(|at| self.purges.remove(&(at, place.seq)));
        place.finished_at.map(|at| self.finished.remove(&(at, place.seq)));
        place.failure().map(|failure| self.failures.remove(&failure));
        for tag in place.tags() {
            let Some(jobs) = self.tagged.get_mut(tag) else { continue };
            jobs.remove(&place.seq);
            if jobs.is_empty() {
                self.tagged.remove(tag);
            }
        }
    }

    /// Takes out the next job whose time, or whose gate's time-out, has come.
    #[inline]
    pub(super) fn pop_timed(&mut self, now: Timestamp) -> Option<ReadyPlace> {
        let is_due = |timed: &TimedIndex| timed.first().is_some_and(|&(run_at, ..)| run_at <= now);
        let timed = if is_due(&self.scheduled) { &mut self.scheduled } else { &mut self.gated };
        let first = if is_due(timed) { timed.pop_first() } else { None };
        first.map(|(run_at, seq, priority)| (priority, run_at, seq))
    }

    pub(super) fn insert_due(&mut self, partition: Option<&Partition>, place: ReadyPlace) {
        match partition {
            Some(partition) => self.partitions.get_or_insert_default().insert_due(partition, place),
            None => self.ready.insert(place.0, place.1, place.2),
        }
    }

    /// Takes a due job out that was not set aside; one with a partition also then.
    fn remove_due(&mut self, partition: Option<&Partition>, place: ReadyPlace) -> bool {
        match (partition, &mut self.partitions) {
            (Some(partition), Some(partitions)) => partitions.remove_due(partition, place),
            _ => self.ready.remove(place.0, place.1, place.2),
        }
    }

    /// Finds out where a partition stands. True if it has a job to give now and had none before.
    pub(super) fn refresh(&mut self, partition: &Partition) -> bool {
        let has_opened = self.partitions.as_mut().is_some_and(|partitions| partitions.refresh(partition));
        self.forget_partitions();
        has_opened
    }

    /// Without a partition or a limit, the queue is one like others.
    pub(super) fn forget_partitions(&mut self) {
        if self.partitions.as_ref().is_some_and(|partitions| partitions.is_empty()) {
            self.partitions = None;
        }
    }

    /// The earliest moment at which a claim could get something; a gate without time-out has none.
    pub(super) fn next_due(&self, now: Timestamp) -> Option<Timestamp> {
        let due = self.ready.oldest();
        let scheduled = self.scheduled.first().map(|&(run_at, ..)| run_at);
        let lapse = self.leases.first().map(|&(expires_at, _)| expires_at);
        let timeout = self.gated.first().map(|&(run_at, ..)| run_at).filter(|run_at| !run_at.is_far(now));
        let soonest = [due, scheduled, timeout, lapse].into_iter().flatten().min();
        let Some(partitions) = &self.partitions else { return soonest };
        soonest.into_iter().chain(partitions.due_to_give()).min()
    }

    /// When the oldest job became due, whether its kind is paused or not.
    pub(super) fn oldest_due(&self) -> Option<Timestamp> {
        let in_turn = self.partitions.as_ref().and_then(|partitions| partitions.due.oldest());
        let aside = self.aside.values().filter_map(ReadyIndex::oldest);
        aside.chain(self.ready.oldest()).chain(in_turn).min()
    }

    /// The due jobs in claim order, from behind this one on, whether their kinds are paused or not.
    pub(super) fn due_behind(&self, after: Option<ReadyPlace>) -> impl Iterator<Item = Seq> {
        let in_turn = self.partitions.iter().map(|partitions| &partitions.due);
        let lines = std::iter::once(&self.ready).chain(self.aside.values()).chain(in_turn);
        let mut lines: Vec<_> = lines.map(|line| line.behind(after).peekable()).collect();
        std::iter::from_fn(move || {
            let first = |line: &mut Peekable<_>| line.peek().copied();
            let next = match &mut lines[..] {
                [one] => one.next(),
                lines => {
                    let heads = lines.iter_mut().filter_map(|line| Some((first(line)?, line)));
                    heads.min_by_key(|(head, _)| *head).and_then(|(_, line)| line.next())
                }
            };
            next.map(|(.., seq)| seq)
        })
    }

    fn remove_aside(&mut self, (priority, run_at, seq): ReadyPlace) {
        let emptied = self.aside.iter_mut().find_map(|(kind, line)| {
            line.remove(priority, run_at, seq).then(|| (line.len() == 0).then(|| kind.clone()))
        });
        emptied.flatten().map(|kind| self.aside.remove(&kind));
    }

    pub(super) fn count(&self, state: State) -> u64 {
        self.by_state[usize::from(state.as_code())]
    }
}
