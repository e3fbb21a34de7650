//! The table of queues: which of them, in which order, and a line of each.

use super::super::sorting::{ColumnView, SortColumn, heads};
use crate::{
    charts::sparkline,
    visit::{Fields, Visit},
};
use queue_core::{QueueStatus, State, WorkerInfo, series::WorkCounts, series::WorkOutcome};
use queue_view::{
    Concern, HealthPoint, SeriesReading,
    words::{age, number},
};
use std::{cmp::Reverse, collections::BTreeSet};

/// The queues of one page of the table.
const PAGE: usize = 50;
/// With more queues than these the page offers a search.
const UNSEARCHED_MAX: usize = 10;
/// Minutes of a column of the small chart of a queue.
const SPARK_STEP: usize = 2;
/// The columns that sort the table, by their words in addresses.
const SORTED: [SortColumn; 8] = [
    SortColumn::word("name", "Queue"),
    SortColumn::number("due", "Due"),
    SortColumn::number("processing", "Processing"),
    SortColumn::number("scheduled", "Scheduled"),
    SortColumn::number("failing", "Failing"),
    SortColumn::number("failed", "Failed"),
    SortColumn::number("completed", "Completed"),
    SortColumn::number("oldest", "Oldest due"),
];

/// What an address asks of the table.
pub(super) struct TableWanted<'a> {
    search: &'a str,
    concern: Option<Concern>,
    sort: &'static str,
    /// From zero.
    page: usize,
}

/// The queues of a page of the table.
pub(super) struct ShownQueues<'a> {
    pub(super) queues: Vec<&'a QueueStatus>,
    first: usize,
    matching: usize,
}

pub(super) struct TableView {
    pub(super) head: Vec<ColumnView>,
    pub(super) rows: Vec<QueueRow>,
    pub(super) has_search: bool,
    pub(super) search: String,
    pub(super) sort: &'static str,
    pub(super) concern: &'static str,
    /// Which of how many queues are shown; empty if they are all.
    pub(super) words: String,
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
    pub(super) clear: Option<String>,
}

pub(super) struct QueueRow {
    pub(super) name: String,
    pub(super) href: String,
    pub(super) is_paused: bool,
    pub(super) kinds_paused: usize,
    pub(super) waits: String,
    pub(super) cells: Vec<CellView>,
    pub(super) rate: String,
    pub(super) spark: String,
    pub(super) workers: String,
}

/// A count that leads to its jobs.
pub(super) struct CellView {
    pub(super) label: &'static str,
    pub(super) number: String,
    pub(super) href: String,
    pub(super) class: &'static str,
}

impl<'a> TableWanted<'a> {
    pub(super) fn of(query: &'a Fields) -> Self {
        let sort = SORTED.iter().find(|column| query.get("sort") == Some(column.name));
        let page = query.number("page").and_then(|page| usize::try_from(page).ok()).unwrap_or(1);
        Self {
            search: query.get("search").unwrap_or_default(),
            concern: Concern::ALL.into_iter().find(|concern| query.get("concern") == Some(concern.as_str())),
            sort: sort.map_or(SORTED[0].name, |column| column.name),
            page: page.saturating_sub(1),
        }
    }

    /// The queues of the page. Behind the last page is the last page.
    pub(super) fn choose<'q>(&self, queues: &'q [QueueStatus], points: &[HealthPoint]) -> ShownQueues<'q> {
        let search = self.search.to_lowercase();
        let concerned: BTreeSet<&str> = points
            .iter()
            .filter(|point| self.concern == Some(point.concern))
            .map(|point| point.queue.as_str())
            .collect();
        let matches = |queue: &&QueueStatus| {
            queue.name.as_str().to_lowercase().contains(&search)
                && (self.concern.is_none() || concerned.contains(queue.name.as_str()))
        };
        let mut found: Vec<&QueueStatus> = queues.iter().filter(matches).collect();
        found.sort_by_key(|queue| Reverse(measure(queue, self.sort)));
        let matching = found.len();
        let first = self.page.min(matching.saturating_sub(1) / PAGE) * PAGE;
        ShownQueues { queues: found.into_iter().skip(first).take(PAGE).collect(), first, matching }
    }

    pub(super) fn view(
        &self,
        visit: &Visit,
        shown: &ShownQueues<'_>,
        rows: Vec<QueueRow>,
        all: usize,
    ) -> TableView {
        let (first, end) = (shown.first, shown.first + shown.queues.len());
        let is_narrow = !self.search.is_empty() || self.concern.is_some();
        let page = |first: usize| self.link(visit, self.sort, first / PAGE + 1);
        let [from, to, of] = [first + 1, end, shown.matching].map(|count| number(count as u64));
        TableView {
            head: heads(&SORTED, Some(self.sort), |sort| self.link(visit, sort, 1)),
            rows,
            has_search: is_narrow || all > UNSEARCHED_MAX,
            search: self.search.to_owned(),
            sort: self.sort,
            concern: self.concern.map_or("", Concern::as_str),
            words: match shown.matching {
                0 => "No queue matches.".to_owned(),
                _ if is_narrow || shown.matching > PAGE => format!("{from} to {to} of {of} queues"),
                _ => String::new(),
            },
            previous: (first > 0).then(|| page(first - PAGE)),
            next: (end < shown.matching).then(|| page(end)),
            clear: is_narrow.then(|| visit.link("", &[])),
        }
    }

    fn link(&self, visit: &Visit, sort: &str, page: usize) -> String {
        let page = page.to_string();
        let pairs = [
            ("search", self.search),
            ("concern", self.concern.map_or("", Concern::as_str)),
            ("sort", if sort == "name" { "" } else { sort }),
            ("page", if page == "1" { "" } else { &page }),
        ];
        let given: Vec<(&str, &str)> = pairs.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        visit.link("", &given)
    }
}

/// What a table is sorted by, the largest first; the same for all queues if it is by name.
fn measure(queue: &QueueStatus, sort: &str) -> u64 {
    let counts = &queue.counts;
    match sort {
        "due" => counts.due(),
        "processing" => counts.of(State::Processing),
        "scheduled" => counts.scheduled,
        "failing" => counts.of(State::Failing),
        "failed" => counts.of(State::Failed),
        "completed" => counts.of(State::Completed),
        "oldest" => counts
            .oldest_due
            .map_or(0, |due| counts.now.since(due).as_millis().try_into().unwrap_or(u64::MAX)),
        _ => 0,
    }
}

pub(super) fn row(
    visit: &Visit,
    queue: &QueueStatus,
    hour: Option<&SeriesReading>,
    workers: Option<&[WorkerInfo]>,
) -> QueueRow {
    let name = queue.name.as_str();
    let cell = |label, state: &str, count: u64, class| CellView {
        label,
        number: number(count),
        href: visit.link("jobs", &[("queue", name), ("state", state)]),
        class: if count == 0 { "zero" } else { class },
    };
    let counts = &queue.counts;
    let on_it =
        workers.map(|workers| workers.iter().filter(|worker| worker.queues.contains(&queue.name)).count());
    let columns = hour.map(|hour| hour.columns(hour.last(60), SPARK_STEP)).unwrap_or_default();
    let minutes: Vec<(u64, u64)> = columns.iter().map(|(_, counts)| done_and_failed(counts)).collect();
    let rate = |hour: &SeriesReading| tenths(hour.per_minute(WorkOutcome::Completed, SeriesReading::LATELY));
    QueueRow {
        name: name.to_owned(),
        href: visit.link("queue", &[("queue", name)]),
        is_paused: queue.pause.is_on(),
        kinds_paused: queue.paused_kinds.len(),
        waits: counts.oldest_due.map_or_else(|| "–".to_owned(), |due| age(counts.now.since(due))),
        cells: vec![
            cell("Due", "due", counts.due(), ""),
            cell("Processing", "processing", counts.of(State::Processing), ""),
            cell("Scheduled", "scheduled", counts.scheduled, ""),
            cell("Failing", "failing", counts.of(State::Failing), "warn"),
            cell("Failed", "failed", counts.of(State::Failed), "bad"),
            cell("Completed", "completed", counts.of(State::Completed), ""),
        ],
        rate: hour.map_or_else(|| "–".to_owned(), rate),
        spark: sparkline(&minutes),
        workers: on_it.map_or_else(|| "–".to_owned(), |count| number(count as u64)),
    }
}

/// A number with one decimal, such as `1,024.4`.
fn tenths(number_of: f64) -> String {
    let text = format!("{number_of:.1}");
    let (whole, tenth) = text.split_once('.').unwrap_or((&text, "0"));
    format!("{}.{tenth}", number(whole.parse().unwrap_or_default()))
}

fn done_and_failed(counts: &WorkCounts) -> (u64, u64) {
    (counts.of(WorkOutcome::Completed), counts.of(WorkOutcome::Failing) + counts.of(WorkOutcome::Failed))
}
