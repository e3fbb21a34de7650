//! The oldest of jobs that stand by priority first, of which there are few.

use rusqlite::Row;

/// Reads priority and `run_at`.
pub(super) fn read_place(row: &Row<'_>) -> rusqlite::Result<(i64, i64)> {
    Ok((row.get(0)?, row.get(1)?))
}

/// The lowest `run_at` of the first jobs of all priorities, each found by the one before.
pub(super) fn oldest(
    mut first_behind: impl FnMut(i64) -> rusqlite::Result<Option<(i64, i64)>>,
) -> rusqlite::Result<Option<i64>> {
    let (mut behind, mut oldest) = (i64::MIN, None::<i64>);
    while let Some((priority, run_at)) = first_behind(behind)? {
        behind = priority;
        oldest = Some(oldest.map_or(run_at, |oldest| oldest.min(run_at)));
    }
    Ok(oldest)
}
