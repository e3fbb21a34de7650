//! The attempts of many jobs in one read.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{ErrorKind, JobAttempts, JobId, StorageExt};

cases! { "attempts_of_many":
    the_answers_are_in_the_order_of_the_ids [I7] (Attempts);
    an_id_that_is_asked_for_twice_is_answered_twice [I7] (Attempts);
    each_is_what_a_read_of_it_alone_answers [I7 I20] (Attempts);
    as_many_as_one_read_takes_are_answered [I7] (Attempts);
    one_more_than_one_read_takes_is_refused [I17] (Attempts);
    no_ids_have_no_answers [I7] (Attempts);
}

/// How many attempts each of these jobs has; `None` for one that is absent.
async fn lengths(bench: &Bench, ids: &[JobId]) -> Vec<Option<usize>> {
    let answer = bench.store().attempts(bench.queue(), ids).await.expect("attempts answers");
    assert_eq!(answer.now, bench.now());
    let told = |found: &Option<JobAttempts>| found.as_ref().map(|found| found.attempts.len());
    for (id, found) in ids.iter().zip(&answer.value) {
        assert!(found.as_ref().is_none_or(|found| found.meta.id == *id), "{id}: {found:?}");
    }
    answer.value.iter().map(told).collect()
}

/// The first fails twice, the second once, and the third waits for its first attempt.
async fn put_three(bench: &Bench) {
    bench.put("twice").await;
    bench.fail(&bench.claim_one().await).await;
    bench.put("once").await;
    bench.advance(RETRY);
    for held in bench.claim(2).await {
        bench.fail(&held).await;
    }
    bench.put("never").await;
}

async fn the_answers_are_in_the_order_of_the_ids(bench: &Bench) {
    put_three(bench).await;
    let ids = ["never", "absent", "twice", "once"].map(id);
    assert_eq!(lengths(bench, &ids).await, [Some(0), None, Some(2), Some(1)]);
    let ids = ["once", "twice", "never", "absent"].map(id);
    assert_eq!(lengths(bench, &ids).await, [Some(1), Some(2), Some(0), None]);
}

async fn an_id_that_is_asked_for_twice_is_answered_twice(bench: &Bench) {
    put_three(bench).await;
    let ids = ["twice", "absent", "once", "twice", "absent"].map(id);
    assert_eq!(lengths(bench, &ids).await, [Some(2), None, Some(1), Some(2), None]);
}

/// A job of another queue and a record past its purge time are absent.
async fn each_is_what_a_read_of_it_alone_answers(bench: &Bench) {
    let other = bench.on_queue("other");
    other.put("elsewhere").await;
    other.fail(&other.claim_one().await).await;
    bench.put("purged").await;
    bench.fail_terminally(&bench.claim_one().await).await;
    bench.advance(KEPT);
    put_three(bench).await;
    let ids = ["purged", "elsewhere", "once", "never", "twice"].map(id);
    let (store, queue) = (bench.store(), bench.queue());
    let together = store.attempts(queue, &ids).await.expect("attempts answers").value;
    for (id, found) in ids.iter().zip(together) {
        let alone = store.attempts_of(queue, id).await.expect("attempts answers").value;
        assert_eq!(found, alone, "{id}");
    }
}

async fn as_many_as_one_read_takes_are_answered(bench: &Bench) {
    bench.put_many(50).await;
    for held in bench.claim(50).await {
        bench.fail(&held).await;
    }
    let ids: Vec<JobId> = (0..JobAttempts::IDS_MAX).map(nth).collect();
    let found = lengths(bench, &ids).await;
    assert!(found[..50].iter().all(|length| *length == Some(1)), "{found:?}");
    assert!(found[50..].iter().all(Option::is_none), "{found:?}");
    assert_eq!(found.len(), JobAttempts::IDS_MAX);
}

async fn one_more_than_one_read_takes_is_refused(bench: &Bench) {
    bench.put("a").await;
    let ids: Vec<JobId> = (0..=JobAttempts::IDS_MAX).map(nth).collect();
    let refused = bench.store().attempts(bench.queue(), &ids).await.expect_err("they are too many");
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert!(refused.to_string().contains("at most 1000 jobs"), "{refused}");
}

/// Whether the queue is there or not.
async fn no_ids_have_no_answers(bench: &Bench) {
    assert_eq!(lengths(bench, &[]).await, []);
    bench.put("a").await;
    assert_eq!(lengths(bench, &[]).await, []);
}
