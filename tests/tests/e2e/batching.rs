//! `queue batch`, as used from a shell alone.

use crate::place;
use queue_e2e::{CommandDirectory, until};
use serde_json::{Value, json};
use std::fs;

const OPEN: [&str; 6] = [
    "batch",
    "open",
    "import-7",
    "--on-end",
    "report={\"to\":\"ada\",\"n\":12345678901234567890}",
    "--keep=1h",
];

fn show(place: &CommandDirectory) -> Value {
    place.run(&["batch", "show", "import-7", "--json"]).ok().object()
}

/// Runs a member that says `bad` to its end at once, and writes callbacks down.
const EXEC: [&str; 3] = [
    "work",
    "--exec",
    r#"input=$(cat); case "$input" in bad) exit 2;; *'"batch"'*) echo "$input" >> called;; esac"#,
];

/// Runs all jobs, some of which fail.
fn drain(place: &CommandDirectory) {
    place.run(&[&EXEC[..], &["--drain"]].concat());
}

fn called(place: &CommandDirectory) -> Vec<Value> {
    let text = fs::read_to_string(place.path().join("called")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_batch_is_opened_filled_from_a_file_sealed_and_reported_once() {
    let place = place();
    let seq = place.run(&[&OPEN[..], &["--json"]].concat()).ok().object()["seq"].clone();
    assert_eq!(place.run(&OPEN).ok().text(), format!("open import-7@{seq}\n"), "it is the same batch");
    place.run(&["batch", "open", "import-7", "--on-end", "other"]).code(2);
    fs::write(place.path().join("rows"), "a\nb\nbad\n").expect("the place is fresh");
    let add = ["batch", "add", "import-7", "--lines", "rows", "--max-attempts", "1"];
    let first = place.run(&add).ok().text().to_owned();
    assert!(first.starts_with("queued 3 jobs, 0 duplicates"), "{first}");
    let again = place.run(&add).ok().text().to_owned();
    assert!(again.starts_with("queued 0 jobs, 3 duplicates"), "{again}");
    let added = place.run(&["batch", "add", "import-7", "c", "--id", "row-c", "--json"]).ok().object();
    let id = added["id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("import-7@") && id.ends_with("/row-c"), "{id}");
    place.run(&["cancel", &id]).ok();
    drain(&place);
    assert_eq!(called(&place), Vec::<Value>::new());
    for _ in 0..2 {
        assert_eq!(place.run(&["batch", "seal", "import-7"]).ok().text(), format!("sealed import-7@{seq}\n"));
    }
    assert!(place.run(&["batch", "add", "import-7", "d"]).code(1).stderr.contains("takes no members"));
    let shown = place.run(&["batch", "show", "import-7"]).ok().text().to_owned();
    assert!(shown.contains("100 % of 4") && shown.contains("report at end"), "{shown}");
    drain(&place);
    let reports = called(&place);
    assert_eq!(reports.len(), 1, "{reports:?}");
    for (name, value) in [("added", 4), ("completed", 2), ("failed", 1), ("cancelled", 1)] {
        assert_eq!(reports[0][name], json!(value), "{name}");
    }
    assert_eq!(reports[0]["payload"], json!({"to": "ada", "n": 12_345_678_901_234_567_890_u64}));
    let status = show(&place);
    assert_eq!((&status["state"], &status["waiting"]), (&json!("ended"), &json!(0)));
    let mut listed = place.run(&["batch", "ls", "--json"]).ok().object();
    listed["errors"] = status["errors"].clone();
    assert_eq!(listed, status);
    let failed_at =
        |job: &Value| json!({"id": job["id"], "failed_at_ms": job["failed_at_ms"], "error": job["error"]});
    let failed = place.run(&["list", "--state", "failed", "--json"]).ok().object();
    assert_eq!(status["errors"], json!([failed_at(&failed)]), "in the words of the job");
    assert!(place.run(&["batch", "ls"]).ok().text().contains("import-7"));
    assert!(place.run(&["batch", "retry", "import-7"]).code(1).stderr.contains("has ended"));
}

#[test]
fn the_member_that_runs_longest_is_shown_until_it_ends() {
    let place = place();
    place.run(&OPEN).ok();
    for id in ["1", "2"] {
        place.run(&["batch", "add", "import-7", "a", "--id", id]).ok();
    }
    let idle = show(&place);
    assert_eq!((&idle["oldest"], &idle["errors"]), (&Value::Null, &json!([])));
    assert_eq!(idle["has_worker"], json!(false));
    let shown = place.run(&["batch", "show", "import-7"]).ok().text().to_owned();
    assert!(shown.contains("no worker works on this queue"), "{shown}");
    let waits = "until [ -e go ]; do sleep 0.05; done";
    let _worker = place.start(&["work", "--concurrency", "1", "--exec", waits]);
    let oldest = until("a member runs", || show(&place).get("oldest").cloned());
    let running = place.run(&["list", "--state", "processing", "--json"]).ok().object();
    assert_eq!(oldest, json!({"id": running["id"], "claimed_at_ms": running["claimed_at_ms"]}));
    let shown = place.run(&["batch", "show", "import-7"]).ok().text().to_owned();
    assert!(shown.contains("runs longest") && shown.contains("/1, since"), "{shown}");
    fs::write(place.path().join("go"), "").expect("the place is fresh");
    until("no member runs", || show(&place).get("oldest").is_none().then_some(()));
}

#[test]
fn a_batch_is_cancelled_retried_and_abandoned() {
    let place = place();
    place.run(&OPEN).ok();
    place.run(&["batch", "add", "import-7", "bad", "--id", "1", "--max-attempts", "1"]).ok();
    place.run(&["batch", "add", "import-7", "a", "--id", "2", "--delay", "1h"]).ok();
    let _worker = place.start(&EXEC);
    until("a member fails", || (show(&place)["failed"] == json!(1)).then_some(()));
    assert_eq!(place.run(&["batch", "retry", "import-7"]).ok().text(), "queued 1 member\n");
    let cancelled = place.run(&["batch", "cancel", "import-7", "--json"]).ok().object();
    assert_eq!(cancelled["answer"], json!("cancelling"));
    let reports = until("the callback runs", || Some(called(&place)).filter(|reports| !reports.is_empty()));
    assert_eq!(reports.len(), 1, "{reports:?}");
    let counts = ["was_cancelled", "failed", "cancelled"].map(|name| reports[0][name].clone());
    assert_eq!(counts, [json!(true), json!(1), json!(1)]);
    place.run(&["batch", "cancel", "import-7"]).code(1);
    until("it is swept by itself", || {
        let swept = place.run(&["batch", "sweep", "import-7", "--json"]).ok().object();
        (swept["answer"] == json!("swept")).then_some(())
    });
    assert!(place.run(&["batch", "sweep", "import-7"]).ok().text().starts_with("swept already: import-7@"));
    for command in [&["batch", "show", "import-7"][..], &["batch", "ls"]] {
        let text = place.run(command).ok().text().to_owned();
        assert!(text.contains("ended, cancelled"), "{command:?}: {text}");
    }
    let callback = show(&place)["callbacks"][0]["id"].clone();
    assert_eq!(callback, json!(format!("batch:import-7@{}/end", show(&place)["seq"])));
    place.run(&["batch", "open", "other"]).ok();
    let abandoned = place.run(&["batch", "abandon", "other", "--json"]).ok().object();
    assert_eq!(abandoned["answer"], json!("abandoned"));
    let text = format!("abandoned other@{}\n", abandoned["seq"]);
    assert_eq!(place.run(&["batch", "abandon", "other"]).ok().text(), text);
    place.run(&["batch", "add", "other", "x"]).code(1);
    let shown = place.run(&["batch", "show", "other"]).ok().text().to_owned();
    assert!(shown.contains("until `queue batch sweep`") && !shown.contains("kept for"), "{shown}");
    let swept = place.run(&["batch", "sweep", "other", "--json"]).ok().object();
    assert_eq!(swept["answer"], json!("sweeping"));
    let number = swept["seq"].to_string();
    until("it is swept", || {
        let again = place.run(&["batch", "sweep", "other", "--number", &number]).ok().text().to_owned();
        (again == format!("swept already: other@{number}\n")).then_some(())
    });
    place.run(&["batch", "open", "new"]).ok();
    assert!(place.run(&["batch", "sweep", "new"]).code(1).stderr.contains("is not over"));
    place.run(&["batch", "sweep", "new", "--number", "999"]).code(3);
}

#[test]
fn a_batch_whose_name_was_taken_again_is_found_by_its_number() {
    let place = place();
    place.run(&["batch", "open", "a"]).ok();
    place.run(&["batch", "add", "a", "x", "--id", "1"]).ok();
    let number = place.run(&["batch", "abandon", "a", "--json"]).ok().object()["seq"].to_string();
    let show = ["batch", "show", "a", "--number", &number];
    assert!(place.run(&show).ok().text().contains("counted until"), "its record is there");
    place.run(&["batch", "open", "a"]).ok();
    let why = place.run(&show).code(3).stderr.clone();
    for words in [format!("no record of the batch a@{number}"), format!("queue list --tag batch:a@{number}")]
    {
        assert!(why.contains(&words), "{words}: {why}");
    }
    assert!(why.contains(&format!("queue batch sweep a --number {number}")), "{why}");
    let listed = place.run(&["list", "--tag", &format!("batch:a@{number}"), "--json"]).ok().object();
    assert_eq!(listed["id"], json!(format!("a@{number}/1")));
    let never = place.run(&["batch", "show", "a", "--number", "999"]).code(3).stderr.clone();
    assert!(!never.contains("its members"), "{never}");
}

#[test]
fn a_batch_that_is_not_there_is_not_found_and_bad_callbacks_are_refused() {
    let place = place();
    place.run(&["enqueue", "x"]).ok();
    for command in ["show", "seal", "cancel", "abandon", "retry", "sweep"] {
        place.run(&["batch", command, "nothing"]).code(3);
    }
    place.run(&["batch", "add", "nothing", "x"]).code(3);
    for bad in ["report={", "queue.batch", "=1"] {
        place.run(&["batch", "open", "b", "--on-end", bad]).code(2);
    }
    place.run(&["batch", "open", "a@b"]).code(2);
    let help = place.run(&["batch", "add", "--help"]).ok().text().to_owned();
    assert!(help.contains("--max-attempts"), "{help}");
    for refused in ["--ttl", "--debounce", "--max-wait"] {
        assert!(!help.contains(refused), "{refused}: {help}");
    }
    let refused = place.run(&["batch", "add", "nothing", "x", "--ttl", "1h"]).code(2).stderr.clone();
    assert!(refused.contains("no --ttl") && refused.contains("--keep"), "{refused}");
    assert_eq!(place.run(&["batch", "ls", "--json"]).ok().text(), "");
}
