//! A job keeps its partition for its whole life.

use super::{key, numbers, of, partitions, put_of, set_each};
use crate::{
    bench::prelude::*,
    cases::{
        cases,
        import::{import, whole},
    },
};
use queue_core::{
    Imported, OnWaiting,
    lifecycle::{Amendment, Event},
};

cases! { "kept_partitions":
    a_job_has_its_partition_for_life [I2] (Partitions);
    any_text_is_a_partition [I2] (Partitions);
    a_life_that_replaces_another_has_its_own [I20 I25] (Partitions);
    an_imported_job_keeps_its_partition [I21 I25] (Partitions Import);
    partitions_outlast_a_reopening [I21] (Partitions Reopen);
}

async fn a_job_has_its_partition_for_life(bench: &Bench) {
    let acme = Some(key("a"));
    put_of(bench, "a", 1).await;
    assert_eq!(bench.meta("a0").await.partition, acme);
    bench.changed("a0", Event::Amend(Amendment::of_priority(3))).await;
    let held = bench.claim_one().await;
    assert_eq!(held.record.meta.partition, acme);
    assert_eq!(bench.fail_terminally(&held).await.partition, acme);
    assert_eq!(bench.changed("a0", Event::Redrive { content_type: None }).await.partition, acme);
    let held = bench.claim_one().await;
    assert_eq!(bench.complete(&held).await.partition, acme);
    assert_eq!(bench.meta("a0").await.partition, acme);
    bench.put("plain").await;
    assert_eq!(bench.meta("plain").await.partition, None);
}

async fn any_text_is_a_partition(bench: &Bench) {
    let longest = "é".repeat(127) + "x";
    for (number, text) in
        [" ", "a:b", "'; DROP TABLE job; --", "{tag}", "\u{1F600}", "*", &longest].into_iter().enumerate()
    {
        bench.put_job(job(&format!("{number}")).with_partition(key(text))).await;
    }
    set_each(bench, 1).await;
    assert_eq!(partitions(bench).await.len(), 7);
    let held = bench.claim(99).await;
    assert_eq!(held.len(), 7);
    let mut found: Vec<&str> =
        held.iter().filter_map(|job| Some(job.record.meta.partition.as_ref()?.as_str())).collect();
    found.sort_unstable();
    assert_eq!(found, [" ", "'; DROP TABLE job; --", "*", "a:b", "{tag}", &longest, "\u{1F600}"]);
}

async fn a_life_that_replaces_another_has_its_own(bench: &Bench) {
    let replacing = |partition: &str| {
        let on_waiting = OnWaiting::Replace { max_wait: None };
        job("x").with_partition(key(partition)).with_on_waiting(on_waiting)
    };
    set_each(bench, 1).await;
    bench.put_job(replacing("a")).await;
    bench.put_job(replacing("b")).await;
    assert_eq!((numbers(bench, "a").await, numbers(bench, "b").await), ((0, 0), (0, 1)));
    bench.put_job(job("x").with_on_waiting(OnWaiting::Replace { max_wait: None })).await;
    assert_eq!(partitions(bench).await, []);
    assert_eq!(bench.claim_ids(9).await, ["x"]);
}

async fn an_imported_job_keeps_its_partition(bench: &Bench) {
    let from = bench.on_queue("from");
    put_of(&from, "a", 2).await;
    let jobs = vec![whole(&from, "a0").await, whole(&from, "a1").await];
    set_each(bench, 1).await;
    let answers = import(bench, jobs).await;
    assert!(answers.iter().all(Imported::is_new));
    assert_eq!(bench.meta("a0").await.partition, Some(key("a")));
    assert_eq!(bench.claim_ids(9).await, ["a0"]);
    bench.assert_nothing_due().await;
}

async fn partitions_outlast_a_reopening(bench: &Bench) {
    put_of(bench, "a", 3).await;
    bench.put_job(of("b", 0).with_delay(RETRY)).await;
    let held = bench.claim_one().await;
    let before = partitions(bench).await;
    bench.reopen().await;
    assert_eq!(partitions(bench).await, before);
    assert_eq!(bench.meta("b0").await.partition, Some(key("b")));
    bench.complete(&held).await;
    bench.advance(RETRY);
    assert_eq!(bench.claim(9).await.len(), 3);
}
