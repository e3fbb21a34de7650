//! The figures to beat, ours beside them, and whether each goal is met.

use super::{
    defaults,
    floor_of::{self, of_rate},
    number::{ms, ms_of_us, or_dash, percent, whole},
    reference::{REFERENCES, Reference, Unit},
    summary::{Cell, Key, Summary},
};
use crate::{
    scenario::{Scenario, Setting},
    store::StoreKind,
};

const HEAD: &str = "| store | scenario | best other | floor there | goal | ours | met | floor here | of the floor: the other | the goal | ours | met by ratio |\n|---|---|---:|---:|---:|---:|---|---:|---:|---:|---:|---|\n";

const FLOOR_STORES: [StoreKind; 4] =
    [StoreKind::File, StoreKind::SqliteFull, StoreKind::Postgres, StoreKind::Redis];
const FLOOR_SCENARIOS: [Scenario; 4] =
    [Scenario::EnqueueSeq, Scenario::EnqueueC64, Scenario::EnqueueBatch, Scenario::Drain];

/// Ours, and the floor of the same run.
struct Ours {
    figure: f64,
    floor: Option<f64>,
}

/// What stands in one line, whichever setting it is about.
struct GoalRow {
    reference: Reference,
    name: String,
    other: Option<f64>,
    goal: f64,
    ours: Option<Ours>,
}

/// Empty if nothing was measured.
pub(super) fn of(summary: &Summary) -> String {
    if summary.cells.is_empty() {
        return String::new();
    }
    let lines = REFERENCES.iter().flat_map(|reference| lines(summary, *reference));
    HEAD.to_owned() + &lines.map(|line| line.show()).collect::<String>()
}

/// One for the default settings, and one more where there is a goal for others.
fn lines(summary: &Summary, reference: Reference) -> Vec<GoalRow> {
    let Reference { scenario, goal, others: (default, tuned), .. } = reference;
    let ours = ours(summary, &reference, Setting::Default);
    let mut lines = vec![GoalRow { reference, name: scenario.to_string(), other: default, goal, ours }];
    if let Some(goal) = reference.goal_tuned {
        let best = defaults::best(summary, reference.store).map(|(setting, _)| setting);
        let name = or_dash(best, |best| format!("{scenario}, {best}"));
        let ours = best.and_then(|best| self::ours(summary, &reference, best));
        lines.push(GoalRow { reference, name, other: tuned, goal, ours });
    }
    lines
}

fn ours(summary: &Summary, reference: &Reference, setting: Setting) -> Option<Ours> {
    let Reference { store, scenario, unit, .. } = *reference;
    let cell = summary.get(store, scenario, setting)?;
    let key = Key { store, scenario, setting, part: None };
    match unit {
        Unit::PerSecond => Some(Ours { figure: cell.per_second()?, floor: rate_floor(summary, &key, cell) }),
        Unit::Ms => Some(Ours {
            figure: ms_of_us(cell.latency()?.p50_us),
            floor: floor_of::latency_ms(summary, &key, cell),
        }),
    }
}

fn rate_floor(summary: &Summary, key: &Key, cell: &Cell) -> Option<f64> {
    let (scenario, setting) = of_rate(key.store, key.scenario)?;
    summary.floor(&cell.run, scenario, setting)?.per_second()
}

impl GoalRow {
    fn show(&self) -> String {
        let Reference { store, unit, floor: there, .. } = self.reference;
        let show = |figure: f64| if unit == Unit::Ms { format!("{} ms", ms(figure)) } else { whole(figure) };
        let ratio = |figure: f64, floor: f64| {
            let ratio = figure / floor;
            if unit == Unit::Ms { format!("{ratio:.1} x") } else { percent(ratio) }
        };
        let of_there =
            |figure: Option<f64>| or_dash(figure.zip(there), |(figure, floor)| ratio(figure, floor));
        let figure = self.ours.as_ref().map(|ours| ours.figure);
        let here = self.ours.as_ref().and_then(|ours| ours.floor);
        let cells = [
            store.to_string(),
            self.name.clone(),
            or_dash(self.other, show),
            or_dash(there, show),
            show(self.goal),
            or_dash(figure, show),
            or_dash(figure.map(|figure| self.is_met(figure, self.goal)), verdict),
            or_dash(here, show),
            of_there(self.other),
            of_there(Some(self.goal)),
            or_dash(figure.zip(here), |(figure, floor)| ratio(figure, floor)),
            or_dash(self.is_met_by_ratio(), verdict),
        ];
        format!("| {} |\n", cells.join(" | "))
    }

    /// Whether ours is as much of its floor as the goal is of the floor there.
    fn is_met_by_ratio(&self) -> Option<bool> {
        let ours = self.ours.as_ref()?;
        Some(self.is_met(ours.figure / ours.floor?, self.goal / self.reference.floor?))
    }

    fn is_met(&self, figure: f64, goal: f64) -> bool {
        if self.reference.unit == Unit::Ms { figure <= goal } else { figure >= goal }
    }
}

fn verdict(met: bool) -> String {
    if met { "met" } else { "**missed**" }.to_owned()
}

/// The floors that the table compares with, for people.
pub(super) fn floors_named() -> String {
    let rows = FLOOR_STORES.map(|store| {
        let floors = FLOOR_SCENARIOS.map(|scenario| or_dash(of_rate(store, scenario), floor_of::name));
        format!("| {store} | {} |\n", floors.join(" | "))
    });
    let [head, line] =
        [FLOOR_SCENARIOS.map(|scenario| scenario.to_string()), FLOOR_SCENARIOS.map(|_| "---".to_owned())];
    format!("| store | {} |\n|---|{}|\n{}", head.join(" | "), line.join("|"), rows.concat())
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::{
        figures::Figures,
        measurement::Measurement,
        page::summary::Summary,
        results::Results,
        scenario::{Scenario, Setting},
        store::StoreKind,
    };

    fn row(run: &str, scenario: Scenario, setting: Setting, round: usize, per_second: f64) -> Measurement {
        let figures = Figures::Rate { jobs: 1, seconds: 1.0, per_second };
        let run = run.to_owned();
        let store = StoreKind::Redis;
        Measurement { run, store, scenario, setting, part: None, round, figures }
    }

    fn drain_line(rows: Vec<Measurement>) -> String {
        let page = of(&Summary::of(&Results { runs: Vec::new(), rows }));
        let line = page.lines().find(|line| line.contains("| drain |")).expect("there is such a goal");
        line.to_owned()
    }

    #[test]
    fn a_figure_is_the_median_and_is_compared_with_the_floor_of_its_own_run() {
        let floor = |run, rate| row(run, Scenario::FloorCycle, Setting::Batch(1000), 0, rate);
        let drain = |round, rate| row("b", Scenario::Drain, Setting::Default, round, rate);
        let rows = vec![
            floor("a", 900_000.0),
            floor("b", 200_000.0),
            drain(0, 100_000.0),
            drain(1, 5.0),
            drain(2, 900_000.0),
        ];
        let line = drain_line(rows);
        assert!(line.contains("| 90,000 | 100,000 | met | 200,000 |"), "{line}");
        assert!(line.ends_with("| 46 % | 50 % | met |"), "{line}");
    }

    #[test]
    fn a_goal_is_missed_by_a_figure_or_by_its_ratio() {
        let floor = row("a", Scenario::FloorCycle, Setting::Batch(1000), 0, 400_000.0);
        let drain = row("a", Scenario::Drain, Setting::Default, 0, 100_000.0);
        let line = drain_line(vec![floor, drain.clone()]);
        assert!(line.contains("| 100,000 | met |") && line.ends_with("| 25 % | **missed** |"), "{line}");
        let slow = Measurement { figures: Figures::Rate { jobs: 1, seconds: 1.0, per_second: 9.0 }, ..drain };
        let line = drain_line(vec![slow]);
        assert!(line.contains("| 9 | **missed** | – |") && line.ends_with("| – | – |"), "{line}");
    }
}
