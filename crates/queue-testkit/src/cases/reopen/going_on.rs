//! What was begun continues: leases, replays, numbers, order and time.

use super::all_records;
use crate::bench::prelude::*;
use crate::cases::cases;
use futures_util::StreamExt;
use queue_core::{Applied, Interest, ListQuery, Prune, Span, State};

const SAME_MILLISECOND: usize = 1000;

cases! { "reopen":
    a_lease_outlives_the_process_that_gave_it [I3 I21] (Reopen);
    a_lease_lapses_though_nobody_was_there [I15 I21] (Reopen);
    a_replay_across_a_reopen_is_done [I5 I21] (Reopen);
    a_zombie_is_powerless_across_a_reopen [I4 I21] (Reopen);
    numbers_go_on [I9 I21] (Reopen);
    numbers_go_on_though_nothing_is_left [I9 I21] (Reopen);
    a_thousand_jobs_of_one_millisecond_keep_their_order [I12 I21] (Reopen);
    priorities_and_times_keep_their_order [I12 I21] (Reopen);
    scheduled_jobs_become_due_on_their_millisecond [I11 I21] (Reopen);
    store_time_does_not_go_back_with_the_clock [I21 I24] (Reopen);
    what_was_seen_to_lapse_stays_lapsed [I21 I24] (Reopen);
    a_cursor_may_outlive_the_process [I20 I21] (Reopen);
    streams_of_the_new_handle_hear [I15 I21] (Reopen Hints);
}

/// The holder may be another process.
async fn a_lease_outlives_the_process_that_gave_it(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.reopen().await;
    bench.assert_nothing_due().await;
    bench.settled(&held, extend(held.token, KEPT)).await;
    assert_eq!(bench.complete(&held).await.state, State::Completed);
}

async fn a_lease_lapses_though_nobody_was_there(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    bench.reopen().await;
    let at = bench.next_due().await.expect("a lease has lapsed");
    assert!(at <= bench.now(), "who sleeps until {at} rescues late");
    assert_eq!(bench.rescue().await.len(), 1);
    assert_eq!(bench.claim_one().await.record.meta.seq, held.record.meta.seq);
}

/// The answer was lost with the process.
async fn a_replay_across_a_reopen_is_done(bench: &Bench) {
    bench.put_many(SETTLES.len()).await;
    let held = bench.claim(SETTLES.len()).await;
    let batch: Vec<_> =
        held.iter().zip(SETTLES).map(|(job, settle)| decided(&job.record.meta, settle(job.token))).collect();
    bench.apply_all(batch.clone()).await;
    let before = all_records(bench).await;
    bench.reopen().await;
    assert_done!(bench.apply_all(batch).await);
    assert_eq!(all_records(bench).await, before);
}

/// The store remembers tokens, not sessions.
async fn a_zombie_is_powerless_across_a_reopen(bench: &Bench) {
    let zombie = bench.put_and_claim("a").await;
    bench.release(&zombie).await;
    let heir = bench.claim_one().await;
    bench.reopen().await;
    let late = bench.apply(decided(&zombie.record.meta, complete(zombie.token))).await;
    assert_eq!(late, Applied::LeaseLost(heir.record.meta.clone()));
    bench.complete(&heir).await;
}

async fn numbers_go_on(bench: &Bench) {
    let mut seqs = vec![bench.put("a").await];
    for n in 0..3 {
        bench.reopen().await;
        seqs.push(bench.put(nth(n).as_str()).await);
    }
    assert!(seqs.is_sorted_by(|a, b| a < b), "{seqs:?}");
}

/// The largest number went with its record, and must not come back.
async fn numbers_go_on_though_nothing_is_left(bench: &Bench) {
    let former = bench.put("a").await;
    bench.prune(Prune::Everything, 10).await;
    bench.reopen().await;
    assert!(bench.put("a").await > former);
}

/// Half of them are claimed before the reopening, half after.
async fn a_thousand_jobs_of_one_millisecond_keep_their_order(bench: &Bench) {
    let all: Vec<_> = jobs(SAME_MILLISECOND);
    let (first, second) = all.split_at(SAME_MILLISECOND / 2);
    bench.enqueue_groups(vec![first.to_vec()]).await;
    bench.reopen().await;
    bench.enqueue_groups(vec![second.to_vec()]).await;
    let mut seen = bench.claim_ids(300).await;
    bench.reopen().await;
    seen.extend(bench.claim_ids(SAME_MILLISECOND).await);
    assert_eq!(seen, (0..SAME_MILLISECOND).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

/// The jobs differ in all three parts of the order.
async fn priorities_and_times_keep_their_order(bench: &Bench) {
    for (text, priority, millis) in [("a", 1, 0), ("b", 0, 9), ("c", 0, 5), ("d", -1, 9), ("e", 0, 5)] {
        bench.put_job(job(text).with_priority(priority).with_delay(Span::from_millis(millis))).await;
    }
    bench.reopen().await;
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["d", "c", "e", "b", "a"]);
}

async fn scheduled_jobs_become_due_on_their_millisecond(bench: &Bench) {
    bench.put_job(job("a").with_delay(RETRY)).await;
    bench.reopen().await;
    bench.advance(Span::from_millis(RETRY.as_millis() - 1));
    bench.assert_nothing_due().await;
    bench.advance(MILLI);
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

/// The machine was restarted with a wrong clock.
async fn store_time_does_not_go_back_with_the_clock(bench: &Bench) {
    bench.put("before").await;
    let seen = bench.counts().await.now;
    bench.step_back(KEPT);
    bench.reopen().await;
    let now = bench.counts().await.now;
    assert!(now >= seen, "{now} is before {seen}");
    bench.put("after").await;
    assert!(bench.meta("after").await.created_at >= seen);
    assert_eq!(bench.claim_ids(10).await, ["before", "after"]);
}

async fn what_was_seen_to_lapse_stays_lapsed(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    bench.put("later").await;
    bench.step_back(KEPT);
    bench.reopen().await;
    let beat = bench.apply(decided(&held.record.meta, extend(held.token, LEASE))).await;
    assert!(matches!(beat, Applied::LeaseLost(_)), "{beat:?}");
    assert_eq!(bench.rescue().await.len(), 1);
}

/// A cursor may be in a browser tab.
async fn a_cursor_may_outlive_the_process(bench: &Bench) {
    bench.put_many(6).await;
    let first = bench.page(ListQuery::all(bench.queue().clone(), 3)).await;
    bench.reopen().await;
    let rest = ListQuery { after: first.next, ..ListQuery::all(bench.queue().clone(), 10) };
    let seen = first.jobs.len();
    assert_eq!(bench.list_ids(rest).await, (seen..6).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

async fn streams_of_the_new_handle_hear(bench: &Bench) {
    bench.reopen().await;
    let mut stream = bench.store().subscribe(bench.queue(), Interest::Wake).await.expect("it sends hints");
    bench.put("a").await;
    stream.next().await.expect("the store is open");
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}
