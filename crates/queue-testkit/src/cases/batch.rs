//! Calls with many items: what is atomic, and what is not.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Applied, Detail, State,
    lifecycle::{Event, OnProcessing},
};

const MANY: usize = 5000;

cases! { "batch":
    thousands_of_settles_in_one_batch [I19 I5];
    each_item_has_its_own_outcome [I19 I4];
    answers_come_in_the_order_of_the_request [I19];
    items_are_applied_in_order [I19];
    two_outcomes_for_one_lease_in_one_batch_are_one [I5 I19];
    a_batch_may_span_queues [I19];
    jobs_of_different_claims_share_a_batch [I19];
    a_read_answers_in_the_order_of_the_ids [I20];
    a_read_of_nothing_is_fine [I20];
    an_id_read_twice_is_answered_twice [I20];
    thousands_are_read_in_one_call [I20];
}

/// All settles succeed, at one store time.
async fn thousands_of_settles_in_one_batch(bench: &Bench) {
    bench.put_many(MANY).await;
    let held = bench.claim(MANY).await;
    assert_eq!(held.len(), MANY);
    let settle = |n: usize| SETTLES[n % SETTLES.len()];
    let batch =
        held.iter().enumerate().map(|(n, job)| decided(&job.record.meta, settle(n)(job.token))).collect();
    assert_done!(bench.apply_all(batch).await);
    let counts = bench.counts().await;
    let quarter = MANY as u64 / 4;
    assert_eq!((counts.of(State::Completed), counts.of(State::Failing)), (quarter, quarter));
    assert_eq!((counts.of(State::Queued), counts.scheduled), (2 * quarter, 2 * quarter));
}

/// The batch contains items that are done, lost, stale, missing and replayed.
async fn each_item_has_its_own_outcome(bench: &Bench) {
    bench.put_many(5).await;
    let held = bench.claim(5).await;
    let foreign = bench.request(1).token;
    bench.cancel(nth(2).as_str()).await;
    bench.release(&held[4]).await;
    let mut gone = held[3].record.meta.clone();
    gone.seq = queue_core::Seq::new(gone.seq.get() + 1000);
    let batch = vec![
        decided(&held[0].record.meta, complete(held[0].token)),
        decided(&held[1].record.meta, complete(foreign)),
        decided(&held[2].record.meta, complete(held[2].token)),
        decided(&gone, complete(held[3].token)),
        decided(&held[4].record.meta, release(held[4].token)),
    ];
    let answers = bench.apply_all(batch).await;
    assert!(
        matches!(
            answers.as_slice(),
            [Applied::Done(_), Applied::LeaseLost(_), Applied::Stale(_), Applied::Missing, Applied::Done(_)]
        ),
        "{answers:?}"
    );
    let states = [State::Completed, State::Processing, State::Processing, State::Processing, State::Queued];
    for (n, state) in states.into_iter().enumerate() {
        assert_eq!(bench.state(nth(n).as_str()).await, Some(state), "job {n}");
    }
}

/// A store may process the items in any order.
async fn answers_come_in_the_order_of_the_request(bench: &Bench) {
    bench.put_many(200).await;
    let mut held = bench.claim(200).await;
    held.reverse();
    held.swap(7, 150);
    let batch = held.iter().map(|job| decided(&job.record.meta, complete(job.token))).collect();
    let answered: Vec<String> = bench
        .apply_all(batch)
        .await
        .into_iter()
        .map(|answer| match answer {
            Applied::Done(meta) => meta.id.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(answered, ids_of(&held));
}

/// A later item sees the effect of an earlier one.
async fn items_are_applied_in_order(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let beat = decided(&held.record.meta, extend(held.token, KEPT));
    let done = decided(&held.record.meta, complete(held.token));
    let answers = bench.apply_all(vec![beat.clone(), done, beat]).await;
    let revisions: Vec<u64> = answers
        .iter()
        .map(|answer| match answer {
            Applied::Done(meta) | Applied::LeaseLost(meta) => meta.revision,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(revisions, [3, 4, 4]);
    assert!(matches!(answers[2], Applied::LeaseLost(_)));
}

/// The first one stands.
async fn two_outcomes_for_one_lease_in_one_batch_are_one(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let batch =
        vec![decided(&held.record.meta, fail(held.token)), decided(&held.record.meta, complete(held.token))];
    let answers = bench.apply_all(batch).await;
    assert!(matches!(answers.as_slice(), [Applied::Done(_), Applied::LeaseLost(_)]), "{answers:?}");
    assert_eq!(bench.state("a").await, Some(State::Failing));
}

/// Each transition names its queue.
async fn a_batch_may_span_queues(bench: &Bench) {
    let others = ["one", "two", "three"].map(|name| bench.on_queue(name));
    let mut batch = Vec::new();
    for queue in &others {
        let held = queue.put_and_claim("a").await;
        batch.push(decided(
            &held.record.meta,
            complete_with(held.token, text_payload(queue.queue().as_str())),
        ));
    }
    assert_done!(bench.apply_all(batch).await);
    for queue in &others {
        assert_eq!(queue.result("a").await.as_deref(), Some(queue.queue().as_str()));
    }
}

/// Each item's token is compared separately.
async fn jobs_of_different_claims_share_a_batch(bench: &Bench) {
    bench.put_many(9).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.extend(bench.claim(3).await);
    }
    let batch = held.iter().map(|job| decided(&job.record.meta, complete(job.token))).collect();
    assert_done!(bench.apply_all(batch).await);
}

/// An absent job leaves a gap in the answer.
async fn a_read_answers_in_the_order_of_the_ids(bench: &Bench) {
    bench.put_many(3).await;
    let ids = [nth(2), id("none"), nth(0), nth(1)];
    let reply = bench.store().get(bench.queue(), &ids, Detail::Meta).await.expect("it answers");
    let found: Vec<_> = reply.value.into_iter().map(|record| record.map(|record| record.meta.id)).collect();
    assert_eq!(found, [Some(nth(2)), None, Some(nth(0)), Some(nth(1))]);
    assert_eq!(reply.now, bench.now());
}

async fn a_read_of_nothing_is_fine(bench: &Bench) {
    let reply = bench.store().get(bench.queue(), &[], Detail::Full).await.expect("it answers");
    assert_eq!(reply.value, []);
}

async fn an_id_read_twice_is_answered_twice(bench: &Bench) {
    bench.put("a").await;
    let reply =
        bench.store().get(bench.queue(), &[id("a"), id("a")], Detail::Full).await.expect("it answers");
    assert_eq!(reply.value, [Some(bench.record("a").await), Some(bench.record("a").await)]);
}

/// The ids are more than the parameters of one statement.
async fn thousands_are_read_in_one_call(bench: &Bench) {
    bench.put_many(MANY).await;
    bench.changed(nth(1).as_str(), Event::Cancel { processing: OnProcessing::Leave }).await;
    let ids: Vec<_> = (0..MANY).map(nth).collect();
    let reply = bench.store().get(bench.queue(), &ids, Detail::Meta).await.expect("it answers");
    let found: Vec<_> = reply.value.into_iter().flatten().map(|record| record.meta.id).collect();
    assert_eq!(found, ids);
}
