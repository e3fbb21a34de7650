//! The ids of expired jobs, which are free for another life.

use super::{PATIENCE, expiring, not_allowed, put_expired, too_late};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{Enqueued, OnFailed, Span, State};

cases! { "expiry":
    its_id_is_free_from_that_millisecond_on [I1 I9];
    a_new_life_over_an_expired_one_leaves_nothing_of_it [I9 I20];
    what_follows_a_completion_begins_a_life_too [I1 I9];
    a_group_over_expired_jobs_is_stored_whole [I19];
    one_that_runs_keeps_its_id [I9];
}

/// A producer must not get the answer that an id is taken by a job that will not run.
async fn its_id_is_free_from_that_millisecond_on(bench: &Bench) {
    let first = bench.put_job(expiring("a")).await;
    bench.advance(Span::from_millis(PATIENCE.as_millis() - 1));
    let taken = Enqueued::Duplicate { seq: first, state: State::Queued };
    assert_eq!(bench.enqueue(expiring("a").with_on_failed(OnFailed::Replace)).await, taken);
    bench.advance(MILLI);
    let second = bench.put_job(expiring("a")).await;
    assert!(second > first, "a new life has a new number");
    bench.advance(PATIENCE);
    assert!(bench.put("a").await > second, "again and again");
}

/// The job is in no index and is not counted, whether or not a claim ever saw it.
async fn a_new_life_over_an_expired_one_leaves_nothing_of_it(bench: &Bench) {
    bench.put_job(expiring("given back")).await;
    bench.release(&bench.claim_one().await).await;
    bench.put_job(expiring("scheduled").with_delay(RETRY)).await;
    bench.advance(PATIENCE);
    for text in ["given back", "scheduled"] {
        bench.put_job(job(text).with_priority(7).with_delay(RETRY)).await;
    }
    let counts = bench.counts().await;
    assert_eq!((counts.of(State::Queued), counts.scheduled), (2, 2));
    bench.assert_nothing_due().await;
    bench.advance(RETRY);
    for text in ["given back", "scheduled"] {
        let meta = bench.claim_one().await.record.meta;
        assert_eq!((meta.id.as_str(), meta.priority, meta.expires_in, meta.epoch), (text, 7, None, 1));
    }
}

/// Followers follow the same rule.
async fn what_follows_a_completion_begins_a_life_too(bench: &Bench) {
    let first = bench.put_job(expiring("next").with_priority(1)).await;
    bench.advance(PATIENCE);
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, complete_then(held.token, vec![job("next")])).await;
    let meta = bench.meta("next").await;
    assert!(meta.seq > first && meta.expires_in.is_none(), "{meta:?}");
}

/// The group also has ids that are free, and ids that are taken.
async fn a_group_over_expired_jobs_is_stored_whole(bench: &Bench) {
    bench.put("taken").await;
    bench.put_job(expiring("a")).await;
    put_expired(bench, "b").await;
    let group = ["b", "free", "taken", "a"].map(expiring).to_vec();
    let answers = bench.enqueue_groups(vec![group]).await.concat();
    assert_eq!(answers.iter().map(Enqueued::is_new).collect::<Vec<_>>(), [true, true, false, true]);
    assert!(answers[0].seq() < answers[1].seq() && answers[1].seq() < answers[3].seq());
    assert_eq!(bench.counts().await.of(State::Queued), 4);
    assert_eq!(bench.claim_ids(10).await, ["taken", "b", "free", "a"]);
}

/// Only its holder knows whether the job has started.
async fn one_that_runs_keeps_its_id(bench: &Bench) {
    bench.put_job(expiring("a")).await;
    let held = bench.claim_one().await;
    bench.advance(PATIENCE);
    let seq = held.record.meta.seq;
    let taken = Enqueued::Duplicate { seq, state: State::Processing };
    assert_eq!(bench.enqueue(job("a")).await, taken);
    assert_eq!(bench.change("a", too_late(bench)).await, not_allowed(State::Processing));
    bench.complete(&held).await;
}
