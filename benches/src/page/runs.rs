//! When and on what everything was measured.

use super::{caption::machine, summary::Summary};
use std::fmt::Write;

/// Empty if nothing was measured.
pub(super) fn of(summary: &Summary) -> String {
    if summary.runs.is_empty() {
        return String::new();
    }
    let mut table = "| store | engine | durability | begun, UTC | commit | rounds | jobs divided by | machine |\n|---|---|---|---|---|---:|---:|---|\n"
        .to_owned();
    for run in &summary.runs {
        let (version, durability) = (&run.engine.version, &run.engine.durability);
        let store = run.store;
        let date = &run.date;
        let commit = &run.commit;
        let rounds = run.rounds;
        let divide = run.divide;
        let machine = machine(run);
        writeln!(
            table,
            "| {store} | {version} | {durability} | {date} | `{commit}` | {rounds} | {divide} | {machine} |"
        )
        .expect("a string takes it");
    }
    table
}
