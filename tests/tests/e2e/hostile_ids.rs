//! Ids and queue names full of special characters, taken from the enqueue to the result.

use crate::place;

/// Ids that would harm a program that parses them, makes paths of them, or puts them into a query.
fn ids() -> Vec<String> {
    let mut ids: Vec<String> = [
        "a:b",
        "../../x",
        "/etc/passwd",
        "x:exp",
        "{tag}",
        "'; DROP TABLE queue_job; --",
        "%s",
        "a b",
        " ",
        "*",
        "\\",
    ]
    .map(str::to_owned)
    .into();
    // The longest ids, in several scripts.
    for letter in ["x", "é", "ж", "字", "\u{1F600}"] {
        let mut id = letter.repeat(255 / letter.len());
        id.push_str(&"x".repeat(255 - id.len()));
        ids.push(id);
    }
    ids
}

#[test]
fn any_printable_id_makes_the_whole_way() {
    let place = place();
    let ids = ids();
    for id in &ids {
        let payload = format!("payload of {id}");
        let queued = place.run(&["enqueue", &payload, "--id", id, "--json"]).ok().object();
        assert_eq!((&queued["id"], &queued["answer"]), (&id.as_str().into(), &"queued".into()));
        let again = place.run(&["enqueue", &payload, "--id", id, "--json"]).ok().object();
        assert_eq!(again["answer"], "duplicate");
    }
    place.run(&["work", "--exec", "printf %s \"$QUEUE_ID\"", "--drain"]).ok();
    for id in &ids {
        assert_eq!(place.run(&["status", id, "--json"]).ok().object()["state"], "completed");
        assert_eq!(place.run(&["result", id]).ok().text(), id);
    }
    let listed = place.run(&["list", "--oldest-first", "--json"]).ok().objects();
    assert_eq!(listed.iter().map(|job| job["id"].clone()).collect::<Vec<_>>(), ids);
}

#[test]
fn any_printable_queue_name_is_a_queue_of_its_own() {
    let place = place();
    let names = ids();
    for name in &names {
        place.run(&["enqueue", name, "--id", "same", "--queue", name]).ok();
    }
    for name in &names {
        let stats = place.run(&["stats", "--queue", name, "--json"]).ok().object();
        assert_eq!((&stats["queue"], &stats["total"]), (&name.as_str().into(), &1.into()));
    }
}
