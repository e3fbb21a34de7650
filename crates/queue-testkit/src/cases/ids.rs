//! Names are data: any valid text names one thing, and only that.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    ContentType, Detail, Kind, ListFilter, ListQuery, NAME_BYTES_MAX, NewJob, Payload, State,
    lifecycle::Event,
};

cases! { "ids":
    hostile_ids_live_whole_lives [I2 I9];
    hostile_worker_names_hold_leases [I3];
    hostile_queue_names_are_queues_of_their_own [I2];
    hostile_kinds_are_listed [I20];
    ids_that_differ_by_case_are_different [I9];
    ids_that_differ_by_normalisation_are_different [I9];
    ids_that_differ_by_blanks_are_different [I9];
    ids_that_are_prefixes_of_each_other_are_different [I9];
    queue_and_id_do_not_run_together [I9];
    the_longest_ids_of_several_scripts_fit [I2];
    ids_that_look_like_numbers_stay_texts [I9];
    patterns_match_nothing_but_themselves [I20];
    all_hostile_names_at_once [I9 I20];
}

/// A life consists of enqueue, duplicate, claim, fail, claim, complete, read and delete.
async fn hostile_ids_live_whole_lives(bench: &Bench) {
    for text in hostile() {
        let held = bench.put_and_claim(&text).await;
        let again = bench.enqueue(job(&text)).await;
        assert!(!again.is_new(), "{again:?}");
        bench.fail(&held).await;
        bench.changed(&text, Event::Promote).await;
        bench.complete(&bench.claim_one().await).await;
        let record = bench.record(&text).await;
        assert_eq!(record.meta.id.as_str(), text);
        assert_eq!(record.body.expect("asked for").payload, job(&text).payload);
        bench.changed(&text, Event::Delete).await;
    }
}

/// The leases are found by the names.
async fn hostile_worker_names_hold_leases(bench: &Bench) {
    let names = hostile();
    bench.put_many(names.len()).await;
    for (n, name) in names.iter().enumerate() {
        let claimed = bench.send(bench.request_of(name, 1, LEASE)).await;
        assert_eq!(ids_of(&claimed.jobs), [nth(n).to_string()]);
    }
    for (n, name) in names.iter().enumerate() {
        let filter = ListFilter { worker: Some(worker(name)), ..ListFilter::default() };
        let query = ListQuery { filter, ..ListQuery::all(bench.queue().clone(), 10) };
        assert_eq!(bench.list_ids(query).await, [nth(n).to_string()], "{name:?}");
    }
}

/// Each queue has a job of the same id.
async fn hostile_queue_names_are_queues_of_their_own(bench: &Bench) {
    let names = hostile();
    for name in &names {
        bench.on_queue(name).put_job(job_with("same", text_payload(name))).await;
    }
    for name in &names {
        let held = bench.on_queue(name).claim(10).await;
        assert_eq!(held.len(), 1, "{name:?}");
        assert_eq!(held[0].record.meta.queue.as_str(), name);
        assert_eq!(held[0].record.body.clone().expect("given").payload, text_payload(name));
    }
}

/// A filter compares; it is not a pattern.
async fn hostile_kinds_are_listed(bench: &Bench) {
    let names = hostile();
    for (n, name) in names.iter().enumerate() {
        let payload = Payload::new("x", ContentType::new(name).expect("valid"));
        bench.put_job(NewJob::new(nth(n), Kind::new(name).expect("valid"), payload)).await;
    }
    for (n, name) in names.iter().enumerate() {
        let filter = ListFilter {
            states: vec![State::Queued],
            kind: Some(Kind::new(name).expect("valid")),
            ..ListFilter::default()
        };
        let query = ListQuery { filter, ..ListQuery::all(bench.queue().clone(), 10) };
        assert_eq!(bench.list_ids(query).await, [nth(n).to_string()], "{name:?}");
        let body = bench.record(nth(n).as_str()).await.body.expect("asked for");
        assert_eq!(body.payload.content_type.as_str(), name);
    }
}

/// Enqueues each id, and asserts that each is a job of its own.
async fn assert_distinct(bench: &Bench, texts: &[&str]) {
    for text in texts {
        bench.put(text).await;
    }
    assert_eq!(bench.claim_ids(texts.len() + 1).await, texts);
    for text in texts {
        assert_eq!(bench.meta(text).await.id.as_str(), *text);
    }
}

/// Stores must not use a collation.
async fn ids_that_differ_by_case_are_different(bench: &Bench) {
    assert_distinct(
        bench,
        &[
            "a", "A", "\u{E4}", "\u{C4}", "ss", "\u{DF}", "\u{1E9E}", "i", "I", "\u{130}", "\u{131}", "k",
            "\u{212A}",
        ],
    )
    .await;
}

/// The ids differ as composed, decomposed and compatibility forms.
async fn ids_that_differ_by_normalisation_are_different(bench: &Bench) {
    assert_distinct(
        bench,
        &[
            "\u{E9}",
            "e\u{301}",
            "e",
            "\u{FB01}",
            "fi",
            "\u{C5}",
            "\u{212B}",
            "A\u{30A}",
            "\u{FF21}",
            "\u{200B}e",
            "e\u{200B}",
        ],
    )
    .await;
}

async fn ids_that_differ_by_blanks_are_different(bench: &Bench) {
    assert_distinct(bench, &["a", " a", "a ", "  a", "a  ", "a\u{A0}", "a\u{3000}", " "]).await;
}

async fn ids_that_are_prefixes_of_each_other_are_different(bench: &Bench) {
    let long = "a".repeat(NAME_BYTES_MAX);
    assert_distinct(bench, &["a", "aa", "aaa", &long[..64], &long[..128], &long[..254], &long]).await;
}

/// No separator between the two can be imitated.
async fn queue_and_id_do_not_run_together(bench: &Bench) {
    for (queue, text) in [
        ("a:b", "c"),
        ("a", "b:c"),
        ("a/b", "c"),
        ("a", "b/c"),
        ("ab", "c"),
        ("a", "bc"),
        ("a\\:b", "c"),
        ("a", "\\:b:c"),
    ] {
        bench.on_queue(queue).put(text).await;
    }
    assert_eq!(bench.on_queue("a").counts().await.total(), 4);
    assert_eq!(bench.on_queue("a:b").claim_ids(10).await, ["c"]);
    assert_eq!(bench.on_queue("ab").claim_ids(10).await, ["c"]);
}

/// The limit of 255 counts bytes.
async fn the_longest_ids_of_several_scripts_fit(bench: &Bench) {
    let texts = longest();
    assert!(texts.iter().all(|text| text.len() == NAME_BYTES_MAX));
    assert_distinct(bench, &texts.iter().map(String::as_str).collect::<Vec<_>>()).await;
}

async fn ids_that_look_like_numbers_stay_texts(bench: &Bench) {
    assert_distinct(
        bench,
        &[
            "1",
            "01",
            "1.0",
            "1e0",
            "0x1",
            "9007199254740993",
            "9007199254740992",
            "18446744073709551616",
            "-0",
            "0",
        ],
    )
    .await;
}

/// A read, a cancel and a delete affect one job.
async fn patterns_match_nothing_but_themselves(bench: &Bench) {
    for text in ["job-1", "job-2", "%", "_", "*", "job-?", "job-*", "job-%", "[jx]ob-1"] {
        bench.put(text).await;
    }
    for text in ["%", "_", "*", "job-?", "job-*", "job-%", "[jx]ob-1"] {
        bench.cancel(text).await;
        bench.changed(text, Event::Delete).await;
    }
    assert_eq!(bench.claim_ids(10).await, ["job-1", "job-2"]);
}

async fn all_hostile_names_at_once(bench: &Bench) {
    let texts = hostile();
    bench.enqueue_groups(vec![texts.iter().map(|text| job(text)).collect()]).await;
    let ids: Vec<_> = texts.iter().map(|text| id(text)).collect();
    let reply = bench.store().get(bench.queue(), &ids, Detail::Meta).await.expect("it answers");
    let found: Vec<_> = reply.value.into_iter().flatten().map(|record| record.meta.id).collect();
    assert_eq!(found, ids);
    assert_eq!(bench.claim_ids(texts.len()).await, texts);
}
