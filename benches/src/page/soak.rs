//! Whether a long run uses more and more memory.

use super::{number::whole, summary::Summary};
use crate::scenario::Scenario;
use std::fmt::Write;

/// What an allocator may keep for itself.
const GROWTH_MAX_BYTES: u64 = 16 << 20;
/// The second and the last of so many equal parts of a run are compared; the first is for warming
/// up.
const PARTS: usize = 5;

/// Compares the most that is in use in the last part of a run with the most in the second.
pub(crate) fn memory_grew(resident_bytes: &[u64]) -> bool {
    let (early, late) = early_and_late(resident_bytes);
    late > early + GROWTH_MAX_BYTES
}

fn early_and_late(resident_bytes: &[u64]) -> (u64, u64) {
    let part = (resident_bytes.len() / PARTS).max(1);
    let most = |bytes: &[u64]| bytes.iter().copied().max().unwrap_or_default();
    let early = resident_bytes.get(part..2 * part).unwrap_or(resident_bytes);
    (most(early), most(&resident_bytes[resident_bytes.len().saturating_sub(part)..]))
}

/// Empty if nothing was measured.
pub(super) fn of(summary: &Summary) -> String {
    let mut rows = String::new();
    for (key, cell) in summary.of_scenarios(&[Scenario::Soak]) {
        let Some((jobs, seconds, resident)) = cell.memory() else { continue };
        let (early, late) = early_and_late(resident);
        let grew = if memory_grew(resident) { "**yes**" } else { "no" };
        #[expect(clippy::cast_precision_loss, reason = "people read no more than 53 bits")]
        let jobs = whole(jobs as f64);
        writeln!(
            rows,
            "| {} | {seconds:.0} | {jobs} | {} | {} | {grew} |",
            key.store,
            early >> 20,
            late >> 20
        )
        .expect("a string takes it");
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "| store | seconds | jobs | MiB, most early | MiB, most late | grew |\n|---|---:|---:|---:|---:|---|\n{rows}"
    )
}

#[cfg(test)]
mod tests {
    use super::memory_grew;

    #[test]
    fn growth_is_seen_and_a_warm_up_is_not_growth() {
        let mib = |list: &[u64]| list.iter().map(|mib| mib << 20).collect::<Vec<_>>();
        assert!(!memory_grew(&mib(&[10, 100, 100, 100, 110])));
        assert!(memory_grew(&mib(&[10, 100, 100, 100, 117])));
        assert!(memory_grew(&mib(&[10, 20, 30, 40, 50, 60, 70, 80, 90, 100])));
        assert!(!memory_grew(&[]));
    }
}
