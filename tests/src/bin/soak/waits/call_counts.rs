//! The counted outcomes of all calls, and the complaints about wrong ones.

use queue_e2e::Latencies;
use std::{fmt, time::Duration};

/// The most complaints that are kept; the others are counted.
const COMPLAINTS_MAX: usize = 10;

/// The outcomes of the calls.
#[derive(Debug, Default)]
pub(super) struct CallCounts {
    pub(super) latencies: Latencies,
    pub(super) right: u64,
    pub(super) wrong: u64,
    pub(super) complaints: Vec<String>,
    /// Waits that ended too long after their deadline.
    pub(super) late: u64,
    /// The longest time that any wait took beyond its deadline.
    pub(super) over_max: Duration,
    /// Calls that the store refused at first.
    pub(super) asked_again: u64,
    /// Second callers of a job, all answered like the first.
    pub(super) seconds: u64,
    /// Callers that were dropped in the middle.
    pub(super) gave_up: u64,
    /// Callers whose short deadline passed first.
    pub(super) timed_out: u64,
}

impl CallCounts {
    pub(super) fn complain(&mut self, complaint: String) {
        self.wrong += 1;
        if self.complaints.len() < COMPLAINTS_MAX {
            self.complaints.push(complaint);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.latencies.append(other.latencies);
        self.right += other.right;
        self.wrong += other.wrong;
        self.complaints.extend(other.complaints);
        self.complaints.truncate(COMPLAINTS_MAX);
        self.late += other.late;
        self.over_max = self.over_max.max(other.over_max);
        self.asked_again += other.asked_again;
        self.seconds += other.seconds;
        self.gave_up += other.gave_up;
        self.timed_out += other.timed_out;
    }
}

impl fmt::Display for CallCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { right, wrong, late, over_max, .. } = self;
        writeln!(f, "{right} right, {wrong} wrong, {late} late (at most {over_max:.1?} over a deadline)")?;
        let Self { asked_again, seconds, gave_up, timed_out, latencies, .. } = self;
        writeln!(
            f,
            "    {seconds} second callers, {gave_up} gave up, {timed_out} timed out early, {asked_again} asked again"
        )?;
        write!(f, "    {latencies}")
    }
}
