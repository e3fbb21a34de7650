//! What others reach, and what we mean to reach.
//!
//! All of it was measured by us in an earlier run on a machine with 2 cores, client and server
//! sharing them: the best of the other queues for that store, Redis 7.0 without persistence,
//! Postgres 15 with its default settings and synchronous commit. So rates are rates of that run,
//! and what compares with it is the ratio to the floor of the same run.

use crate::{scenario::Scenario, store::StoreKind};

/// One line of the table of goals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub(super) store: StoreKind,
    pub(super) scenario: Scenario,
    pub(super) unit: Unit,
    /// The best of the others, with its default settings and at its best.
    pub(super) others: (Option<f64>, Option<f64>),
    /// The floor there.
    pub(super) floor: Option<f64>,
    pub(super) goal: f64,
    /// With a setting that is not the default.
    pub(super) goal_tuned: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    PerSecond,
    /// The median.
    Ms,
}

pub(super) const REFERENCES: &[Reference] = &[
    rate(StoreKind::Redis, Scenario::Drain, [7_300, 68_700, 196_000], 90_000).tuned(120_000),
    rate(StoreKind::Redis, Scenario::EnqueueSeq, [8_400, 0, 0], 9_000),
    rate(StoreKind::Redis, Scenario::EnqueueC64, [75_800, 0, 0], 110_000),
    rate(StoreKind::Redis, Scenario::EnqueueBatch, [100_800, 0, 163_000], 150_000),
    ms(StoreKind::Redis, Scenario::Pickup, Some(0.32), Some(0.12), 0.20),
    ms(StoreKind::Redis, Scenario::Call, Some(0.57), Some(0.12), 0.30),
    rate(StoreKind::Redis, Scenario::CallC50, [12_000, 0, 0], 30_000),
    rate(StoreKind::Postgres, Scenario::Drain, [6_000, 29_300, 127_000], 35_000).tuned(65_000),
    rate(StoreKind::Postgres, Scenario::EnqueueSeq, [1_400, 0, 3_500], 3_000),
    rate(StoreKind::Postgres, Scenario::EnqueueC64, [3_000, 0, 0], 40_000),
    rate(StoreKind::Postgres, Scenario::EnqueueBatch, [64_000, 0, 305_000], 150_000),
    ms(StoreKind::Postgres, Scenario::Pickup, Some(1.7), Some(0.3), 1.0),
    ms(StoreKind::Postgres, Scenario::Call, Some(4.8), Some(0.3), 2.0),
    // The other one at NORMAL.
    rate(StoreKind::SqliteFull, Scenario::Drain, [660, 25_000, 450_000], 120_000).tuned(200_000),
    rate(StoreKind::SqliteFull, Scenario::EnqueueSeq, [1_600, 0, 6_300], 5_000),
    rate(StoreKind::SqliteFull, Scenario::EnqueueC64, [32_800, 0, 0], 100_000),
    rate(StoreKind::SqliteFull, Scenario::EnqueueBatch, [162_000, 0, 1_100_000], 500_000),
    ms(StoreKind::SqliteFull, Scenario::Pickup, Some(1.5), Some(0.16), 0.5),
    ms(StoreKind::SqliteFull, Scenario::Call, Some(3.5), Some(0.16), 1.0),
    rate(StoreKind::File, Scenario::Drain, [130, 300, 320_000], 100_000).tuned(150_000),
    rate(StoreKind::File, Scenario::EnqueueSeq, [560, 0, 4_700], 4_000),
    rate(StoreKind::File, Scenario::EnqueueC64, [1_060, 0, 0], 100_000),
    rate(StoreKind::File, Scenario::EnqueueBatch, [0, 0, 0], 300_000),
    ms(StoreKind::File, Scenario::Pickup, Some(4.5), Some(0.21), 0.4),
    ms(StoreKind::File, Scenario::Call, Some(9.5), Some(0.21), 0.8),
    rate(StoreKind::Memory, Scenario::Drain, [22_500, 0, 0], 500_000),
    ms(StoreKind::Memory, Scenario::Call, Some(0.024), None, 0.010),
];

/// The other at its defaults and tuned, and the floor; 0 where there is none.
const fn rate(
    store: StoreKind,
    scenario: Scenario,
    [default, tuned, floor]: [u32; 3],
    goal: u32,
) -> Reference {
    let others = (known(default), known(tuned));
    let floor = known(floor);
    let goal = goal as f64;
    Reference { store, scenario, unit: Unit::PerSecond, others, floor, goal, goal_tuned: None }
}

const fn ms(
    store: StoreKind,
    scenario: Scenario,
    other: Option<f64>,
    floor: Option<f64>,
    goal: f64,
) -> Reference {
    Reference { store, scenario, unit: Unit::Ms, others: (other, None), floor, goal, goal_tuned: None }
}

const fn known(figure: u32) -> Option<f64> {
    if figure == 0 { None } else { Some(figure as f64) }
}

impl Reference {
    const fn tuned(self, goal: u32) -> Self {
        Self { goal_tuned: Some(goal as f64), ..self }
    }
}
