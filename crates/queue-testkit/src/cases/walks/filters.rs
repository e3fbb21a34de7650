//! Which jobs of an index a listing shows.

use super::{along, fail_finally, put_later, run_each, tag};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Direction::{NewestFirst, OldestFirst},
    Kind, ListFilter, ListQuery, NewJob, State, Timestamp, Walk,
};

cases! { "list":
    a_tag_is_found_as_it_is_written [I20];
    an_id_prefix_is_taken_as_it_is_written [I20];
    a_time_bounds_an_index_that_goes_by_it [I20];
    a_time_filters_what_goes_by_another_order [I20];
    filters_join_with_every_index [I20];
}

/// A prefix does not match, and the text is not a pattern.
async fn a_tag_is_found_as_it_is_written(bench: &Bench) {
    let texts = ["a", "ab", "A", "a%", "a_", "é", "e\u{301}", "a b"];
    for (n, text) in texts.into_iter().enumerate() {
        bench.put_job(job(nth(n).as_str()).with_tags(tags([text]))).await;
    }
    for (n, text) in texts.into_iter().enumerate() {
        let walked = along(bench, Walk::Tagged(tag(text), NewestFirst));
        let filter = ListFilter { tag: Some(tag(text)), ..ListFilter::default() };
        let filtered = along(bench, Walk::All(OldestFirst)).matching(filter);
        for query in [walked, filtered] {
            assert_eq!(bench.list_ids(query).await, [nth(n).to_string()], "{text:?}");
        }
    }
    assert_eq!(bench.list_ids(along(bench, Walk::Tagged(tag("b"), NewestFirst))).await, [""; 0]);
}

/// The text is not a pattern.
async fn an_id_prefix_is_taken_as_it_is_written(bench: &Bench) {
    for text in ["a%b", "a_b", "aXb", "A%b", "a%", "é1", "e1", "\u{10FFFF}z"] {
        bench.put(text).await;
    }
    let found = async |prefix: &str| {
        let filter = ListFilter { id_prefix: Some(prefix.to_owned()), ..ListFilter::default() };
        bench.list_ids(along(bench, Walk::All(OldestFirst)).matching(filter)).await
    };
    assert_eq!(found("a%").await, ["a%b", "a%"]);
    assert_eq!(found("a_").await, ["a_b"]);
    assert_eq!(found("é").await, ["é1"]);
    assert_eq!(found("\u{10FFFF}").await, ["\u{10FFFF}z"]);
    assert_eq!(found("nobody").await, [""; 0]);
    assert_eq!(found("").await.len(), 8);
}

/// The end of the range is exclusive.
async fn a_time_bounds_an_index_that_goes_by_it(bench: &Bench) {
    let texts = ["a", "b", "c", "d", "e"];
    put_later(bench, &texts).await;
    run_each(bench, &texts, fail_finally).await;
    let at = async |text: &str| bench.meta(text).await.finished_at.expect("it is over");
    let entered = at("b").await..at("d").await;
    for (end, expected) in [(OldestFirst, ["b", "c"]), (NewestFirst, ["c", "b"])] {
        let filter = ListFilter { entered: Some(entered.clone()), ..ListFilter::default() };
        let query = along(bench, Walk::State(State::Failed, end)).matching(filter);
        assert_eq!(bench.page(query.clone()).await.looked_at, 2, "it begins where they begin");
        assert_eq!(bench.list_ids(ListQuery { limit: 1, ..query }).await, expected);
    }
    let nothing = [
        entered.start..entered.start,
        entered.end..entered.start,
        Timestamp::from_millis(i64::MIN)..Timestamp::from_millis(0),
    ];
    for entered in nothing {
        let filter = ListFilter { entered: Some(entered), ..ListFilter::default() };
        let query = along(bench, Walk::State(State::Failed, NewestFirst)).matching(filter);
        assert_eq!(bench.list_ids(query).await, [""; 0]);
    }
}

async fn a_time_filters_what_goes_by_another_order(bench: &Bench) {
    let mut created = Vec::new();
    for text in ["a", "b", "c"] {
        bench.put_job(job(text).with_tags(tags(["t"]))).await;
        created.push(bench.now());
        bench.advance(MILLI);
    }
    let entered = Some(created[1]..created[2]);
    for walk in [
        Walk::All(NewestFirst),
        Walk::State(State::Queued, NewestFirst),
        Walk::Due,
        Walk::Tagged(tag("t"), OldestFirst),
    ] {
        let filter = ListFilter { entered: entered.clone(), ..ListFilter::default() };
        assert_eq!(bench.list_ids(along(bench, walk).matching(filter)).await, ["b"]);
    }
}

/// A job must match all filters.
async fn filters_join_with_every_index(bench: &Bench) {
    for (n, kind) in ["email", "report", "email", "report"].into_iter().enumerate() {
        let text = ["x1", "x2", "y1", "y2"][n];
        let new = NewJob::new(id(text), Kind::from_static(kind), text_payload("x"));
        bench.put_job(new.with_tags(tags([if n < 2 { "red" } else { "blue" }]))).await;
        bench.fail_terminally(&bench.claim_one().await).await;
    }
    let filter = ListFilter {
        kind: Some(Kind::from_static("email")),
        tag: Some(tag("red")),
        id_prefix: Some("x".into()),
        ..ListFilter::default()
    };
    for walk in [
        Walk::All(OldestFirst),
        Walk::State(State::Failed, NewestFirst),
        Walk::Tagged(tag("red"), NewestFirst),
    ] {
        assert_eq!(bench.list_ids(along(bench, walk).matching(filter.clone())).await, ["x1"]);
    }
    let none = ListFilter { states: vec![State::Completed], ..filter };
    assert_eq!(
        bench.list_ids(along(bench, Walk::State(State::Failed, NewestFirst)).matching(none)).await,
        [""; 0]
    );
}
