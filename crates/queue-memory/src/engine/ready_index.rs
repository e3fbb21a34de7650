//! The due jobs of a queue in claim order.

use queue_core::{Seq, Timestamp};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};

/// The place of a job in claim order: priority, due time and life.
pub(super) type ReadyPlace = (i16, Timestamp, Seq);

/// Jobs that are due, in claim order: by priority, then by the time at which they became due, then
/// by life.
///
/// There is an ordered set per priority, and an index of these sets by their first job, so that
/// neither the next job nor the oldest one costs more than the logarithm of the priorities in use.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ReadyIndex {
    /// None of them is empty.
    lines: BTreeMap<i16, BTreeSet<(Timestamp, Seq)>>,
    /// When the first job of each line became due.
    firsts: BTreeSet<(Timestamp, i16)>,
    len: usize,
}

impl ReadyIndex {
    /// A whole backlog at once, which packs it more densely than one job after another.
    pub(super) fn of(mut jobs: Vec<(i16, Timestamp, Seq)>) -> Self {
        jobs.sort_unstable();
        let len = jobs.len();
        let line = |of_one: &[(i16, Timestamp, Seq)]| {
            (of_one[0].0, of_one.iter().map(|&(_, run_at, seq)| (run_at, seq)).collect())
        };
        let lines: BTreeMap<i16, BTreeSet<_>> = jobs.chunk_by(|a, b| a.0 == b.0).map(line).collect();
        let first = |(priority, line): (&i16, &BTreeSet<(Timestamp, Seq)>)| {
            line.first().map(|&(run_at, _)| (run_at, *priority))
        };
        let firsts = lines.iter().filter_map(first).collect();
        Self { lines, firsts, len }
    }

    pub(super) fn insert(&mut self, priority: i16, run_at: Timestamp, seq: Seq) {
        let line = self.lines.entry(priority).or_default();
        let former = line.first().map(|&(run_at, _)| run_at);
        self.len += usize::from(line.insert((run_at, seq)));
        if former.is_none_or(|former| run_at < former) {
            former.map(|former| self.firsts.remove(&(former, priority)));
            self.firsts.insert((run_at, priority));
        }
    }

    /// Takes a job out; false if it was not there.
    pub(super) fn remove(&mut self, priority: i16, run_at: Timestamp, seq: Seq) -> bool {
        let Some(line) = self.lines.get_mut(&priority) else { return false };
        let Some(&(former, _)) = line.first() else { return false };
        if !line.remove(&(run_at, seq)) {
            return false;
        }
        self.len -= 1;
        // `firsts` names only the first job of a line, so it changes only with that one.
        let first = line.first().map(|&(run_at, _)| run_at);
        if first != Some(former) {
            self.firsts.remove(&(former, priority));
            self.firsts.extend(first.map(|first| (first, priority)));
        }
        if first.is_none() {
            self.lines.remove(&priority);
        }
        true
    }

    /// The job to be claimed next, with its place.
    pub(super) fn first(&self) -> Option<ReadyPlace> {
        let (priority, line) = self.lines.first_key_value()?;
        line.first().map(|&(run_at, seq)| (*priority, run_at, seq))
    }

    /// When the oldest job of all priorities became due.
    pub(super) fn oldest(&self) -> Option<Timestamp> {
        self.firsts.first().map(|&(run_at, _)| run_at)
    }

    /// In claim order, from behind this job on.
    pub(super) fn behind(&self, after: Option<ReadyPlace>) -> impl Iterator<Item = ReadyPlace> {
        let first = after.map_or(i16::MIN, |(priority, ..)| priority);
        let of_line = move |(priority, line): (&i16, _)| {
            let (priority, line): (i16, &BTreeSet<(Timestamp, Seq)>) = (*priority, line);
            let begin = match after {
                Some((first, run_at, seq)) if first == priority => Bound::Excluded((run_at, seq)),
                _ => Bound::Unbounded,
            };
            let behind = line.range((begin, Bound::Unbounded));
            behind.map(move |&(run_at, seq)| (priority, run_at, seq))
        };
        self.lines.range(first..).flat_map(of_line)
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::{Rng, SeededRng};

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(i64::try_from(millis).expect("it is small"))
    }

    /// It must answer as a plain sorted set does, in every order of additions and removals.
    #[test]
    fn it_answers_as_a_sorted_set_does() {
        for seed in 0..64 {
            let rng = SeededRng::new(seed);
            let mut ready = ReadyIndex::default();
            let mut set = BTreeSet::new();
            for _ in 0..200 {
                let below = |n: u64| rng.next_u64() % n;
                let job = (i16::try_from(below(4)).expect("it is small"), at(below(5)), Seq::new(below(6)));
                if below(2) == 0 {
                    ready.insert(job.0, job.1, job.2);
                    set.insert(job);
                } else {
                    assert_eq!(ready.remove(job.0, job.1, job.2), set.remove(&job), "seed {seed}");
                }
                assert_eq!(ready.first(), set.first().copied(), "seed {seed}");
                assert_eq!(ready.oldest(), set.iter().map(|job| job.1).min(), "seed {seed}");
                assert_eq!(ready.len(), set.len(), "seed {seed}");
            }
            assert_eq!(ready, ReadyIndex::of(set.into_iter().collect()), "seed {seed}");
        }
    }
}
