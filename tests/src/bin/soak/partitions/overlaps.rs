//! How many handlers of one partition ran at the same moment, by their own logs.
//!
//! A limit counts leases, and a handler whose lease has lapsed may run beside its successor. So
//! overlaps are counted twice: of all handlers, and of those that certainly had a lease. A second
//! count above the limit shows a defect of the store.

use super::handler_log::HandlerRun;
use std::{collections::HashMap, time::Duration};

/// What the logs say of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Overlaps {
    /// The most handlers of one partition at once, those without a lease included.
    pub(super) most: usize,
    /// The starts of handlers at which more than the limit ran, and a lapsed lease explains it.
    pub(super) explained: usize,
    /// Those that nothing explains.
    pub(super) unexplained: usize,
}

impl Overlaps {
    /// Counts the overlaps of handlers. A job that was claimed again had lost its lease, at the
    /// earliest one lease after the claim before. Half of it is left for the way from that claim to
    /// the handler, so such a handler certainly had its lease for the other half.
    pub(super) fn of(runs: &[HandlerRun], limit: usize, lease: Duration) -> Self {
        let mut last_epochs: HashMap<&str, u64> = HashMap::new();
        for run in runs {
            let last = last_epochs.entry(&run.job).or_default();
            *last = run.epoch.max(*last);
        }
        let (mut all, mut leased) = (HashMap::new(), HashMap::new());
        for run in runs {
            let end = run.end.unwrap_or(Duration::MAX);
            let is_last = last_epochs.get(&*run.job) == Some(&run.epoch);
            let leased_to = if is_last { end } else { end.min(run.start + lease / 2) };
            for (spans, end) in [(&mut all, end), (&mut leased, leased_to)] {
                let of_partition: &mut Vec<_> = spans.entry(&*run.partition).or_default();
                of_partition.push((run.start, end));
            }
        }
        let (most, over) = over_all(all, limit);
        let (_, unexplained) = over_all(leased, limit);
        Self { most, explained: over.saturating_sub(unexplained), unexplained }
    }
}

/// A span of time: its start, and its end, which does not belong to it.
type Span = (Duration, Duration);

/// The most spans of one partition at once, and how many began beside as many as the limit.
fn over_all(partitions: HashMap<&str, Vec<Span>>, limit: usize) -> (usize, usize) {
    let each = partitions.into_values().map(|spans| over_one(&spans, limit));
    each.fold((0, 0), |(most, over), (its_most, its_over)| (most.max(its_most), over + its_over))
}

fn over_one(spans: &[Span], limit: usize) -> (usize, usize) {
    // An end sorts before a start at the same time.
    let mut edges: Vec<(Duration, bool)> =
        spans.iter().flat_map(|(start, end)| [(*start, true), (*end, false)]).collect();
    edges.sort_unstable();
    let (mut at_once, mut most, mut over) = (0_usize, 0, 0);
    for (_, is_start) in edges {
        if is_start {
            at_once += 1;
            over += usize::from(at_once > limit);
            most = most.max(at_once);
        } else {
            at_once = at_once.saturating_sub(1);
        }
    }
    (most, over)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(10);

    fn run(partition: &str, job: &str, epoch: u64, start: u64, end: u64) -> HandlerRun {
        let at = Duration::from_secs;
        let (partition, job) = (partition.to_owned(), job.to_owned());
        HandlerRun { partition, job, epoch, start: at(start), end: Some(at(end)), has_ended: true }
    }

    #[test]
    fn handlers_of_other_partitions_and_before_the_start_do_not_count() {
        let runs = [run("a", "1", 1, 0, 5), run("b", "2", 1, 1, 4), run("a", "3", 1, 5, 6)];
        assert_eq!(Overlaps::of(&runs, 1, LEASE), Overlaps { most: 1, ..Overlaps::default() });
    }

    #[test]
    fn one_more_than_the_limit_is_unexplained() {
        let runs = [run("a", "1", 1, 0, 5), run("a", "2", 1, 1, 4), run("a", "3", 1, 3, 6)];
        let expected = Overlaps { most: 3, explained: 0, unexplained: 1 };
        assert_eq!(Overlaps::of(&runs, 2, LEASE), expected);
    }

    #[test]
    fn a_handler_that_goes_on_without_its_lease_explains_an_overlap() {
        let lapsed = run("a", "1", 1, 0, 14);
        let runs = [lapsed.clone(), run("a", "1", 2, 11, 12), run("a", "2", 1, 13, 15)];
        assert_eq!(Overlaps::of(&runs, 1, LEASE), Overlaps { most: 2, explained: 2, unexplained: 0 });
        let too_early = [lapsed, run("a", "1", 2, 11, 12), run("a", "2", 1, 3, 4)];
        assert_eq!(Overlaps::of(&too_early, 1, LEASE).unexplained, 1);
    }
}
