//! The tables of one store.

use crate::catalog::{FLOOR, OURS};
use crate::cell::{Cell, Figure};
use crate::measure::StoreRun;
use crate::row::{ROWS, Row, Unit};

/// Behind a figure of which the remarks below the tables say more.
const MARK: &str = " †";
const NOT_OFFERED: &str = "–";
const NO_FIGURE: &str = "none †";

/// The section of a store: figures, settings, spread.
pub(crate) fn section(run: &StoreRun) -> String {
    let StoreRun { engine, begun, commit, rounds, load, machine, .. } = run;
    let rounds = if *rounds == 1 { "one round".to_owned() } else { format!("{rounds} rounds") };
    let head = format!(
        "### {}\n\n{engine}. Measured {begun} UTC at commit `{commit}`, {rounds}, on {machine}; load of the machine when it began: {load}.\n",
        run.store.title()
    );
    let parts = [
        head,
        figures(run, Unit::JobsPerSecond, "Jobs per second: more is better."),
        figures(
            run,
            Unit::Milliseconds,
            "Milliseconds, p50 / p99: less is better. The ratio is that of p50.",
        ),
        settings(run),
        spread(run),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn figures(run: &StoreRun, unit: Unit, caption: &str) -> String {
    let is_present = |row: &&Row| row.unit == unit && run.cells.iter().any(|cell| cell.is_of(**row));
    let rows: Vec<Row> = ROWS.iter().filter(is_present).copied().collect();
    if rows.is_empty() {
        return String::new();
    }
    let present: Vec<&str> =
        run.peers.iter().filter(|peer| peer.missing.is_none()).map(|peer| peer.name.as_str()).collect();
    let (floor, peers): (Vec<&str>, Vec<&str>) = present.into_iter().partition(|name| *name == FLOOR.name);
    let mut table = Table::new(&[&[""], peers.as_slice(), &["ours / best peer"], floor.as_slice()].concat());
    for row in rows {
        let of_peer = |peer: &str| run.cells.iter().find(|cell| cell.is_of(row) && cell.peer == peer);
        let best = best(run, row, |_| true).map(|(peer, _)| peer);
        let mut line = vec![row.title.to_owned()];
        line.extend(peers.iter().map(|peer| shown(of_peer(peer), unit, best == Some(*peer))));
        line.push(ratio(run, row));
        line.extend(floor.iter().map(|floor| shown(of_peer(floor), unit, false)));
        table.add(&line);
    }
    format!("{caption}\n\n{}", table.0)
}

/// The peer with the best figure of a row. The floor is none.
fn best(run: &StoreRun, row: Row, is_asked: impl Fn(&str) -> bool) -> Option<(&str, f64)> {
    let is_peer = |cell: &&Cell| cell.is_of(row) && cell.peer != FLOOR.name && is_asked(&cell.peer);
    let figures = run
        .cells
        .iter()
        .filter(is_peer)
        .filter_map(|cell| Some((cell.peer.as_str(), cell.figure(row.unit)?.median)));
    match row.unit {
        Unit::JobsPerSecond => figures.max_by(|one, other| one.1.total_cmp(&other.1)),
        Unit::Milliseconds => figures.min_by(|one, other| one.1.total_cmp(&other.1)),
    }
}

/// A figure with remarks is no measure to divide by: a peer that looks for jobs at intervals, and
/// does not end in time, has the rate of its interval.
fn ratio(run: &StoreRun, row: Row) -> String {
    let is_remarked = |peer: &str| {
        run.cells.iter().any(|cell| cell.is_of(row) && cell.peer == peer && !cell.remarks().is_empty())
    };
    let ours = best(run, row, |peer| peer == OURS);
    let other = best(run, row, |peer| peer != OURS);
    match (ours, other) {
        (Some((_, ours)), Some((peer, other))) if !is_remarked(peer) => {
            format!("{:.2} ({peer})", ours / other)
        }
        _ => String::new(),
    }
}

fn shown(cell: Option<&Cell>, unit: Unit, is_best: bool) -> String {
    let Some(cell) = cell else { return String::new() };
    if cell.is_not_offered() {
        return NOT_OFFERED.to_owned();
    }
    let figure = match (cell.figure(unit), cell.p99_ms()) {
        (None, _) => return NO_FIGURE.to_owned(),
        (Some(rate), None) => number(rate.median),
        (Some(p50), Some(p99)) => format!("{} / {}", number(p50.median), number(p99.median)),
    };
    let mark = if cell.remarks().is_empty() { "" } else { MARK };
    if is_best { format!("**{figure}**{mark}") } else { format!("{figure}{mark}") }
}

fn settings(run: &StoreRun) -> String {
    let mut table = Table::new(&["queue", "version", "defaults", "tuned"]);
    for peer in &run.peers {
        let default = peer.missing.as_ref().unwrap_or(&peer.default);
        table.add(&[peer.name.clone(), peer.version.clone(), default.clone(), peer.tuned.clone()]);
    }
    table.0
}

fn spread(run: &StoreRun) -> String {
    let mut table = Table::new(&["row", "queue", "median", "lowest", "highest", "remarks"]);
    for row in ROWS {
        for cell in run.cells.iter().filter(|cell| cell.is_of(*row) && !cell.is_not_offered()) {
            let numbers = |figure: Figure| [figure.median, figure.lowest, figure.highest].map(number);
            let [median, lowest, highest] = cell.figure(row.unit).map(numbers).unwrap_or_default();
            let remarks = cell.remarks().join("; ");
            table.add(&[row.title.to_owned(), cell.peer.clone(), median, lowest, highest, remarks]);
        }
    }
    format!(
        "<details>\n<summary>Spread of the rounds, and remarks (†)</summary>\n\nLatencies are those of p50.\n\n{}\n</details>\n",
        table.0
    )
}

/// Whole above a hundred, with three digits below.
fn number(value: f64) -> String {
    match value {
        _ if value >= 100.0 => thousands(value.round() as u64),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ if value >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

fn thousands(whole: u64) -> String {
    let digits = whole.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A table of a page. The first column is text, and so is everything that is no figure.
struct Table(String);

impl Table {
    fn new(heads: &[&str]) -> Self {
        let mut table = Self(String::new());
        table.add(&heads.iter().map(|head| (*head).to_owned()).collect::<Vec<_>>());
        table.0.push_str(&format!("|{}\n", "---|".repeat(heads.len())));
        table
    }

    /// A bar would end the field, and a line the row.
    fn add(&mut self, fields: &[String]) {
        let fields: Vec<String> =
            fields.iter().map(|field| field.replace('|', "/").replace('\n', " ")).collect();
        self.0.push_str(&format!("| {} |\n", fields.join(" | ")));
    }
}

#[cfg(test)]
mod tests {
    use super::{number, section};
    use crate::catalog::Store;
    use crate::cell::sample;
    use crate::measure::{Entrant, StoreRun};
    use crate::process::Run;
    use crate::row::{ROWS, Unit};

    fn entrant(name: &str, missing: Option<&str>) -> Entrant {
        Entrant { name: name.to_owned(), missing: missing.map(str::to_owned), ..Entrant::default() }
    }

    fn store_run() -> StoreRun {
        let latency = *ROWS.iter().find(|row| row.unit == Unit::Milliseconds).expect("there is one");
        let mut broken = sample("broken", ROWS[0], &[]);
        broken.runs.push(Run::failed("killed after 90 s"));
        StoreRun {
            store: Store::Redis,
            begun: String::new(),
            commit: String::new(),
            machine: String::new(),
            engine: String::new(),
            load: String::new(),
            rounds: 3,
            peers: vec![
                entrant("ours", None),
                entrant("fast", None),
                entrant("broken", None),
                entrant("absent", Some("it does not build: error")),
            ],
            cells: vec![
                sample("ours", ROWS[0], &[30_000.0, 10_000.0, 20_000.0]),
                sample("fast", ROWS[0], &[40_000.0]),
                broken,
                sample("ours", latency, &[0.25]),
                sample("fast", latency, &[0.5]),
            ],
        }
    }

    #[test]
    fn the_best_peer_of_a_row_is_named_with_the_ratio() {
        let text = section(&store_run());
        assert!(text.contains("| 20,000 | **40,000** | none † | 0.50 (fast) |"), "{text}");
        assert!(text.contains("| **0.250 / 2.50** | 0.500 / 5.00 |  | 0.50 (fast) |"), "{text}");
    }

    #[test]
    fn a_best_peer_that_did_not_end_has_no_ratio() {
        let mut run = store_run();
        run.cells[1].runs[0].notes.push("not all of 20000 jobs within 4 s".to_owned());
        let text = section(&run);
        assert!(text.contains("| 20,000 | **40,000** † | none † |  |"), "{text}");
    }

    #[test]
    fn the_floor_is_the_last_column_and_no_peer() {
        let mut run = store_run();
        run.peers.push(entrant("floor", None));
        let mut without = sample("floor", ROWS[1], &[]);
        without.runs.push(Run { not_offered: true, ..Run::default() });
        let with = sample("floor", ROWS[0], &[90_000.0]);
        run.cells.extend([with, without, sample("ours", ROWS[1], &[10_000.0])]);
        let text = section(&run);
        assert!(text.contains("|  | ours | fast | broken | ours / best peer | floor |"), "{text}");
        assert!(text.contains("| 20,000 | **40,000** | none † | 0.50 (fast) | 90,000 |"), "{text}");
        assert!(text.contains("| **10,000** |  |  |  | – |"), "{text}");
    }

    #[test]
    fn what_is_missing_or_failed_is_told() {
        let text = section(&store_run());
        assert!(text.contains("| absent |  | it does not build: error |"), "{text}");
        assert!(text.contains("| broken |  |  |  | killed after 90 s |"), "{text}");
    }

    #[test]
    fn numbers_have_as_many_digits_as_count() {
        let shown = [0.0234, 1.234, 12.34, 123.4, 1_234_567.0].map(number);
        assert_eq!(shown, ["0.023", "1.23", "12.3", "123", "1,234,567"]);
    }
}
