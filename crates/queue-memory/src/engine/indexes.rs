//! The ordered indexes over the jobs of a queue.

use super::{
    packed_job::PackedJob,
    ready_index::{ReadyIndex, ReadyPlace},
};
use queue_core::{Kind, Seq, State, Tag, Tags, Timestamp};
use std::{
    collections::{BTreeMap, BTreeSet},
    iter::Peekable,
};

/// The ordered indexes over jobs. Each job is in those that its state calls for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Indexes {
    /// Waiting and known to be due.
    pub(super) ready: ReadyIndex,
    /// Known to be due and met by a claim while their kind was paused: a line for each kind, none
    /// of which is empty. A claim takes its jobs from `ready` and from the lines of kinds that are
    /// not paused, so that a resume moves no job.
    pub(super) aside: BTreeMap<Kind, ReadyIndex>,
    /// Waiting for its time, as known when last looked at.
    pub(super) scheduled: BTreeSet<(Timestamp, Seq, i16)>,
    /// Waiting behind a closed gate for its time-out, as known when last looked at.
    pub(super) gated: BTreeSet<(Timestamp, Seq, i16)>,
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
    tags: Tags,
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
            tags: job.traits.tags.clone(),
        }
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
    /// Builds the indexes of many jobs at once, which takes less time and memory than one insert
    /// after another.
    pub(super) fn of(places: impl Iterator<Item = IndexKeys>, now: Timestamp) -> Self {
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
            if place.is_ready(now) {
                ready.push((place.priority, place.run_at, place.seq));
            } else if place.state.is_waiting() {
                let until = if place.is_behind_gate { &mut gated } else { &mut scheduled };
                until.push((place.run_at, place.seq, place.priority));
            }
            leases.extend(place.expires_at.map(|at| (at, place.seq)));
            purges.extend(place.purge_at.map(|at| (at, place.seq)));
            finished.extend(place.finished_at.map(|at| (at, place.seq)));
            failures.extend(place.failure());
            for tag in &place.tags {
                tagged.entry(tag.clone()).or_default().insert(place.seq);
            }
        }
        Self {
            ready: ReadyIndex::of(ready),
            aside: BTreeMap::new(),
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
        if place.is_ready(now) {
            self.ready.insert(place.priority, place.run_at, place.seq);
        } else if place.state.is_waiting() {
            let until = if place.is_behind_gate { &mut self.gated } else { &mut self.scheduled };
            until.insert((place.run_at, place.seq, place.priority));
        }
        place.expires_at.map(|at| self.leases.insert((at, place.seq)));
        place.purge_at.map(|at| self.purges.insert((at, place.seq)));
        place.finished_at.map(|at| self.finished.insert((at, place.seq)));
        place.failure().map(|failure| self.failures.insert(failure));
        for tag in &place.tags {
            self.tagged.entry(tag.clone()).or_default().insert(place.seq);
        }
    }

    pub(super) fn remove(&mut self, place: &IndexKeys) {
        self.by_state[usize::from(place.state.as_code())] -= 1;
        // The due time does not tell the index: a job whose time has come stays scheduled until a
        // claim or a listing promotes it.
        if place.state.is_waiting()
            && !self.ready.remove(place.priority, place.run_at, place.seq)
            && !self.scheduled.remove(&(place.run_at, place.seq, place.priority))
            && !self.gated.remove(&(place.run_at, place.seq, place.priority))
        {
            self.remove_aside((place.priority, place.run_at, place.seq));
        }
        place.expires_at.map(|at| self.leases.remove(&(at, place.seq)));
        place.purge_at.map(|at| self.purges.remove(&(at, place.seq)));
        place.finished_at.map(|at| self.finished.remove(&(at, place.seq)));
        place.failure().map(|failure| self.failures.remove(&failure));
        for tag in &place.tags {
            let Some(jobs) = self.tagged.get_mut(tag) else { continue };
            jobs.remove(&place.seq);
            if jobs.is_empty() {
                self.tagged.remove(tag);
            }
        }
    }

    /// Moves due jobs from the scheduled to the ready ones, and jobs whose gate has timed out. Each
    /// job moves once, so the amortized cost is constant.
    pub(super) fn promote(&mut self, now: Timestamp) {
        for waiting in [&mut self.scheduled, &mut self.gated] {
            while let Some(&(run_at, seq, priority)) = waiting.first()
                && run_at <= now
            {
                waiting.pop_first();
                self.ready.insert(priority, run_at, seq);
            }
        }
    }

    /// The earliest moment at which a claim could get something. The end of the wait behind a gate
    /// without a time-out is no such moment.
    pub(super) fn next_due(&self, now: Timestamp) -> Option<Timestamp> {
        let due = self.ready.oldest();
        let scheduled = self.scheduled.first().map(|&(run_at, ..)| run_at);
        let lapse = self.leases.first().map(|&(expires_at, _)| expires_at);
        let timeout = self.gated.first().map(|&(run_at, ..)| run_at).filter(|run_at| !run_at.is_far(now));
        [due, scheduled, timeout, lapse].into_iter().flatten().min()
    }

    /// When the oldest job became due, whether its kind is paused or not.
    pub(super) fn oldest_due(&self) -> Option<Timestamp> {
        self.aside.values().filter_map(ReadyIndex::oldest).chain(self.ready.oldest()).min()
    }

    /// The due jobs in claim order, from behind this one on, whether their kinds are paused or not.
    pub(super) fn due_behind(&self, after: Option<ReadyPlace>) -> impl Iterator<Item = Seq> {
        let lines = std::iter::once(&self.ready).chain(self.aside.values());
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
