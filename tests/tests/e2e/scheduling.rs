//! `queue schedule`, as used from a shell alone.

use crate::place;
use queue_e2e::{CommandDirectory, until};
use std::fs;

const NIGHTLY: [&str; 8] = [
    "schedule",
    "add",
    "nightly",
    "--cron",
    "30 2 * * *",
    "--zone",
    "Europe/Berlin",
    "{\"day\":\"$queue.tick\"}",
];

#[test]
fn a_schedule_is_added_once_shown_paused_run_and_removed() {
    let place = place();
    assert_eq!(place.run(&NIGHTLY).ok().text(), "created nightly\n");
    assert_eq!(place.run(&NIGHTLY).ok().text(), "unchanged nightly\n");
    let latest = [&NIGHTLY[..], &["--missed", "latest"]].concat();
    assert_eq!(place.run(&latest).ok().text(), "changed nightly\n");
    let listed = place.run(&["schedule", "ls", "--json"]).ok().object();
    assert_eq!((&listed["schedule"], &listed["state"]), (&"nightly".into(), &"on".into()));
    assert_eq!(place.run(&["schedule", "pause", "nightly"]).ok().text(), "paused nightly\n");
    assert!(place.run(&["schedule", "ls"]).ok().text().contains("paused"));
    let ran = place.run(&["schedule", "run", "nightly", "--json"]).ok().object();
    let id = ran["id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("nightly@20"), "{id}");
    let moment = id.strip_prefix("nightly@").expect("just seen");
    let payload = place.run(&["show", &id, "--payload"]).ok();
    assert_eq!(payload.text(), format!("{{\"day\":\"{moment}\"}}"));
    assert_eq!(place.run(&["schedule", "rm", "nightly"]).ok().text(), "removed nightly\n");
    place.run(&["schedule", "rm", "nightly"]).code(3);
    assert_eq!(place.run(&["schedule", "ls", "--json"]).ok().text(), "");
}

/// The folder of a machine that has one zone alone.
fn folder_of_one_zone(place: &CommandDirectory) -> String {
    let folder = place.path().join("zones");
    fs::create_dir_all(folder.join("Asia")).expect("the place is fresh");
    fs::copy("/usr/share/zoneinfo/Asia/Tokyo", folder.join("Asia/Tokyo")).expect("the machine has zones");
    folder.display().to_string()
}

/// Two machines: the folder of one has a zone that the other and the library do not have.
#[test]
fn a_schedule_in_a_zone_that_another_machine_alone_has_is_left_to_it() {
    let place = place();
    let folder = folder_of_one_zone(&place);
    fs::create_dir(format!("{folder}/Mars")).expect("the folder is fresh");
    fs::copy(format!("{folder}/Asia/Tokyo"), format!("{folder}/Mars/Olympus")).expect("just written");
    let there = ("TZDIR", folder.as_str());
    let martian =
        ["schedule", "add", "martian", "--cron", "* * * * * *", "--zone", "Mars/Olympus", "--missed", "all"];
    place.run_where(there, &martian).ok();
    place.run(&["schedule", "add", "daily", "--cron", "@daily"]).ok();
    let listed = place.run(&["schedule", "ls", "--json"]).ok().objects();
    let states = listed.iter().map(|one| (one["schedule"].as_str(), one["state"].as_str()));
    assert_eq!(
        states.collect::<Vec<_>>(),
        [(Some("daily"), Some("on")), (Some("martian"), Some("unreadable"))]
    );
    assert!(place.run(&["schedule", "ls"]).ok().text().contains("Mars/Olympus"));
    let shown = place.run(&["schedule", "show", "martian"]);
    assert!(shown.code(6).stderr.contains("Mars/Olympus"));
    assert!(place.run(&["doctor"]).code(1).text().contains("schedules-unreadable: \"default\" has 1"));
    // A worker of this machine leaves it, and one of the other runs its ticks.
    let work = ["work", "--exec", "cat >> ran"];
    place.run(&[&work[..], &["--drain"]].concat()).ok();
    let other = place.start_where(there, &work);
    until("a tick runs", || fs::read_to_string(place.path().join("ran")).ok().filter(|ran| !ran.is_empty()));
    drop(other);
    assert_eq!(place.run(&["schedule", "rm", "martian"]).ok().text(), "removed martian\n");
}

#[test]
fn a_zone_that_the_folder_of_the_machine_lacks_is_the_librarys_own() {
    let place = place();
    let folder = folder_of_one_zone(&place);
    let next = [
        "schedule",
        "next",
        "--cron",
        "30 2 * * *",
        "--zone",
        "Europe/Kyiv",
        "--from",
        "2026-07-01T00:00Z",
        "-n",
        "1",
    ];
    let shown = place.run_where(("TZDIR", &folder), &next).ok();
    assert!(shown.text().contains("Thu 2026-07-02 02:30:00 +03:00 EEST"), "{}", shown.text());
}

#[test]
fn a_preview_tells_the_zone_and_utc_where_clocks_are_changed() {
    let place = place();
    let next =
        |arguments: &[&str]| place.run(&[&["schedule", "next"], arguments].concat()).ok().text().to_owned();
    let spring =
        next(&["--cron", "30 2 * * *", "--zone", "Europe/Berlin", "--from", "2026-03-28T12:00Z", "-n", "2"]);
    let rows: Vec<&str> = spring.lines().skip(1).collect();
    assert!(rows[0].starts_with("Sun 2026-03-29 03:00:00 +02:00 CEST"), "{spring}");
    assert!(
        rows[0].ends_with("2026-03-29T01:00:00Z") && rows[1].ends_with("2026-03-30T00:30:00Z"),
        "{spring}"
    );
    let autumn = next(&[
        "--cron",
        "*/30 * * * *",
        "--zone",
        "America/New_York",
        "--from",
        "2026-11-01T05:15Z",
        "-n",
        "3",
    ]);
    let rows: Vec<&str> = autumn.lines().skip(1).collect();
    assert!(rows[0].contains("01:30:00 -04:00 EDT") && rows[1].contains("01:00:00 -05:00 EST"), "{autumn}");
    assert!(!place.path().join("queue.db").exists(), "no store is asked");
}

#[test]
fn work_alone_keeps_a_schedule_going() {
    let place = place();
    place.run(&["schedule", "add", "often", "--every", "200ms", "--missed", "all"]).ok();
    let work = place.start(&["work", "--exec", "echo $QUEUE_ID >> ran"]);
    let ran = until("three ticks ran", || {
        let ran = std::fs::read_to_string(place.path().join("ran")).unwrap_or_default();
        Some(ran).filter(|ran| ran.lines().count() >= 3)
    });
    drop(work);
    assert!(ran.lines().all(|id| id.starts_with("often@")), "{ran}");
}

#[test]
fn what_is_no_schedule_is_refused_and_leaves_no_store() {
    let place = place();
    for (arguments, said) in [
        (&["--cron", "0 0 30 2 *"][..], "never fires"),
        (&["--cron", "* * * *"], "no cron pattern"),
        (&["--cron", "* * * * *", "--zone", "Berlin"], "no known time zone"),
        (&["--every", "0s"], "longer than zero"),
        (&["--cron", "* * * * *", "--every", "1h"], "cannot be used with"),
        (&[], "required"),
        (&["--every", "1h", "--kind", "queue.mine"], "reserved"),
        (&["--every", "1h", "--grace", "5s", "--missed", "latest"], "--missed skip"),
    ] {
        let refused = place.run(&[&["schedule", "add", "x"], arguments].concat());
        assert!(refused.stderr.contains(said), "{arguments:?}: {}", refused.stderr);
        refused.code(2);
    }
    assert!(!place.path().join("queue.db").exists(), "nothing was written");
}
