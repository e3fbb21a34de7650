//! Headers and tags: what a producer writes on a job beside its payload.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Detail, Direction, HEADERS_BYTES_MAX, HEADERS_MAX, Headers, ListQuery, NewJob, OnFailed, TAG_BYTES_MAX,
    Tag, Walk, lifecycle::Event,
};

cases! { "labels":
    headers_and_tags_come_with_claims_and_reads [I20];
    metadata_has_the_tags_and_a_listing_too [I20];
    the_most_and_the_longest_come_back [I17];
    hostile_text_comes_back_as_it_was [I20];
    what_follows_has_labels_of_its_own [I9];
    a_new_life_has_labels_of_its_own [I9 I20];
    a_redrive_keeps_them [I20];
    a_tag_of_a_job_that_is_gone_finds_nothing [I20];
    each_queue_has_its_own_tags [I20];
    they_are_there_after_a_reopen [I21] (Reopen);
}

const HOSTILE: [&str; 9] = ["'; DROP TABLE tag; --", "%", "_", "a:b", "{tag}", "\"", "\\", "\u{1F600}", " "];

fn labelled(text: &str) -> NewJob {
    job(text).with_tags(tags(["red", "blue"])).with_headers(headers([("tenant", "7"), ("trace", "")]))
}

pub(super) async fn tagged(bench: &Bench, tag: &str) -> Vec<String> {
    let tag = Tag::new(tag).expect("a valid tag");
    let walk = Walk::Tagged(tag, Direction::OldestFirst);
    bench.list_ids(ListQuery::new(bench.queue().clone(), walk, 3)).await
}

async fn headers_of(bench: &Bench, text: &str) -> Headers {
    bench.record(text).await.body.expect("the whole record was read").headers
}

async fn headers_and_tags_come_with_claims_and_reads(bench: &Bench) {
    let expected = (headers([("tenant", "7"), ("trace", "")]), tags(["blue", "red"]));
    bench.put_job(labelled("a")).await;
    assert_eq!((headers_of(bench, "a").await, bench.meta("a").await.tags), expected);
    let held = bench.claim_one().await;
    let body = held.record.body.clone().expect("a claim brings the body");
    assert_eq!((body.headers, held.record.meta.tags.clone()), expected);
    assert_eq!(bench.fail(&held).await.tags, expected.1);
    bench.advance(RETRY);
    assert_eq!(bench.complete(&bench.claim_one().await).await.tags, expected.1);
    assert_eq!((headers_of(bench, "a").await, bench.meta("a").await.tags), expected);
}

async fn metadata_has_the_tags_and_a_listing_too(bench: &Bench) {
    bench.put_job(labelled("a")).await;
    bench.put("b").await;
    let ids = ["a", "b"].map(id);
    let read = bench.store().get(bench.queue(), &ids, Detail::Meta).await.expect("get answers").value;
    let read: Vec<_> = read.into_iter().flatten().map(|record| record.meta).collect();
    assert_eq!((read[0].tags.len(), read[1].tags.len()), (2, 0));
    assert_eq!(bench.list(ListQuery::all(bench.queue().clone(), 10)).await, read);
}

/// The limits are eight tags of 64 bytes and sixteen headers of 4 KiB.
async fn the_most_and_the_longest_come_back(bench: &Bench) {
    let tag = |n: usize| format!("{n}{}", "é".repeat((TAG_BYTES_MAX - 1) / 2) + "x");
    let all: Vec<String> =
        (0..8).map(tag).map(|tag| tag[..tag.len().min(TAG_BYTES_MAX)].to_owned()).collect();
    let long = "x".repeat(HEADERS_BYTES_MAX / HEADERS_MAX - 2);
    let full = Headers::new((0..HEADERS_MAX).map(|n| (format!("{n:02}"), long.clone()))).expect("just so");
    bench.put_job(job("a").with_tags(tags(&all)).with_headers(full.clone())).await;
    assert_eq!((headers_of(bench, "a").await, bench.meta("a").await.tags), (full.clone(), tags(&all)));
    for tag in &all {
        assert_eq!(tagged(bench, tag).await, ["a"]);
    }
    let held = bench.claim_one().await;
    assert_eq!(held.record.body.map(|body| body.headers), Some(full));
}

/// Names and values are hostile.
async fn hostile_text_comes_back_as_it_was(bench: &Bench) {
    for (n, text) in HOSTILE.into_iter().enumerate() {
        let entries = [(text, HOSTILE[n]), ("other", text)];
        bench.put_job(job(nth(n).as_str()).with_tags(tags([text])).with_headers(headers(entries))).await;
        assert_eq!(headers_of(bench, nth(n).as_str()).await, headers(entries));
    }
    for (n, text) in HOSTILE.into_iter().enumerate() {
        assert_eq!(tagged(bench, text).await, [nth(n).to_string()], "{text:?}");
    }
}

/// A follower does not inherit the labels of its parent.
async fn what_follows_has_labels_of_its_own(bench: &Bench) {
    bench.put_job(labelled("a")).await;
    let held = bench.claim_one().await;
    let next = vec![job("b"), job("c").with_tags(tags(["green"])).with_headers(headers([("x", "y")]))];
    bench.settled(&held, complete_then(held.token, next)).await;
    assert_eq!((headers_of(bench, "b").await, bench.meta("b").await.tags), (Headers::NONE, tags([""; 0])));
    assert_eq!(
        (headers_of(bench, "c").await, bench.meta("c").await.tags),
        (headers([("x", "y")]), tags(["green"]))
    );
    assert_eq!(
        (tagged(bench, "red").await, tagged(bench, "green").await),
        (vec!["a".into()], vec!["c".into()])
    );
}

/// The new life replaces a failed one.
async fn a_new_life_has_labels_of_its_own(bench: &Bench) {
    bench.put_job(labelled("a")).await;
    bench.fail_terminally(&bench.claim_one().await).await;
    let heir = job("a").with_on_failed(OnFailed::Replace).with_tags(tags(["blue", "green"]));
    bench.put_job(heir).await;
    assert_eq!(
        (headers_of(bench, "a").await, bench.meta("a").await.tags),
        (Headers::NONE, tags(["blue", "green"]))
    );
    assert_eq!((tagged(bench, "red").await.len(), tagged(bench, "green").await.len()), (0, 1));
    assert_eq!(tagged(bench, "blue").await, ["a"]);
}

/// A redrive continues the life.
async fn a_redrive_keeps_them(bench: &Bench) {
    bench.put_job(labelled("a")).await;
    bench.fail_terminally(&bench.claim_one().await).await;
    bench.changed("a", Event::Redrive { content_type: None }).await;
    assert_eq!(headers_of(bench, "a").await.get("tenant"), Some("7"));
    assert_eq!(tagged(bench, "red").await, ["a"]);
}

/// The jobs are removed in every way.
async fn a_tag_of_a_job_that_is_gone_finds_nothing(bench: &Bench) {
    for text in ["deleted", "pruned", "kept"] {
        bench.put_job(labelled(text)).await;
    }
    bench.changed("deleted", Event::Delete).await;
    bench.cancel("pruned").await;
    bench.advance(KEPT);
    assert_eq!(tagged(bench, "red").await, ["kept"]);
    bench.prune(queue_core::Prune::Expired, 10).await;
    assert_eq!(tagged(bench, "red").await, ["kept"]);
    bench.put("deleted").await;
    assert_eq!(tagged(bench, "red").await, ["kept"]);
}

async fn each_queue_has_its_own_tags(bench: &Bench) {
    let other = bench.on_queue("other");
    bench.put_job(labelled("a")).await;
    other.put_job(labelled("a")).await;
    bench.changed("a", Event::Delete).await;
    assert_eq!((tagged(bench, "red").await.len(), tagged(&other, "red").await.len()), (0, 1));
}

/// The index of tags survives too.
async fn they_are_there_after_a_reopen(bench: &Bench) {
    bench.put_job(labelled("a")).await;
    bench.reopen().await;
    assert_eq!(headers_of(bench, "a").await.get("tenant"), Some("7"));
    assert_eq!(tagged(bench, "red").await, ["a"]);
}
