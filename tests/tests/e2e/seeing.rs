//! What an operator sees of jobs at three in the morning: which failed, why, since when, for whom.

use crate::place;
use queue_e2e::CommandDirectory;
use serde_json::Value;

/// A command that fails for good with the message in its payload.
const FAIL: &str =
    r#"read n; case $n in x) echo 'no route';; *) echo "no row $n in 'orders'";; esac >&2; exit 65"#;

/// Two jobs of tenant 7 that failed alike, one of tenant 8 that failed differently, and one that
/// waits.
fn failures() -> CommandDirectory {
    let place = place();
    for (payload, id, tag) in [("31", "a", "tenant-7"), ("7f3a", "b", "tenant-7"), ("x", "c", "tenant-8")] {
        place.run(&["enqueue", payload, "--id", id, "--tag", tag, "--tag", "all"]).ok();
        place.run(&["work", "--exec", FAIL, "--drain"]).code(1);
    }
    place.run(&["enqueue", "y", "--id", "d", "--tag", "all"]).ok();
    place
}

fn ids(place: &CommandDirectory, arguments: &[&str]) -> Vec<String> {
    let listed = place.run(&[arguments, &["--json"]].concat()).ok().objects();
    listed.iter().map(|job| job["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn errors_are_grouped_by_what_they_have_in_common() {
    let place = failures();
    let groups = place.run(&["errors", "--json"]).ok().objects();
    let [of_two, of_one] = &groups[..] else { panic!("two groups, not {groups:?}") };
    assert_eq!((&of_two["failed"], &of_one["failed"]), (&2.into(), &1.into()));
    assert_eq!((&of_two["examples"][0], &of_one["examples"][0]), (&"b".into(), &"c".into()), "the newest");
    let message = of_two["error"]["message"].as_str().expect("a message");
    assert!(message.ends_with("no row # in \"…\""), "{message}");
    for group in &groups {
        assert_eq!((&group["looked_at"], &group["failing"]), (&3.into(), &0.into()));
    }
    let table = place.run(&["errors"]).ok();
    assert!(
        table.text().contains("no route") && table.text().contains("Looked at the newest 3 jobs"),
        "{table:?}"
    );
}

/// Both showed one queue alone, so a person asked each of them.
#[test]
fn all_queues_are_asked_at_once_what_fails_and_where_an_id_is() {
    let place = failures();
    place.run(&["--queue", "other", "enqueue", "x", "--id", "there"]).ok();
    place.run(&["--queue", "other", "work", "--exec", FAIL, "--drain"]).code(1);
    let groups = place.run(&["errors", "--all-queues", "--since", "1h", "--json"]).ok().objects();
    let queues: Vec<&str> = groups.iter().filter_map(|group| group["queue"].as_str()).collect();
    assert_eq!(queues, ["default", "other", "default"], "by size, and then by time");
    let table = place.run(&["errors", "--all-queues"]).ok();
    assert!(table.text().starts_with("QUEUE ") && table.text().contains("other"), "{table:?}");
    let found = place.run(&["list", "--all-queues", "--id-prefix", "there", "--json"]).ok().objects();
    assert_eq!((found.len(), &found[0]["queue"]), (1, &"other".into()), "{found:?}");
    assert_eq!(ids(&place, &["list", "--all-queues", "--state", "failed"]), ["there", "c", "b", "a"]);
}

#[test]
fn show_tells_the_life_of_a_job() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--header", "tenant=7=x", "--tag", "import"]).ok();
    let exec = "test $QUEUE_ATTEMPT = 3 || { echo broken at $QUEUE_ATTEMPT >&2; exit 1; }; cat";
    place.run(&["work", "--exec", exec, "--drain", "--retry-wait", "1ms"]).ok();
    let shown = place.run(&["show", "a"]).ok();
    let steps = ["enqueued", "attempt 1 failed", "attempt 2 failed", "attempt 3 completed"];
    for words in steps.iter().chain(&["broken at 2", "tenant: 7=x", "import"]) {
        assert!(shown.text().contains(words), "{words}: {shown:?}");
    }
    let job = place.run(&["show", "a", "--json"]).ok().object();
    let charged = job["attempt_log"].as_array().expect("a list");
    assert_eq!((charged.len(), &charged[1]["epoch"]), (2, &2.into()));
    assert_eq!((&charged[0]["outcome"], &job["tags"][0]), (&"failed".into(), &"import".into()));
    assert_eq!(job["headers"]["tenant"], "7=x");
    assert!(job["run_ms"].is_u64() && job["wait_ms"].is_u64(), "{job}");
}

#[test]
fn jobs_of_one_tag_are_listed_redriven_cancelled_and_removed_without_the_others() {
    let place = failures();
    assert_eq!(ids(&place, &["list", "--tag", "all"]), ["d", "c", "b", "a"]);
    assert_eq!(ids(&place, &["list", "--tag", "tenant-7", "--state", "failed"]), ["b", "a"]);
    let redriven = place.run(&["redrive", "--tag", "tenant-7", "--json"]).ok().object();
    assert_eq!((&redriven["done"], &redriven["failed"]), (&Value::from(2), &Value::from(0)));
    let cancelled = place.run(&["cancel", "--tag", "all", "--json"]).ok().object();
    assert_eq!((&cancelled["done"], &cancelled["skipped"]), (&Value::from(3), &Value::from(0)));
    let removed = place.run(&["prune", "--tag", "tenant-8", "--json"]).ok().object();
    assert_eq!(removed["removed"], 1);
    assert_eq!(ids(&place, &["list", "--state", "cancelled"]).len(), 3);
    assert!(place.run(&["redrive", "--tag", "nobody"]).ok().text().contains("queued 0 jobs"));
    place.run(&["redrive", "--tag", "a\nb"]).code(2);
    place.run(&["enqueue", "x", "--header", "novalue"]).code(2);
    place.run(&["enqueue", "x", "--tag", ""]).code(2);
}

/// Messages are grouped without their numbers, but the exit code of a command is its error.
#[test]
fn failures_with_different_exit_codes_are_groups_of_their_own() {
    let place = place();
    for id in ["3", "4"] {
        place.run(&["enqueue", "x", "--id", id, "--max-attempts", "1"]).ok();
    }
    place.run(&["work", "--exec", "exit $QUEUE_ID", "--drain"]).code(1);
    let table = place.run(&["errors"]).ok();
    assert!(table.text().contains("Exit3: ") && table.text().contains("Exit4: "), "{table:?}");
}
