//! How many attempts ended, and how.

use super::{
    Chart, LegendEntry,
    drawing::{Drawing, WIDTH},
};
use queue_core::{
    Timestamp,
    series::{WorkCounts, WorkOutcome},
};
use queue_view::words::{moment, number};

/// The outcomes that the chart separates: done, to be retried, given up.
const OUTCOMES: [(WorkOutcome, &str, &str); 3] = [
    (WorkOutcome::Completed, "c-done", "completed"),
    (WorkOutcome::Failing, "c-failing", "to be tried again"),
    (WorkOutcome::Failed, "c-failed", "failed for good"),
];

/// Attempts in columns of time.
pub(crate) fn flow(columns: &[(Timestamp, WorkCounts)], column: &str, now: Timestamp) -> Chart {
    let total = |counts: &WorkCounts| OUTCOMES.iter().map(|(outcome, ..)| counts.of(*outcome)).sum::<u64>();
    let largest = ceiling(columns.iter().map(|(_, counts)| total(counts)).max().unwrap_or(0));
    let mut drawing = Drawing::new().grid(2);
    let width = WIDTH / columns.len().max(1) as f64;
    for (place, (at, counts)) in columns.iter().enumerate() {
        let blocks = OUTCOMES.map(|(outcome, class, _)| (class, counts.of(outcome) as f64 / largest as f64));
        let told = OUTCOMES.map(|(outcome, _, word)| format!("{} {word}", counts.of(outcome))).join(", ");
        let told = format!("{}: {told}", moment(*at, now).absolute);
        drawing.column(width * place as f64, width, &blocks, &told);
    }
    let sum = |outcome| columns.iter().map(|(_, counts)| counts.of(outcome)).sum::<u64>();
    let legend = OUTCOMES.map(|(outcome, class, word)| LegendEntry {
        class,
        words: format!("{} {word}", number(sum(outcome))),
    });
    let row = |(at, counts): &(Timestamp, WorkCounts)| {
        let numbers = OUTCOMES.iter().map(|(outcome, ..)| number(counts.of(*outcome)));
        [moment(*at, now).absolute].into_iter().chain(numbers).collect()
    };
    Chart {
        id: "flow",
        title: "Attempts".to_owned(),
        summary: format!("Attempts that ended, in columns of {column}."),
        upward: vec![number(largest), number(largest / 2), "0".to_owned()],
        along: along(columns, now),
        drawing: drawing.done(),
        head: vec!["From", "Completed", "To be tried again", "Failed for good"],
        rows: columns.iter().rev().filter(|(_, counts)| total(counts) > 0).map(row).collect(),
        legend: legend.into(),
    }
}

/// The labels below columns of time: the first, the middle and the last.
pub(super) fn along(columns: &[(Timestamp, WorkCounts)], now: Timestamp) -> Vec<String> {
    let label = |place: usize| columns.get(place).map(|(at, _)| moment(*at, now).relative);
    let places = [Some(0), Some(columns.len() / 2)];
    let labels = places.into_iter().flatten().filter_map(label);
    labels.chain(["now".to_owned()]).collect()
}

/// The next round number, of which there is a half.
fn ceiling(number: u64) -> u64 {
    let mut unit = 1_u64;
    loop {
        for factor in [2, 4, 6, 10] {
            let round = unit.saturating_mul(factor);
            if round >= number {
                return round;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::ceiling;

    #[test]
    fn the_axis_ends_at_a_round_number_above_all_columns() {
        assert_eq!([0, 1, 3, 5, 7, 11, 2_001].map(ceiling), [2, 2, 4, 6, 10, 20, 4_000]);
        assert_eq!(ceiling(u64::MAX), u64::MAX);
    }
}
