//! What a run on one store showed, as a row of a table.

use super::{observer::Sights, overlaps::Overlaps};
use std::{fmt, time::Duration};

#[derive(Debug)]
pub(super) struct Row {
    pub(super) jobs: usize,
    /// The handlers that ran beyond one of each job.
    pub(super) again: usize,
    pub(super) kills: u32,
    pub(super) sights: Sights,
    pub(super) overlaps: Overlaps,
    pub(super) drained: Duration,
}

impl Row {
    pub(super) const HEADER: &str = "store         jobs  again  kills   looks  most leases  most handlers  explained  unexplained  due by a free slot  drained";
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { jobs, again, kills, sights, overlaps, drained } = self;
        let Sights { looks, leases_max, idle_max, .. } = sights;
        let Overlaps { most, explained, unexplained } = overlaps;
        let (idle, drained) = (idle_max.as_secs_f64(), drained.as_secs_f64());
        write!(f, "{jobs:>8}{again:>7}{kills:>7}{looks:>8}{leases_max:>13}{most:>15}{explained:>11}")?;
        write!(f, "{unexplained:>13}{idle:>18.3} s{drained:>7.1} s")
    }
}
