//! The life of a job as a table: one line for each known step, oldest first.

use crate::output::{self, Column, Table, age, moment};
use queue::view::JobReading;

const COLUMNS: [Column; 5] = [
    Column::whole("WHEN"),
    Column::text("WHAT"),
    Column::whole("TOOK").plain(""),
    Column::text("WORKER").plain(""),
    Column::text("ERROR").plain(""),
];

pub(crate) fn timeline(reading: &JobReading) -> Table {
    let rows = reading.timeline().into_iter().map(|entry| {
        let when = entry.at.map(|at| moment(at, reading.now).relative);
        vec![
            when.unwrap_or_default(),
            entry.step.words(),
            entry.took.map(age).unwrap_or_default(),
            entry.worker.unwrap_or_default(),
            entry.error.unwrap_or_default(),
        ]
    });
    output::table(COLUMNS, rows)
}
