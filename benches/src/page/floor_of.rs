//! Which floor a figure is compared with.

use super::{
    number::{ms_of_us, or_dash},
    summary::{Cell, Key, Summary},
};
use crate::{
    scenario::{Scenario, Setting},
    store::StoreKind,
};

const FLOOR_STORES: [StoreKind; 4] =
    [StoreKind::File, StoreKind::SqliteFull, StoreKind::Postgres, StoreKind::Redis];
const FLOOR_SCENARIOS: [Scenario; 4] =
    [Scenario::EnqueueSeq, Scenario::EnqueueC64, Scenario::EnqueueBatch, Scenario::Drain];

/// A measurement of the engine alone.
pub(super) type FloorKey = (Scenario, Setting);

/// Jobs a second: the same work in batches as large as that scenario can make them.
pub(super) fn of_rate(store: StoreKind, scenario: Scenario) -> Option<FloorKey> {
    use Scenario as S;
    match (store, scenario) {
        (StoreKind::Memory, _) => None,
        (_, S::EnqueueSeq) => Some((S::FloorWrite, Setting::Default)),
        (_, S::EnqueueC64) => Some((S::FloorEnqueue, Setting::Batch(100))),
        (_, S::EnqueueBatch) => Some((S::FloorEnqueue, Setting::Batch(1000))),
        (StoreKind::File, S::Drain | S::DrainRemoved | S::Consumers | S::Depth) => {
            Some((S::FloorEnqueue, Setting::Batch(100)))
        }
        (StoreKind::Postgres, S::Drain | S::DrainRemoved | S::Consumers | S::Depth) => {
            Some((S::FloorCycle, Setting::Connections(4)))
        }
        (_, S::Drain | S::DrainRemoved | S::Consumers | S::Depth) => {
            Some((S::FloorCycle, Setting::Batch(1000)))
        }
        _ => None,
    }
}

/// How many durable writes, one after the other, no answer can come before.
pub(super) fn writes(store: StoreKind, scenario: Scenario) -> Option<u32> {
    match (store, scenario) {
        (StoreKind::Memory, _) => None,
        // A job has to be sent and fetched.
        (StoreKind::Redis | StoreKind::RedisAlways, Scenario::Pickup | Scenario::Call) => Some(2),
        (_, Scenario::Pickup | Scenario::Call) => Some(1),
        _ => None,
    }
}

/// The figure as a part of its floor; more is better.
pub(super) fn rate_ratio(summary: &Summary, key: &Key, cell: &Cell) -> Option<f64> {
    let (scenario, setting) = of_rate(key.store, key.scenario)?;
    let floor = summary.floor(&cell.run, scenario, setting)?.per_second()?;
    Some(cell.per_second()? / floor)
}

/// The median in milliseconds of what cannot be avoided, beside a figure.
pub(super) fn latency_ms(summary: &Summary, key: &Key, cell: &Cell) -> Option<f64> {
    let writes = writes(key.store, key.scenario)?;
    let floor = summary.floor(&cell.run, Scenario::FloorWrite, Setting::Default)?;
    Some(f64::from(writes) * ms_of_us(floor.latency()?.p50_us))
}

/// As the name of a row.
fn name((scenario, setting): FloorKey) -> String {
    if setting.is_default() { scenario.to_string() } else { format!("{scenario} {setting}") }
}

/// The floor of each scenario that tables compare with one, for people.
pub(super) fn named() -> String {
    let rows = FLOOR_STORES.map(|store| {
        let floors = FLOOR_SCENARIOS.map(|scenario| or_dash(of_rate(store, scenario), name));
        format!("| {store} | {} |\n", floors.join(" | "))
    });
    let [head, line] =
        [FLOOR_SCENARIOS.map(|scenario| scenario.to_string()), FLOOR_SCENARIOS.map(|_| "---".to_owned())];
    format!("| store | {} |\n|---|{}|\n{}", head.join(" | "), line.join("|"), rows.concat())
}
