//! Tables that their heads sort, without script.

use super::{client, dashboard, enqueue, fail_one, get, memory, new_job};
use queue::{
    Change, Raw,
    schedules::{Schedule, Timing},
};
use queue_core::{Failure, Storage, lifecycle::Cause};
use std::{sync::Arc, time::Duration};

/// Texts of the page in the order in which it has them.
fn in_order<'a>(text: &str, names: &[&'a str]) -> Vec<&'a str> {
    let body = text.split("<tbody>").nth(1).unwrap();
    let mut found = names.to_vec();
    found.sort_by_key(|name| body.find(&format!("<bdi>{name}</bdi>")).unwrap());
    found
}

async fn put(store: &Arc<dyn Storage>, queue: &str, name: &str, timing: Timing, kind: &str) {
    let schedule = Schedule::new(name, timing, Raw(new_job("any", "any", "1").payload));
    let kind = queue_core::Kind::new(kind).unwrap();
    client(store, queue).of_kind(kind).schedules().put(&schedule).await.unwrap();
}

#[tokio::test]
async fn schedules_are_sorted_by_each_column() {
    let store = memory();
    let every = |hours| Timing::every(Duration::from_hours(hours)).unwrap();
    put(&store, "pay", "a", every(48), "z").await;
    put(&store, "mail", "b", every(24 * 365 * 20), "y").await;
    put(&store, "mail", "c", every(1), "x").await;
    assert_eq!(client(&store, "mail").schedules().pause("b").await.unwrap(), Change::Done);
    let dashboard = dashboard(store.clone());
    let order = async |path: &str| {
        let text = get(&dashboard, path).await.text;
        (in_order(&text, &["a", "b", "c"]), text)
    };
    let (_, unsorted) = order("/schedules").await;
    assert!(!unsorted.contains("aria-sort") && unsorted.contains("./schedules?sort=next"), "{unsorted}");
    for (sort, expected) in [
        ("schedule", ["a", "b", "c"]),
        ("queue", ["b", "c", "a"]),
        ("state", ["a", "c", "b"]),
        ("kind", ["c", "b", "a"]),
        ("next", ["c", "a", "b"]),
    ] {
        let (found, text) = order(&format!("/schedules?sort={sort}")).await;
        assert_eq!(found, expected, "{sort}: {text}");
        assert_eq!(text.matches("aria-sort=\"ascending\"").count(), 1, "{sort}: {text}");
    }
    let (_, text) = order("/schedules?sort=last").await;
    assert_eq!(text.matches("aria-sort=\"descending\"").count(), 1, "{text}");
    let one = get(&dashboard, "/schedules?queue=mail&sort=kind").await.text;
    assert_eq!(in_order(&one, &["b", "c"]), ["c", "b"], "{one}");
    assert!(
        one.contains("./schedules?queue=mail&#38;sort=last") && !one.contains(">Queue</a></th>"),
        "{one}"
    );
    assert!(one.contains("sort=kind\">"), "an action comes back to the same order: {one}");
}

/// A page of a longer list has the first of no order.
#[tokio::test]
async fn schedules_of_queues_that_were_not_all_read_are_not_sorted() {
    let store = memory();
    let hourly = Timing::every(Duration::from_hours(1)).unwrap();
    for number in 0..101 {
        put(&store, &format!("tenant-{number:03}"), "nightly", hourly.clone(), "k").await;
    }
    let text = get(&dashboard(store), "/schedules?sort=next").await.text;
    assert!(text.contains("1 more queues were not read"), "{text}");
    assert!(!text.contains("aria-sort") && !text.contains("href=\"./schedules?sort="), "{text}");
}

#[tokio::test]
async fn jobs_are_listed_from_either_end_of_their_index() {
    let store = memory();
    for number in 0..60 {
        enqueue(&store, "mail", vec![new_job(&format!("a{number:02}"), "k", "1")]).await;
    }
    let dashboard = dashboard(store.clone());
    let newest = get(&dashboard, "/jobs?queue=mail&kind=k").await.text;
    assert!(newest.contains(">a59<") && newest.contains("order=oldest\">Oldest first</a>"), "{newest}");
    assert!(!newest.contains("aria-sort"), "no column has the order of enqueues: {newest}");
    let oldest = get(&dashboard, "/jobs?queue=mail&kind=k&order=oldest").await.text;
    assert_eq!(in_order(&oldest, &["a01", "a00"]), ["a00", "a01"]);
    assert!(oldest.contains("kind=k\">Newest first</a>") && oldest.contains("oldest first;"), "{oldest}");
    assert!(oldest.contains("name=\"order\" value=\"oldest\""), "a filter keeps the order: {oldest}");
    let (_, next) = oldest.split_once("rel=\"next\" href=\".").unwrap();
    let next = next.split('"').next().unwrap().replace("&#38;", "&");
    assert!(next.contains("order=oldest"), "{next}");
    let rest = get(&dashboard, &next).await.text;
    assert_eq!(in_order(&rest, &["a59", "a50"]), ["a50", "a59"], "{rest}");
    let due = get(&dashboard, "/jobs?queue=mail&state=due&order=oldest").await.text;
    assert!(due.contains("in the order in which workers get them") && !due.contains(" first</a>"), "{due}");
}

#[tokio::test]
async fn the_times_of_failed_jobs_sort_them() {
    let store = memory();
    for id in ["one", "two"] {
        enqueue(&store, "mail", vec![new_job(id, "k", "1")]).await;
        fail_one(&store, "mail", "w", Failure::new("E", "no"), Cause::Terminal).await;
    }
    let dashboard = dashboard(store);
    for (path, order, aria, turned) in [
        ("/jobs?queue=mail&state=failed", ["two", "one"], "descending", "&#38;order=oldest"),
        ("/jobs?queue=mail&state=failed&order=oldest", ["one", "two"], "ascending", ""),
    ] {
        let text = get(&dashboard, path).await.text;
        assert_eq!(in_order(&text, &["one", "two"]), order, "{text}");
        let head =
            format!("aria-sort=\"{aria}\"><a href=\"./jobs?queue=mail&#38;state=failed{turned}\">When</a>");
        assert!(text.contains(&head), "{text}");
    }
}
