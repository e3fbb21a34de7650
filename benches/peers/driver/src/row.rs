//! The rows of the tables: what is measured, with which settings.

use std::time::Duration;

/// A workload with the settings of the queues. The names of workloads are the names on the peers'
/// command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) workload: &'static str,
    pub(crate) profile: &'static str,
    pub(crate) unit: Unit,
    pub(crate) title: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    JobsPerSecond,
    Milliseconds,
}

pub(crate) const DEFAULT: &str = "default";
pub(crate) const TUNED: &str = "tuned";
pub(crate) const DRAIN: &str = "drain";

pub(crate) const ROWS: &[Row] = &[
    rate(DRAIN, DEFAULT, "one worker drains, defaults"),
    rate(DRAIN, TUNED, "one worker drains, tuned"),
    rate("enqueue_seq", DEFAULT, "enqueue one at a time"),
    rate("enqueue_c64", DEFAULT, "enqueue by 64 callers"),
    rate("enqueue_batch", DEFAULT, "enqueue 1,000 a call"),
    rate("call_c50", DEFAULT, "50 calls at once, defaults"),
    rate("call_c50", TUNED, "50 calls at once, tuned"),
    latency("pickup", DEFAULT, "pickup, defaults"),
    latency("pickup", TUNED, "pickup, tuned"),
    latency("call", DEFAULT, "call, defaults"),
    latency("call", TUNED, "call, tuned"),
];

const fn rate(workload: &'static str, profile: &'static str, title: &'static str) -> Row {
    Row { workload, profile, unit: Unit::JobsPerSecond, title }
}

const fn latency(workload: &'static str, profile: &'static str, title: &'static str) -> Row {
    Row { workload, profile, unit: Unit::Milliseconds, title }
}

/// How much one process is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Amount {
    /// Jobs of a drain, or samples of a latency; a peer makes ten times as many calls at once.
    pub(crate) jobs: u64,
    /// After this a peer ends its measurement with what it has.
    pub(crate) cap: Duration,
}

impl Amount {
    /// Twenty thousand jobs are enough for a first look at a drain.
    pub(crate) fn first(row: Row, drain_max: Option<u64>, is_quick: bool) -> Self {
        let seconds = |whole: u64| Duration::from_secs(if is_quick { whole / 2 } else { whole });
        match (row.workload, row.unit) {
            (DRAIN, _) => {
                let jobs = if is_quick { 5_000 } else { 20_000 };
                Self { jobs: drain_max.unwrap_or(jobs).min(jobs), cap: seconds(4) }
            }
            (_, Unit::JobsPerSecond) => Self { jobs: 200, cap: seconds(4) },
            (_, Unit::Milliseconds) => Self { jobs: if is_quick { 50 } else { 200 }, cap: seconds(8) },
        }
    }

    /// For a peer that drains the first amount in less than a second.
    pub(crate) fn grown(self) -> Self {
        Self { jobs: self.jobs * 5, cap: Duration::from_secs(30) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Amount, ROWS};

    #[test]
    fn a_peer_drains_no_more_than_it_can() {
        assert_eq!(Amount::first(ROWS[0], Some(1000), false).jobs, 1000);
        assert_eq!(Amount::first(ROWS[0], Some(7500), true).jobs, 5000);
        assert_eq!(Amount::first(ROWS[0], None, false).grown().jobs, 100_000);
    }
}
