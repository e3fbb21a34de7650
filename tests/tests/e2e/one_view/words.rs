//! The table of states and standings in the glossary is what every face shows.

use super::{Faces, STORED};
use queue::view::Standing;
use std::{collections::BTreeSet, fs, path::Path};

/// A row of the table.
struct Row {
    word: String,
    state: String,
    in_json: String,
    in_tables: String,
    /// Whether a queue's JSON, `queue stats`, the tabs of the dashboard and metrics count it.
    counted: [bool; 4],
}

pub(super) fn the_table_of_states_is_what_every_face_shows(faces: &Faces<'_>) {
    let rows = rows();
    assert_eq!(words(rows.iter()), Standing::ALL.map(Standing::as_str).map(str::to_owned).into());
    for row in &rows {
        let standing: Standing = row.word.parse().expect("a word of the first column");
        let possible: Vec<_> = standing.states().iter().map(|state| format!("{state:?}")).collect();
        assert_eq!(row.state, possible.join(" or "), "{}", row.word);
    }
    every_job_has_a_word_of_its_rows(faces, &rows);
    let counted = |face: usize| words(rows.iter().filter(|row| row.counted[face]));
    assert_eq!(counted(0), shown_words(faces.get("GET /v1/queues/mail").keys().map(String::as_str)));
    assert_eq!(counted(1), table_of_stats(faces));
    assert_eq!(counted(2), tabs(faces));
    assert_eq!(counted(3), metrics(faces));
}

/// A job has one of the words of each of its rows in JSON and in the table of jobs.
fn every_job_has_a_word_of_its_rows(faces: &Faces<'_>, rows: &[Row]) {
    let answer = |arguments: [&str; 3]| faces.run(&arguments.map(str::to_owned)).ok();
    let listed = answer(["list", "--limit", "1000"]);
    for job in STORED {
        let state =
            answer(["status", job.id, "--json"]).object()["state"].as_str().expect("a state").to_owned();
        let line = listed.text().lines().find(|line| line.split_whitespace().next() == Some(job.id));
        let cell = line.and_then(|line| line.split_whitespace().nth(1)).expect("it is listed").to_lowercase();
        for Row { in_json, in_tables, .. } in rows.iter().filter(|row| job.matches("state", &row.word)) {
            assert!(in_json.contains(&format!("`{state}`")), "{}: {state} is not in {in_json}", job.id);
            let is_allowed = in_tables.split([' ', ',']).any(|word| word == cell);
            assert!(is_allowed, "{}: {cell} is not in {in_tables}", job.id);
        }
    }
}

fn rows() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/GLOSSARY.md");
    let page = fs::read_to_string(path).expect("a page of this repository");
    let (_, table) = page.split_once("| word | state |").expect("the table of states");
    table.lines().skip(2).take_while(|line| line.starts_with('|')).map(Row::of).collect()
}

impl Row {
    fn of(line: &str) -> Self {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, word, state, _, in_json, in_tables, queue, table, tab, metrics, _] = cells[..] else {
            panic!("another number of columns: {line}")
        };
        let is_yes = |cell: &str| match cell {
            "yes" => true,
            "no" => false,
            other => panic!("neither yes nor no: {other}"),
        };
        Self {
            word: word.trim_matches('`').to_owned(),
            state: state.to_owned(),
            in_json: in_json.to_owned(),
            in_tables: in_tables.to_owned(),
            counted: [queue, table, tab, metrics].map(is_yes),
        }
    }
}

fn words<'a>(rows: impl Iterator<Item = &'a Row>) -> BTreeSet<String> {
    rows.map(|row| row.word.clone()).collect()
}

/// The words that name a standing.
fn shown_words<'a>(words: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    words.filter(|word| word.parse::<Standing>().is_ok()).map(str::to_owned).collect()
}

fn table_of_stats(faces: &Faces<'_>) -> BTreeSet<String> {
    let run = faces.run(&["stats".to_owned()]).ok();
    shown_words(run.text().lines().filter_map(|line| line.split_whitespace().next()))
}

fn tabs(faces: &Faces<'_>) -> BTreeSet<String> {
    let page = faces.served.text(&faces.token, "GET /jobs?queue=mail");
    let (_, tabs) = page.split_once("<nav class=\"tabs\"").expect("the tabs");
    let tabs = tabs.split("</nav>").next().expect("their end");
    let tabs: Vec<String> = tabs.split(['>', '<']).map(|text| text.trim().to_lowercase()).collect();
    shown_words(tabs.iter().map(String::as_str))
}

fn metrics(faces: &Faces<'_>) -> BTreeSet<String> {
    let metrics = faces.served.text(&faces.token, "GET /metrics");
    let states = metrics.lines().filter(|line| line.starts_with("queue_jobs{"));
    let states: Vec<&str> = states.map(|line| super::between(line, "state=\"", "\"")).collect();
    shown_words(states.into_iter())
}
