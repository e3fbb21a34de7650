//! `GET /metrics` of a live server, against the page, the dashboard and the alerts that name its
//! metrics.

use crate::{place, serving::Served};
use queue_e2e::{CommandDirectory, until};
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::PathBuf, process::Command};

const PREFIXES: [&str; 3] = ["queue_", "messaging_", "http_"];
const OF_HISTOGRAMS: [&str; 3] = ["_bucket", "_count", "_sum"];

fn page(name: &str) -> String {
    let path = docs().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/observability")
}

/// The names in the second column of the page's table.
fn documented() -> BTreeSet<String> {
    let of_row = |line: &str| {
        let mut cells = line.split('|').map(|cell| cell.trim().trim_matches('`'));
        let name = cells.nth(2)?;
        PREFIXES.iter().any(|prefix| name.starts_with(prefix)).then(|| name.to_owned())
    };
    page("README.md").lines().filter(|line| line.starts_with("| `")).filter_map(of_row).collect()
}

fn dashboard() -> Value {
    serde_json::from_str(&page("grafana.json")).expect("it is JSON")
}

/// The panels of the dashboard, rows included.
fn panels(dashboard: &Value) -> &Vec<Value> {
    dashboard["panels"].as_array().expect("there are panels")
}

fn expressions(dashboard: &Value) -> Vec<&str> {
    let of_panel = |panel: &'_ Value| panel["targets"].as_array().cloned().unwrap_or_default().len();
    let count: usize = panels(dashboard).iter().map(of_panel).sum();
    let all: Vec<&str> = panels(dashboard)
        .iter()
        .filter_map(|panel| panel["targets"].as_array())
        .flatten()
        .filter_map(|target| target["expr"].as_str())
        .collect();
    assert_eq!(all.len(), count, "every target has an expression");
    all
}

/// The metrics that an expression asks for: its names outside of matchers and of lists of labels.
fn metrics(expression: &str) -> BTreeSet<String> {
    let mut bare = String::new();
    let mut depth = 0;
    for character in expression.chars() {
        match character {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ if depth == 0 => bare.push(character),
            _ => {}
        }
    }
    assert_eq!(depth, 0, "{expression}");
    let mut kept = String::new();
    let mut rest = bare.as_str();
    while let Some(at) = ["by (", "on ("].iter().filter_map(|list| rest.find(list)).min() {
        let end = rest[at..].find(')').expect("a list ends") + at;
        kept.push_str(&rest[..at]);
        rest = &rest[end..];
    }
    kept.push_str(rest);
    kept.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .filter(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix)))
        .map(family)
        .collect()
}

fn family(name: &str) -> String {
    let of_histogram = OF_HISTOGRAMS.iter().find_map(|suffix| name.strip_suffix(suffix));
    of_histogram.unwrap_or(name).to_owned()
}

/// The expressions of the rules: what stands after `expr:`, on its line or indented below it.
fn rules() -> Vec<String> {
    let text = page("alerts.yaml");
    let mut found: Vec<String> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if let Some(expression) = line.strip_prefix("        expr: ") {
            found.push(expression.trim_start_matches(">-").to_owned());
            is_inside = true;
        } else if is_inside && line.starts_with("          ") {
            let last = found.last_mut().expect("one began");
            last.push(' ');
            last.push_str(line.trim());
        } else {
            is_inside = false;
        }
    }
    found
}

fn families(scrape: &str) -> BTreeSet<String> {
    let types = scrape.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    types.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// A server with made-up traffic, another worker over HTTP, and what they show once they show all.
fn scraped(place: &CommandDirectory) -> (Served, String) {
    let served = Served::start(place, &["--demo"]);
    let (status, _) = served.call("", "PUT /v1/queues/letters/jobs/a", r#"{"kind":"letter"}"#);
    assert_eq!(status, 201);
    let url = format!("http://{}", served.address());
    let work = ["work", "--exec", "true", "--drain", "--queue", "letters", "--server", &url];
    place.run(&work).ok();
    let wanted = documented();
    let scrape = until("everything is measured", || {
        let scrape = served.text("", "GET /metrics");
        families(&scrape).is_superset(&wanted).then_some(scrape)
    });
    (served, scrape)
}

#[test]
fn the_page_names_what_a_live_server_shows_and_nothing_else() {
    let place = place();
    let (_served, scrape) = scraped(&place);
    assert_eq!(families(&scrape), documented());
    let letters: Vec<&str> = scrape.lines().filter(|line| line.contains("\"letters\"")).collect();
    let attempt = r#"queue_job_attempts_total{messaging_destination_name="letters",outcome="completed",queue_job_kind="letter"} 1"#;
    assert!(letters.contains(&attempt), "{letters:#?}");
    // Every name of a series belongs to one family, and no series is there twice.
    let series: Vec<&str> = scrape.lines().filter(|line| !line.starts_with('#')).collect();
    let names: BTreeSet<&str> =
        series.iter().map(|line| line.rsplit_once(' ').expect("a number follows").0).collect();
    assert_eq!(names.len(), series.len(), "a series is there twice");
}

#[test]
fn the_dashboard_and_the_alerts_ask_for_metrics_that_there_are() {
    let known = documented();
    let dashboard = dashboard();
    let rules = rules();
    assert_eq!(rules.len(), 7, "{rules:#?}");
    let expressions = expressions(&dashboard).into_iter().chain(rules.iter().map(String::as_str));
    let mut asked = BTreeSet::new();
    for expression in expressions {
        let metrics = metrics(expression);
        assert!(!metrics.is_empty(), "{expression}");
        assert!(metrics.is_subset(&known), "{expression} asks for {metrics:?}");
        asked.extend(metrics);
    }
    assert_eq!(asked, known, "the dashboard shows everything");
}

#[test]
fn the_dashboard_is_whole() {
    let dashboard = dashboard();
    let panels = panels(&dashboard);
    let ids: BTreeSet<i64> = panels.iter().filter_map(|panel| panel["id"].as_i64()).collect();
    assert_eq!(ids.len(), panels.len(), "each panel has an id of its own");
    let rows = panels.iter().filter(|panel| panel["type"] == "row");
    let rows: Vec<&str> = rows.filter_map(|row| row["title"].as_str()).collect();
    assert_eq!(rows, ["Health", "Flow", "Latency", "Errors", "Store", "Workers"]);
    let variables = dashboard["templating"]["list"].as_array().expect("there are variables");
    assert!(variables.iter().any(|one| one["name"] == "datasource" && one["type"] == "datasource"));
    for panel in panels.iter().filter(|panel| panel["type"] != "row") {
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{}", panel["title"]);
        assert!(panel["description"].as_str().is_some_and(|text| !text.is_empty()), "{}", panel["title"]);
        let at = &panel["gridPos"];
        assert!(at["x"].as_i64().unwrap() + at["w"].as_i64().unwrap() <= 24, "{}", panel["title"]);
    }
}

#[test]
fn prometheus_takes_the_rules() {
    let rules = docs().join("alerts.yaml");
    match Command::new("promtool").args(["check", "rules"]).arg(&rules).output() {
        Ok(checked) => assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr)),
        Err(error) => eprintln!("skipped, since promtool does not start: {error}"),
    }
}
