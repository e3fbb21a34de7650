//! One state of the protocol: jobs of two partitions, slips, rows and claimers.

use crate::{Property, step::Step};

pub(crate) const JOBS: usize = 5;
pub(crate) const PARTITIONS: usize = 2;
pub(crate) const CLAIMERS: usize = 2;
/// The partition of each job.
pub(crate) const PARTITION_OF: [usize; JOBS] = [0, 0, 1, 1, 1];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Phase {
    Absent,
    /// A caller's transaction that has enqueued it is open.
    Enqueuing,
    Waiting,
    /// A claimer has leased it and has not committed.
    Claimed(usize),
    Leased,
    /// A transaction that ends its lease is open: a settle, or a rescue by a stranger.
    Ending,
    Done,
}

/// What a snapshot has: committed leases, and which jobs wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Seen {
    pub(crate) leases: [usize; PARTITIONS],
    pub(crate) waits: [bool; JOBS],
    pub(crate) limits: [usize; PARTITIONS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Claim {
    Idle,
    /// Of a broken variant: it waits for the lock with the snapshot of its statement.
    Waits(Seen),
    /// It holds the lock, and has taken these slips.
    Took {
        taken: [u8; PARTITIONS],
        seen: Option<Seen>,
    },
    /// It has leased jobs and written which partitions are open, and has not committed.
    Looked {
        taken: [u8; PARTITIONS],
        open: [bool; PARTITIONS],
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) jobs: [Phase; JOBS],
    /// Committed slips; two stand for more.
    pub(crate) slips: [u8; PARTITIONS],
    /// Whether a claim comes to the partition without a slip.
    pub(crate) open: [bool; PARTITIONS],
    pub(crate) limits: [usize; PARTITIONS],
    pub(crate) claims: [Claim; CLAIMERS],
    /// How often a limit may yet change, and a job come to wait once more when its lease ends.
    pub(crate) changes: u8,
    pub(crate) returns: u8,
}

impl State {
    pub(crate) fn start() -> Self {
        Self {
            jobs: [Phase::Absent; JOBS],
            slips: [0; PARTITIONS],
            open: [false; PARTITIONS],
            limits: [1, 2],
            claims: [Claim::Idle; CLAIMERS],
            changes: 1,
            returns: 1,
        }
    }

    /// Jobs of one partition are alike, and so are claimers: states that differ in their names
    /// alone are one.
    pub(crate) fn canonical(mut self) -> Self {
        if self.claims[0] == Claim::Idle && self.claims[1] != Claim::Idle {
            self.claims.swap(0, 1);
            for job in &mut self.jobs {
                if let Phase::Claimed(by) = job {
                    *by = 1 - *by;
                }
            }
        }
        let has_snapshot =
            |claim: &Claim| matches!(claim, Claim::Waits(_) | Claim::Took { seen: Some(_), .. });
        if !self.claims.iter().any(has_snapshot) {
            self.jobs[..2].sort_unstable();
            self.jobs[2..].sort_unstable();
        }
        self
    }

    pub(crate) fn of(&self, partition: usize) -> impl Iterator<Item = &Phase> {
        let jobs = self.jobs.iter().zip(PARTITION_OF);
        jobs.filter(move |(_, of)| *of == partition).map(|(job, _)| job)
    }

    /// The leases that a snapshot of this moment has.
    pub(crate) fn committed(&self, partition: usize) -> usize {
        self.of(partition).filter(|job| matches!(job, Phase::Leased | Phase::Ending)).count()
    }

    /// All leases, those that are not committed too.
    pub(crate) fn leases(&self, partition: usize) -> usize {
        let is_leased = |job: &&Phase| matches!(job, Phase::Leased | Phase::Ending | Phase::Claimed(_));
        self.of(partition).filter(is_leased).count()
    }

    pub(crate) fn waits(&self, partition: usize) -> bool {
        self.of(partition).any(|job| *job == Phase::Waiting)
    }

    pub(crate) fn snapshot(&self) -> Seen {
        Seen {
            leases: [0, 1].map(|partition| self.committed(partition)),
            waits: self.jobs.map(|job| job == Phase::Waiting),
            limits: self.limits,
        }
    }

    pub(crate) fn is_crowded(&self) -> bool {
        (0..PARTITIONS).all(|it| self.waits(it) && self.leases(it) == self.limits[it])
    }

    /// The property that this state breaks, if a step led to it.
    pub(crate) fn check(&self, step: &Step) -> Option<Property> {
        if let Step::CommitClaim { leased, .. } = step {
            let is_above = |it: usize| leased[it] > 0 && self.leases(it) > self.limits[it];
            if (0..PARTITIONS).any(is_above) {
                return Some(Property::NeverAbove);
            }
        }
        let is_at_rest = self.claims == [Claim::Idle; CLAIMERS]
            && !self.jobs.iter().any(|job| matches!(job, Phase::Enqueuing | Phase::Ending));
        let is_stuck = |it: usize| {
            self.waits(it) && self.leases(it) < self.limits[it] && self.slips[it] == 0 && !self.open[it]
        };
        (is_at_rest && (0..PARTITIONS).any(is_stuck)).then_some(Property::NeverStuck)
    }
}
