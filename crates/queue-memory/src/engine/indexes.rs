use queue_core::{JobMeta, Seq, State, Timestamp};
use std::{collections::BTreeSet, ops::Bound};

/// The orders in which jobs are looked for. Each job stands in those that its state calls for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Indexes {
    /// Waiting and known to be due, in claim order.
    pub(super) ready: BTreeSet<(i16, Timestamp, Seq)>,
    /// Waiting for its time, as known when last looked at.
    pub(super) scheduled: BTreeSet<(Timestamp, Seq, i16)>,
    /// Leased, by lapse.
    pub(super) leases: BTreeSet<(Timestamp, Seq)>,
    /// Terminal, by purge time, unless kept forever.
    pub(super) purges: BTreeSet<(Timestamp, Seq)>,
    /// Terminal, by finish time.
    pub(super) finished: BTreeSet<(Timestamp, Seq)>,
    by_state: [u64; State::ALL.len()],
}

/// Those parts of a job that decide where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    seq: Seq,
    state: State,
    priority: i16,
    run_at: Timestamp,
    expires_at: Option<Timestamp>,
    purge_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
}

impl Place {
    pub(super) fn of(job: &JobMeta) -> Self {
        Self {
            seq: job.seq,
            state: job.state,
            priority: job.priority,
            run_at: job.run_at,
            expires_at: job.lease.as_ref().map(|lease| lease.expires_at),
            purge_at: job.purge_at,
            finished_at: job.finished_at,
        }
    }
}

impl Indexes {
    pub(super) fn insert(&mut self, place: Place, now: Timestamp) {
        self.by_state[usize::from(place.state.as_code())] += 1;
        if place.state.is_waiting() && place.run_at <= now {
            self.ready.insert((place.priority, place.run_at, place.seq));
        } else if place.state.is_waiting() {
            self.scheduled.insert((place.run_at, place.seq, place.priority));
        }
        self.leases.extend(place.expires_at.map(|at| (at, place.seq)));
        self.purges.extend(place.purge_at.map(|at| (at, place.seq)));
        self.finished.extend(place.finished_at.map(|at| (at, place.seq)));
    }

    pub(super) fn remove(&mut self, place: Place) {
        self.by_state[usize::from(place.state.as_code())] -= 1;
        if place.state.is_waiting() && !self.ready.remove(&(place.priority, place.run_at, place.seq)) {
            self.scheduled.remove(&(place.run_at, place.seq, place.priority));
        }
        place.expires_at.map(|at| self.leases.remove(&(at, place.seq)));
        place.purge_at.map(|at| self.purges.remove(&(at, place.seq)));
        place.finished_at.map(|at| self.finished.remove(&(at, place.seq)));
    }

    /// Moves what has become due. Every job is moved once, so this costs nothing over time.
    pub(super) fn promote(&mut self, now: Timestamp) {
        while let Some(&(run_at, seq, priority)) = self.scheduled.first() {
            if run_at > now {
                return;
            }
            self.scheduled.pop_first();
            self.ready.insert((priority, run_at, seq));
        }
    }

    /// The earliest moment at which a claim could get something.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let due = self.oldest_due();
        let scheduled = self.scheduled.first().map(|&(run_at, ..)| run_at);
        let lapse = self.leases.first().map(|&(expires_at, _)| expires_at);
        [due, scheduled, lapse].into_iter().flatten().min()
    }

    /// When the oldest ready job became due: the first of each priority in turn.
    pub(super) fn oldest_due(&self) -> Option<Timestamp> {
        let mut oldest = None;
        let mut next = self.ready.first();
        while let Some(&(priority, run_at, _)) = next {
            oldest = Some(oldest.map_or(run_at, |oldest: Timestamp| oldest.min(run_at)));
            let end_of_priority = (priority, Timestamp::from_millis(i64::MAX), Seq::new(u64::MAX));
            next = self.ready.range((Bound::Excluded(end_of_priority), Bound::Unbounded)).next();
        }
        oldest
    }

    pub(super) fn count(&self, state: State) -> u64 {
        self.by_state[usize::from(state.as_code())]
    }
}
