//! The output on a terminal, and the question asked there.

use crate::place;
use queue_e2e::{CommandDirectory, Terminal};

fn on(columns: u16, place: &CommandDirectory, arguments: &[&str]) -> String {
    Terminal { columns, typed: "" }.run(place, arguments).ok().text().to_owned()
}

#[test]
fn a_table_fits_the_terminal_and_shows_ids_as_long_as_it_can() {
    let place = place();
    let words = "the mail server refused the connection because of a certificate that is out of date";
    let id = place.run(&["enqueue", "x", "--json"]).ok().object()["id"].as_str().unwrap().to_owned();
    place.run(&["work", "--exec", &format!("echo {words} >&2; exit 65"), "--drain"]).code(1);
    let piped = place.run(&["list"]).ok();
    assert!(piped.text().contains("PRIORITY") && piped.text().contains("the mail server refused the c"));
    for columns in [76, 80, 100, 120] {
        let table = on(columns, &place, &["list"]);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 2, "one row a line: {table}");
        assert!(lines[1].starts_with(&id), "the id is whole: {table}");
        assert!(lines.iter().all(|line| line.chars().count() <= usize::from(columns)), "{columns}: {table}");
    }
}

#[test]
fn a_long_value_goes_on_below_itself_between_words() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    let words = "certificate ".repeat(12);
    place.run(&["work", "--exec", &format!("echo {words} >&2; exit 65"), "--drain"]).code(1);
    let shown = on(60, &place, &["status", "a"]);
    assert!(shown.lines().all(|line| line.len() <= 60), "{shown}");
    assert!(shown.contains("\n             certificate certificate "), "{shown}");
    assert_eq!(shown.matches("certificate").count(), 12, "no word is cut: {shown}");
}

#[test]
fn bytes_are_escaped_on_a_terminal_and_raw_elsewhere_or_on_demand() {
    let place = place();
    place.run_with(&["enqueue", "-", "--id", "a"], b"one\n\x1b[31mtwo\xff").ok();
    assert_eq!(on(80, &place, &["show", "a", "--payload"]), "one\n\\u{1b}[31mtwo\\xff\n");
    assert_eq!(on(80, &place, &["show", "a", "--payload", "--raw"]), "one\n\u{1b}[31mtwo\u{fffd}");
    place.run(&["work", "--exec", "printf 'done\\033[0m'", "--drain"]).ok();
    for command in ["result", "wait"] {
        assert_eq!(place.run(&[command, "a"]).ok().stdout, b"done\x1b[0m");
        assert_eq!(on(80, &place, &[command, "a"]), "done\\u{1b}[0m\n");
        assert_eq!(on(80, &place, &[command, "a", "--raw"]), "done\u{1b}[0m");
    }
}

#[test]
fn everything_is_removed_only_when_somebody_says_yes() {
    let place = place();
    place.run(&["enqueue", "x"]).ok();
    let total = || place.run(&["stats", "--json"]).ok().object()["total"].clone();
    let ran = place.run(&["prune", "--everything"]).code(2);
    assert!(ran.stderr.contains("add --yes to confirm"), "{ran:?}");
    let prune = |typed| Terminal { columns: 80, typed }.run(&place, &["prune", "--everything"]);
    for typed in ["no\n", "\n", "y\n"] {
        let ran = prune(typed).code(1);
        assert!(ran.text().contains("removes every job of the queue \"default\""), "{ran:?}");
        assert_eq!(total(), 1, "{typed:?}");
    }
    assert!(prune("yes\n").ok().text().ends_with("removed 1 job\n"));
    place.run(&["stats"]).code(3);
    place.run(&["prune", "--yes"]).code(2);
}

#[test]
fn records_of_a_filter_are_removed_only_when_somebody_says_yes() {
    let place = place();
    for id in ["a", "b"] {
        place.run(&["enqueue", "x", "--id", id, "--tag", "t"]).ok();
    }
    place.run(&["work", "--exec", "true", "--drain"]).ok();
    let total = || place.run(&["stats", "--json"]).ok().object()["total"].clone();
    let removing: [&[&str]; 4] = [
        &["delete", "--tag", "t", "--state", "completed"],
        &["bulk", "delete", "--tag", "t", "--state", "completed"],
        &["bulk", "retain", "none", "--tag", "t", "--state", "completed"],
        &["bulk", "retain", "0s", "--tag", "t", "--state", "completed"],
    ];
    for command in removing {
        let ran = place.run(command).code(2);
        assert!(ran.stderr.contains("add --yes to confirm"), "{ran:?}");
        for typed in ["no\n", "\n", "y\n"] {
            let ran = Terminal { columns: 80, typed }.run(&place, command).code(1);
            assert!(ran.text().contains("this removes 2 jobs of the queue \"default\""), "{ran:?}");
        }
        place.run(&[command, &["--dry-run"]].concat()).ok();
        assert_eq!(total(), 2, "{command:?} removed something unasked");
    }
    assert_eq!(place.run(&["operations", "--json"]).ok().objects().len(), 0, "none was begun");
    // What keeps records, or ends jobs that can be redriven, does not ask.
    place.run(&["bulk", "retain", "1h", "--tag", "t", "--state", "completed"]).ok();
    place.run(&["bulk", "cancel", "--tag", "t", "--state", "queued"]).ok();
    place.run(&["delete", "a"]).ok();
    let said_yes = Terminal { columns: 80, typed: "yes\n" }.run(&place, removing[0]).ok();
    assert!(said_yes.text().contains("deleted 1 job"), "{said_yes:?}");
    place.run(&["enqueue", "x", "--id", "c", "--tag", "t"]).ok();
    place.run(&["bulk", "delete", "--tag", "t", "--state", "queued", "--yes"]).ok();
    place.run(&["status", "c"]).code(3);
}
