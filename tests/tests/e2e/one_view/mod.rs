//! Every face shows the same: the same filter gives the same jobs, and a number above a list is the
//! length of that list.

mod documents;
mod stored;
mod words;

use crate::{place, remote_working::keep, serving::Served, stores};
use bytes::Bytes;
use queue::{Queue, QueueName, Storage, Timestamp, WorkerId, open, queue_core::WorkerInfo};
use queue_e2e::CommandDirectory;
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use stored::{GATED, STORED, Stored, fill};

/// A queue of which a worker counted something.
const COUNTED: &str = "counted";
/// A worker of the queue `mail`.
const WORKER: &str = "web-3-17";

type Parts<'a> = Vec<(&'static str, &'a str)>;

/// Every filter of no part, of one and of two.
fn filters(middle: &str) -> Vec<Parts<'_>> {
    let states = [
        "due",
        "scheduled",
        "parked",
        "gated",
        "queued",
        "processing",
        "lapsed",
        "failing",
        "completed",
        "failed",
        "cancelled",
    ];
    let others = [
        ("kind", "first"),
        ("tag", "a"),
        ("worker", "w-1"),
        ("id_prefix", "x-"),
        ("since_ms", middle),
        ("until_ms", middle),
    ];
    let all: Parts<'_> = states.map(|state| ("state", state)).into_iter().chain(others).collect();
    let mut filters = vec![Vec::new()];
    for (at, one) in all.iter().enumerate() {
        filters.push(vec![*one]);
        filters.extend(all[at + 1..].iter().map(|other| vec![*one, *other]));
    }
    // `since` and `until` the same moment is no time.
    filters.retain(|parts| !(parts.contains(&("since_ms", middle)) && parts.contains(&("until_ms", middle))));
    filters
}

/// The ids that a filter means; `None` for one that no job can match.
fn meant(parts: &Parts<'_>) -> Option<BTreeSet<String>> {
    let held = |(part, value): &&(&str, &str)| *part == "state" && !["processing", "lapsed"].contains(value);
    if parts.iter().any(|(part, _)| *part == "worker") && parts.iter().any(|part| held(&part)) {
        return None;
    }
    let names: BTreeSet<&str> = parts.iter().map(|(part, _)| *part).collect();
    // A part that is given twice means jobs of either; all parts are to match.
    let fits = |job: &&Stored, name: &str| {
        parts.iter().any(|(part, value)| *part == name && job.matches(part, value))
    };
    let found = STORED.iter().filter(|job| names.iter().all(|name| fits(job, name)));
    Some(found.map(|job| job.id.to_owned()).collect())
}

/// A server, and the faces that look at its store.
struct Faces<'a> {
    place: &'a CommandDirectory,
    served: &'a Served,
    token: String,
    /// The arguments by which the command finds the store.
    store: Vec<String>,
}

impl Faces<'_> {
    fn query(parts: &Parts<'_>) -> String {
        let pairs: Vec<String> = parts.iter().map(|(part, value)| format!("{part}={value}")).collect();
        pairs.join("&")
    }

    /// `GET /v1/../jobs`, page by page.
    fn v1(&self, parts: &Parts<'_>) -> Option<BTreeSet<String>> {
        let head = format!("GET /v1/queues/mail/jobs?limit=1000&{}", Self::query(parts));
        let (status, answer) = self.served.call(&self.token, &head, "");
        if status == 400 {
            return None;
        }
        assert_eq!((status, &answer["next"]), (200, &Value::Null), "{parts:?}: {answer}");
        Some(answer["jobs"].as_array().expect("jobs").iter().map(id_of).collect())
    }

    /// The rows of the page of jobs, and the number on its current tab.
    fn page(&self, parts: &Parts<'_>) -> Option<(BTreeSet<String>, Option<usize>)> {
        let head = format!("GET /jobs?queue=mail&{}", Self::query(parts));
        let page = self.served.text(&self.token, &head);
        if page.contains("This did not work") {
            return None;
        }
        let (_, tabs) = page.split_once("<nav class=\"tabs\"").unwrap_or_else(|| panic!("{parts:?}: {page}"));
        let current = tabs.split("</li>").find(|tab| tab.contains("aria-current"));
        let count = current.and_then(|tab| tab.split_once("class=\"count\">")).and_then(|(_, rest)| {
            rest.split('<').next().map(|number| number.parse().expect("a small number"))
        });
        let rows = page.split("<a class=\"id\" href=\"").skip(1);
        let ids = rows.map(|row| between(row, "\"><bdi>", "</bdi></a>").to_owned()).collect();
        Some((ids, count))
    }

    /// `queue list`.
    fn command(&self, parts: &Parts<'_>) -> Option<BTreeSet<String>> {
        let options = parts
            .iter()
            .flat_map(|(part, value)| [format!("--{}", part.replace('_', "-")), (*value).to_owned()]);
        let arguments: Vec<String> =
            ["list", "--json", "--limit", "1000"].map(str::to_owned).into_iter().chain(options).collect();
        let run = self.run(&arguments);
        (run.code != 2).then(|| run.ok().objects().iter().map(id_of).collect())
    }

    /// The jobs view of `queue top`, and the number of the state that is shown.
    fn top(&self, parts: &Parts<'_>) -> Option<(BTreeSet<String>, Option<usize>)> {
        let words: Vec<String> = parts.iter().map(|(part, value)| format!("{part}={value}")).collect();
        let arguments = ["top", "--once", "--view", "jobs", "--filter", &words.join(" ")].map(str::to_owned);
        let run = self.run(&arguments);
        if run.code == 2 {
            return None;
        }
        let run = run.ok();
        let shown: Vec<&str> = run.text().split_whitespace().collect();
        let ids = STORED.iter().map(|job| job.id).filter(|id| shown.contains(id));
        let count =
            run.text().split_once('[').map(|(_, rest)| between(rest, " ", "]").parse().expect("a number"));
        Some((ids.map(str::to_owned).collect(), count))
    }

    /// How many jobs an operation would meet; `None` if it is none that anything applies to.
    fn dry_run(&self, parts: &Parts<'_>) -> Option<u64> {
        let standings: Vec<&str> =
            parts.iter().filter(|(part, _)| *part == "state").map(|(_, state)| *state).collect();
        let runs = |state: &&str| ["processing", "lapsed"].contains(state);
        let action = match (standings.is_empty(), standings.iter().any(runs)) {
            (true, _) => return None,
            (false, false) => "delete",
            (false, true) => "cancel",
        };
        let mut filter = json!({ "states": standings });
        for (part, value) in parts.iter().filter(|(part, _)| *part != "state") {
            filter[part] = if part.ends_with("_ms") {
                value.parse::<i64>().expect("a time").into()
            } else {
                (*value).into()
            };
        }
        let mut body = json!({"filter": filter, "dry_run": true});
        if action == "cancel" {
            body["processing"] = "request".into();
        }
        let head = format!("POST /v1/queues/mail/jobs:{action}");
        let (status, answer) = self.served.call(&self.token, &head, &body.to_string());
        (status == 200).then(|| answer["jobs"].as_u64().expect("a number"))
    }

    fn run(&self, arguments: &[String]) -> queue_e2e::CommandRun {
        let queue = ["--queue", "mail"].map(str::to_owned);
        self.run_anywhere(&arguments.iter().chain(&queue).cloned().collect::<Vec<_>>())
    }

    fn run_anywhere(&self, arguments: &[String]) -> queue_e2e::CommandRun {
        let all: Vec<&str> = arguments.iter().chain(&self.store).map(String::as_str).collect();
        self.place.run(&all)
    }
}

fn id_of(job: &Value) -> String {
    job["id"].as_str().expect("an id").to_owned()
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(begin).unwrap_or_else(|| panic!("{begin:?} is not in {text:?}"));
    rest.split(end).next().expect("there is a first")
}

/// Whether a filter says a time, which the command takes as a length of time before now.
fn says_a_time(parts: &Parts<'_>) -> bool {
    parts.iter().any(|(part, _)| part.ends_with("_ms"))
}

fn every_filter_gives_the_same_jobs(faces: &Faces<'_>, pairs: Pairs, middle: Timestamp) {
    let middle = middle.as_millis().to_string();
    for parts in pairs.of(filters(&middle)) {
        let expected = meant(&parts);
        assert_eq!(faces.v1(&parts), expected, "/v1, {parts:?}");
        let (rows, tab) = faces.page(&parts).map_or((None, None), |(rows, tab)| (Some(rows), tab));
        assert_eq!(rows, expected, "the dashboard, {parts:?}");
        let (sheet, state) = faces.top(&parts).map_or((None, None), |(rows, state)| (Some(rows), state));
        assert_eq!(sheet, expected, "top, {parts:?}");
        if !says_a_time(&parts) {
            assert_eq!(faces.command(&parts), expected, "the command, {parts:?}");
        }
        let Some(expected) = expected else { continue };
        if let Some(counted) = faces.dry_run(&parts) {
            // What is done to many jobs leaves a gated one alone, unless the filter names it.
            let names_gated = parts.contains(&("state", "gated"));
            let met = expected.iter().filter(|id| names_gated || *id != GATED).count();
            assert_eq!(counted, met as u64, "a dry run, {parts:?}");
        }
        // The number above a list counts the state alone, without the other parts of the filter.
        if parts.len() <= 1 && parts.iter().all(|(part, _)| *part == "state") {
            for number in [tab, state].into_iter().flatten() {
                assert_eq!(number, expected.len(), "the number above the list, {parts:?}");
            }
        }
    }
}

/// Which filters of two parts are tried.
#[derive(Clone, Copy)]
enum Pairs {
    All,
    OneInEight,
}

impl Pairs {
    fn of(self, mut filters: Vec<Parts<'_>>) -> Vec<Parts<'_>> {
        if let Self::OneInEight = self {
            let mut place = 0;
            filters.retain(|parts| {
                place += usize::from(parts.len() == 2);
                parts.len() < 2 || place % 8 == 0
            });
        }
        filters
    }
}

/// Fills a store that a server has, and looks at it by the server and by the command.
fn look(store: &str, pairs: Pairs) {
    let place = place();
    let scopes = ["store", "view", "operate", "payload", "metrics"].map(|scope| ["--scope", scope]);
    let new = ["token", "new", "--tokens", "tokens.json", "--queue", "*"];
    let made = place.run(&[&new[..], scopes.as_flattened()].concat()).ok();
    let token = made.text().trim().to_owned();
    keep(&place, "store.token", &token);
    let served = Served::start(&place, &["--tokens", "tokens.json", "--store", store]);
    let url = format!("http://{}", served.address());
    let file = place.path().join("store.token").display().to_string();
    let found = ["--server", &url, "--token-file", &file].map(str::to_owned).to_vec();
    let faces = Faces { place: &place, served: &served, token, store: found };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let middle = runtime.block_on(async {
        let opened: Arc<dyn Storage> =
            open(&format!("{url}/?token-file={file}")).await.expect("it is served");
        let counted: Queue<String> = Queue::new(opened.clone(), COUNTED).expect("a name");
        counted.enqueue("a", "work".to_owned()).await.expect("it is stored");
        counted.work_with(|_, _| async { Ok(()) }).until_idle().build().expect("a worker").run().await;
        let mut worker = WorkerInfo::new(WorkerId::from_static(WORKER));
        worker.queues = vec![QueueName::from_static("mail")];
        worker.about = Bytes::from_static(br#"{"version":"0.1.0","host":"web-3","started_at":7}"#);
        opened.announce(worker, Duration::from_hours(1)).await.expect("it is present");
        fill(&*opened).await
    });
    every_filter_gives_the_same_jobs(&faces, pairs, middle);
    documents::every_job_is_one_document(&faces);
    words::the_table_of_states_is_what_every_face_shows(&faces);
    documents::everything_else_is_one_document(&faces);
}

#[test]
fn every_filter_gives_the_same_jobs_in_every_face_over_memory() {
    look("memory:", Pairs::All);
}

#[test]
fn every_filter_gives_the_same_jobs_in_every_face_over_sqlite() {
    look("sqlite:one-view.db", Pairs::All);
}

/// What a filter means is decided above the stores, so a slice shows that each store is asked
/// right.
#[test]
fn a_slice_of_the_filters_gives_the_same_jobs_over_every_other_store() {
    for store in stores("one_view").iter().filter(|store| !store.starts_with("sqlite:")) {
        look(store, Pairs::OneInEight);
    }
}
