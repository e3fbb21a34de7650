//! `queue limits` and `queue partitions`, over the store and over a service.

use crate::{
    place,
    remote_working::{keep, with},
    serving::{Served, token},
};
use queue_e2e::CommandDirectory;
use serde_json::{Value, json};

fn enqueue(place: &CommandDirectory, partition: &str, count: usize) {
    for number in 0..count {
        let id = format!("{partition}-{number}");
        place.run(&["enqueue", "x", "--id", &id, "--partition", partition, "--queue", "mail"]).ok();
    }
}

/// The objects of a listing without what depends on when it was read.
fn listed(place: &CommandDirectory, command: &[&str]) -> Vec<Value> {
    let mut objects = place.run(&[command, &["--json"]].concat()).ok().objects();
    for object in &mut objects {
        object.as_object_mut().expect("an object").remove("oldest_due_age_ms");
    }
    objects
}

fn keys(place: &CommandDirectory, command: &[&str]) -> Vec<String> {
    let key = |object: &Value| object["partition"].as_str().expect("a key").to_owned();
    listed(place, command).iter().map(key).collect()
}

#[test]
fn limits_are_set_by_their_parts_and_what_is_not_named_stays() {
    let place = place();
    enqueue(&place, "acme", 1);
    let run = |command: &[&str]| place.run(&[&["limits"][..], command, &["--queue", "mail"]].concat());
    let limits = || run(&["ls", "--json"]).ok().object();
    assert_eq!(limits(), json!({"each": null, "unpartitioned": null, "partitions": {}}));
    let set = run(&["set", "--each", "--running", "3"]).ok();
    assert_eq!(set.text(), "each partition: 3 at once, weight 1\n");
    // Of a partition without a limit of its own that of each is in force.
    let set = run(&["set", "--partition", "acme", "--weight", "5", "--json"]).ok().object();
    let acme = json!({"running": 3, "weight": 5});
    assert_eq!(
        set,
        json!({"queue": "mail", "of": "partition", "partition": "acme", "answer": "set", "limit": acme})
    );
    run(&["set", "--partition", "acme", "--running", "0"]).ok();
    run(&["set", "--unpartitioned", "--weight", "2"]).ok();
    assert_eq!(
        limits(),
        json!({
            "each": {"running": 3, "weight": 1}, "unpartitioned": {"running": null, "weight": 2},
            "partitions": {"acme": {"running": 0, "weight": 5}}})
    );
    run(&["set", "--partition", "acme", "--running", "unlimited"]).ok();
    let table = run(&["ls"]).ok().text().to_owned();
    assert!(table.contains("partition      acme       unlimited  5"), "{table}");
    let removed = run(&["rm", "--partition", "acme"]).ok();
    assert_eq!(removed.text(), "partition acme: no limit of its own\n");
    run(&["rm", "--partition", "never"]).ok();
    assert_eq!(limits()["partitions"], json!({}));
}

#[test]
fn a_paused_partition_keeps_its_jobs_and_the_others_go_on() {
    let place = place();
    enqueue(&place, "acme", 2);
    enqueue(&place, "zeta", 2);
    place.run(&["limits", "set", "--partition", "acme", "--running", "0", "--queue", "mail"]).ok();
    place.run(&["work", "--exec", "cat >/dev/null", "--drain", "--queue", "mail"]).ok();
    assert_eq!(keys(&place, &["partitions", "--queue", "mail"]), ["acme"]);
    let shown = place.run(&["show", "acme-0", "--queue", "mail"]).ok().text().to_owned();
    assert!(shown.contains("waits for a slot of \"acme\" (0 of 0)"), "{shown}");
    assert!(shown.contains("due, but its partition is full"), "{shown}");
    place.run(&["limits", "rm", "--partition", "acme", "--queue", "mail"]).ok();
    place.run(&["work", "--exec", "cat >/dev/null", "--drain", "--queue", "mail"]).ok();
    assert_eq!(keys(&place, &["partitions", "--queue", "mail"]), [""; 0]);
}

#[test]
fn partitions_are_listed_in_their_orders_and_page_by_page_over_narrow_tokens_too() {
    let place = place();
    place.run(&["token", "rotate-key", "--key-file", "keys.json", "--after", "0s"]).ok();
    keep(&place, "see", &token(&place, &["view", "payload"]));
    let served = Served::start(&place, &["--tokens", "tokens.json", "--key-file", "keys.json"]);
    let url = format!("http://{}", served.address());
    for (partition, count) in [("acme", 1), ("beta", 3), ("zeta", 2)] {
        enqueue(&place, partition, count);
    }
    place.run(&["limits", "set", "--each", "--running", "3", "--queue", "mail"]).ok();
    place.run(&["limits", "set", "--partition", "zeta", "--running", "0", "--queue", "mail"]).ok();
    for (options, expected) in [
        (&[][..], &["acme", "beta", "zeta"][..]),
        (&["--sort", "fullest"], &["zeta", "beta", "acme"]),
        (&["--sort", "longest-waiting"], &["acme", "beta", "zeta"]),
        (&["--sort", "fullest", "--limit", "1"], &["zeta"]),
        (&["--limit", "2"], &["acme", "beta"]),
        (&["--after", "beta"], &["zeta"]),
        (&["--after", "b"], &["beta", "zeta"]),
    ] {
        let local = [&["partitions", "--queue", "mail"][..], options].concat();
        let narrow = with(&url, "see", &[&["partitions"][..], options].concat());
        assert_eq!(keys(&place, &local), expected, "{options:?}");
        assert_eq!(listed(&place, &narrow), listed(&place, &local), "{options:?}");
    }
    let cut = place.run(&["partitions", "--limit", "2", "--queue", "mail"]).ok();
    assert!(cut.stderr.contains("--after beta"), "{}", cut.stderr);
    let table = cut.text();
    assert!(table.contains("acme       0 of 3        1       1"), "{table}");
    let shown = place.run(&with(&url, "see", &["show", "zeta-0", "--json"])).ok().object();
    assert_eq!(shown["waits_for_slot"], json!({"leases": 0, "running": 0}));
    let paged = listed(&place, &with(&url, "see", &["partitions"]));
    assert_eq!(
        paged[2],
        json!({
            "partition": "zeta", "leases": 0, "limit": {"running": 0, "weight": 1}, "has_own_limit": true,
            "is_full": true, "waiting": 2})
    );
}
