//! `queue doctor` from a shell: what it says, how it exits, and what it gives away.

use crate::place;
use queue_e2e::CommandDirectory;
use std::{collections::BTreeSet, process::Command};

/// What depends on the machine that runs the tests.
const MACHINE: [&str; 6] = ["--accept", "disk-room", "--accept", "disk-kind", "--accept", "file-watches"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["doctor"], &MACHINE[..], more].concat()
}

fn filled() -> CommandDirectory {
    let place = place();
    place.run(&["enqueue", "a-telling-payload", "--id", "a-telling-id", "--tag", "a-telling-tag"]).ok();
    place.run(&["enqueue", "x", "--id", "failing", "--header", "note=a-telling-header"]).ok();
    let exec = "echo a-telling-error >&2; exit 65";
    place.run(&["work", "--exec", exec, "--drain", "--concurrency", "1"]);
    place.run(&["enqueue", "x", "--id", "id-of-one"]).ok();
    place
}

#[test]
fn a_store_that_is_well_exits_with_0_and_a_restored_one_with_1() {
    let place = filled();
    let well = place.run(&with(&[])).ok();
    assert!(well.text().contains("fine     hints-arrive: a hint took"), "{well:?}");
    let restored = place.run(&with(&["--restored"])).code(1);
    assert!(
        restored.text().contains("warning  restored-fences: \"default\" goes on behind seq 3"),
        "{restored:?}"
    );
    assert!(restored.text().contains("         do: seq and epoch went back"), "{restored:?}");
    let moment = restored.text().lines().find(|line| line.contains("restored-age")).map(str::to_owned);
    let moment = moment.expect("it says how old the backup is");
    assert!(moment.contains(" ago, at 2") && moment.ends_with('Z'), "a date: {moment}");
    let accepted = ["restored-fences", "restored-age", "restored-waiting"].map(|code| ["--accept", code]);
    place.run(&with(&[&["--restored"], accepted.as_flattened()].concat())).ok();
}

#[test]
fn each_finding_is_an_object_with_a_code_of_its_own() {
    let place = filled();
    let findings = place.run(&with(&["--json"])).ok().objects();
    let codes: BTreeSet<_> =
        findings.iter().map(|finding| finding["code"].as_str().expect("a code")).collect();
    assert_eq!(codes.len(), findings.len());
    assert!(codes.contains("sqlite-log") && codes.contains("leases-lapsed"), "{codes:?}");
    for finding in &findings {
        assert_eq!(finding["accepted"], MACHINE.contains(&finding["code"].as_str().expect("a code")));
    }
}

#[test]
fn a_look_leaves_the_store_as_it_was() {
    let place = filled();
    let list = || place.run(&["list", "--json"]).ok().objects().len();
    let before = list();
    place.run(&with(&[])).ok();
    assert_eq!(list(), before);
    assert_eq!(place.run(&["list", "--queue", "queue.doctor", "--json"]).ok().objects().len(), 0);
}

#[test]
fn a_bundle_has_no_payload_no_id_no_error_and_no_tag() {
    let place = filled();
    place.run(&with(&["--bundle", "bundle.tar.gz"])).ok();
    let unpack = |options: &str| {
        let unpacked = Command::new("tar").arg(options).arg(place.path().join("bundle.tar.gz")).output();
        let unpacked = unpacked.expect("tar runs");
        assert!(unpacked.status.success(), "{unpacked:?}");
        String::from_utf8(unpacked.stdout).expect("text")
    };
    let names = unpack("-tzf");
    for name in ["README.txt", "about.json", "findings.json", "queues.json", "workers.json"] {
        assert!(names.contains(&format!("queue-doctor/{name}")), "{names}");
    }
    let all = unpack("-xzOf");
    assert!(all.contains("sqlite-log") && all.contains("\"default\""), "{all}");
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let is_name = |name: &&str| name.len() > 5;
    for secret in ["a-telling", "id-of-one"].into_iter().chain([host.trim()].into_iter().filter(is_name)) {
        assert!(!all.contains(secret), "{secret}: {all}");
    }
    // It is not written over.
    place.run(&with(&["--bundle", "bundle.tar.gz"])).code(2);
}

#[test]
fn a_path_without_a_store_is_refused_as_by_every_command() {
    let place = place();
    let refused = place.run(&["doctor"]).code(2);
    assert!(refused.stderr.contains("there is no store"), "{refused:?}");
    assert!(place.run(&["doctor", "--accept", "No Code"]).code(2).stderr.contains("no code of a finding"));
}

#[test]
fn a_store_that_does_not_open_is_broken() {
    let place = place();
    let store = ["--store", "postgres://app:a-telling-password@127.0.0.1:1/jobs"];
    let arguments = [&["doctor", "--json", "--bundle", "bundle.tar.gz"], &store[..]].concat();
    let found = place.run(&arguments).code(2);
    let finding = found.object();
    assert_eq!((&finding["code"], &finding["severity"]), (&"store-opens".into(), &"broken".into()));
    assert!(!finding.to_string().contains("a-telling-password"), "{finding}");
}

#[test]
fn a_file_that_does_not_open_is_told_with_what_its_disk_is_like() {
    let place = filled();
    std::fs::write(place.path().join("queue.db"), [7; 8_192]).expect("it is written");
    let found = place.run(&with(&["--json"])).code(2).objects();
    let codes: Vec<_> = found.iter().filter_map(|finding| finding["code"].as_str()).collect();
    assert_eq!(codes[0], "store-opens", "the worst first: {found:?}");
    assert!(codes.contains(&"disk-room") && codes.contains(&"disk-kind"), "{codes:?}");
}
