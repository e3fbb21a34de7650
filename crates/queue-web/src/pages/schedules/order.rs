//! The order of the table of schedules.

use super::{
    super::sorting::{ColumnView, SortColumn, heads},
    ScheduleRow,
};
use crate::visit::Visit;
use std::cmp::Reverse;

/// The most schedules that are sorted. Of more, and of those that were not all read, none is the
/// first of any order, so they stay as the store has them.
pub(super) const SORTED_MAX: usize = 2_000;
/// The columns, each of which sorts the table.
const SORTED: [SortColumn; 7] = [
    SortColumn::word("schedule", "Schedule"),
    SortColumn::word("queue", "Queue"),
    SortColumn::word("state", "State"),
    SortColumn::word("fires", "Fires"),
    SortColumn::word("kind", "Kind"),
    SortColumn::word("next", "Next"),
    SortColumn::latest("last", "Last run"),
];

/// The column that the address asks for.
pub(super) fn wanted(visit: &Visit) -> Option<&'static str> {
    SORTED.iter().map(|column| column.name).find(|name| visit.query.get("sort") == Some(name))
}

/// The heads of the table of one queue or of all.
pub(super) fn head(
    visit: &Visit,
    queue: Option<&str>,
    sort: Option<&str>,
    can_sort: bool,
) -> Vec<ColumnView> {
    let columns = SORTED.into_iter().filter(|column| queue.is_none() || column.name != "queue");
    heads(&columns.collect::<Vec<_>>(), sort, |name| {
        let pairs: Vec<_> = queue.map(|queue| ("queue", queue)).into_iter().chain([("sort", name)]).collect();
        if can_sort { visit.link("schedules", &pairs) } else { String::new() }
    })
}

/// Sorts by a column. What has no next or no last run comes last.
pub(super) fn arrange(rows: &mut [ScheduleRow], sort: &str) {
    rows.sort_by(|a, b| (&a.name, &a.queue).cmp(&(&b.name, &b.queue)));
    match sort {
        "queue" => rows.sort_by(|a, b| a.queue.cmp(&b.queue)),
        "state" => rows.sort_by_key(|row| row.state),
        "fires" => rows.sort_by(|a, b| a.timing.cmp(&b.timing)),
        "kind" => rows.sort_by(|a, b| a.kind.cmp(&b.kind)),
        "next" => rows.sort_by_key(|row| (row.next_tick.is_none(), row.next_tick)),
        "last" => rows.sort_by_key(|row| Reverse(row.last_tick)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{ScheduleRow, arrange};
    use queue::schedules::Tick;
    use queue_core::Timestamp;

    #[test]
    fn the_next_and_the_latest_come_first_and_what_has_none_comes_last() {
        let tick = |millis| Tick::from(Timestamp::from_millis(millis));
        let row = |name: &str, next: Option<i64>, last: Option<i64>| ScheduleRow {
            name: name.to_owned(),
            next_tick: next.map(tick),
            last_tick: last.map(tick),
            ..ScheduleRow::default()
        };
        let mut rows = [row("b", None, Some(7)), row("a", Some(9), None), row("c", Some(8), Some(9))];
        let mut sorted = |by| {
            arrange(&mut rows, by);
            rows.each_ref().map(|row| row.name.clone())
        };
        assert_eq!(sorted("next"), ["c", "a", "b"]);
        assert_eq!(sorted("last"), ["c", "b", "a"]);
        assert_eq!(sorted("schedule"), ["a", "b", "c"]);
    }
}
