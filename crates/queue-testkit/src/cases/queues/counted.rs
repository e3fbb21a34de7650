//! The counts and the pause of each listed queue.

use super::{agreed, assert_counted, listed, names, status};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{OnFailed, OnWaiting, Pause, Prune, Span, State, lifecycle::Event};

cases! { "queues":
    listed_counts_are_those_of_counts_at_every_step [I20];
    listed_counts_follow_whatever_makes_a_job_go [I20];
    a_job_that_makes_room_is_counted_no_more [I9 I20];
    a_lapsed_lease_is_counted_until_it_is_charged [I15 I20];
    overdue_records_are_listed_as_they_are_counted [I20];
    queues_are_counted_apart [I20];
    a_pause_is_listed_for_its_own_queue_alone [I1 I20] (Pause);
    a_queue_that_was_only_paused_is_listed [I20] (Pause);
    queues_stay_listed_across_a_reopen [I20 I21] (Reopen);
    pauses_without_a_job_stay_listed_across_a_reopen [I20 I21] (Reopen Pause);
    every_handle_lists_what_any_of_them_used [I20] (SecondHandle);
    counts_wait_for_no_open_transaction_and_see_it_once_it_commits [I18 I20] (Transactions);
}

/// A job goes through a whole life; the expected counts are in the order of [`State::ALL`].
async fn listed_counts_are_those_of_counts_at_every_step(bench: &Bench) {
    bench.put("a").await;
    assert_counted(bench, [1, 0, 0, 0, 0, 0], "once it is enqueued").await;
    let held = bench.claim_one().await;
    assert_counted(bench, [0, 1, 0, 0, 0, 0], "once it is claimed").await;
    let more = Event::Extend { token: held.token, by: LEASE, progress: None };
    bench.settled(&held, more).await;
    assert_counted(bench, [0, 1, 0, 0, 0, 0], "once it is extended").await;
    bench.release(&held).await;
    assert_counted(bench, [1, 0, 0, 0, 0, 0], "once it is released").await;
    bench.fail(&bench.claim_one().await).await;
    assert_counted(bench, [0, 0, 1, 0, 0, 0], "once it failed").await;
    bench.advance(RETRY);
    let held = bench.claim_one().await;
    assert_counted(bench, [0, 1, 0, 0, 0, 0], "once it is tried again").await;
    bench.settled(&held, complete_then(held.token, vec![job("next")])).await;
    assert_counted(bench, [1, 0, 0, 1, 0, 0], "once it is completed and another follows").await;
    bench.fail_terminally(&bench.claim_one().await).await;
    assert_counted(bench, [0, 0, 0, 1, 1, 0], "once that failed for good").await;
    bench.changed("next", Event::Redrive { content_type: None }).await;
    bench.cancel("next").await;
    assert_counted(bench, [0, 0, 0, 1, 0, 1], "once it is redriven and cancelled").await;
    bench.changed("next", Event::Delete).await;
    assert_counted(bench, [0, 0, 0, 1, 0, 0], "once it is deleted").await;
    bench.put_job(job("later").with_delay(KEPT)).await;
    assert_eq!(agreed(bench).await.scheduled, 1);
}

async fn listed_counts_follow_whatever_makes_a_job_go(bench: &Bench) {
    bench.put_one_of_each().await;
    bench.put_job(job("later").with_delay(Span::from_secs(9_999))).await;
    assert_counted(bench, [2, 1, 1, 1, 1, 1], "one of each, and one for later").await;
    assert_eq!(bench.prune(Prune::FinishedBefore(Span::from_millis(0)), 2).await, 2);
    let counts = agreed(bench).await;
    assert_eq!((counts.unfinished(), counts.total()), (4, 5));
    bench.advance(KEPT);
    bench.prune(Prune::Expired, 9).await;
    assert_counted(bench, [2, 1, 1, 0, 0, 0], "what was kept has gone").await;
    bench.prune(Prune::Everything, 2).await;
    assert_eq!(agreed(bench).await.total(), 2);
    bench.prune(Prune::Everything, 9).await;
    assert_counted(bench, [0; 6], "everything has gone").await;
}

/// The replaced job was failed, cancelled or waiting.
async fn a_job_that_makes_room_is_counted_no_more(bench: &Bench) {
    bench.fail_terminally(&bench.put_and_claim("a").await).await;
    let again = job("a").with_on_failed(OnFailed::Replace);
    bench.put_job(again).await;
    assert_counted(bench, [1, 0, 0, 0, 0, 0], "in the place of a failed one").await;
    bench.cancel("a").await;
    bench.put("a").await;
    assert_counted(bench, [1, 0, 0, 0, 0, 0], "in the place of a cancelled one").await;
    let debounced = job("a").with_delay(RETRY).with_on_waiting(OnWaiting::Replace { max_wait: None });
    bench.put_job(debounced).await;
    assert_counted(bench, [1, 0, 0, 0, 0, 0], "in the place of a waiting one").await;
    assert_eq!(agreed(bench).await.scheduled, 1);
    bench.advance(RETRY);
    bench.complete(&bench.claim_one().await).await;
    bench.advance(KEPT);
    bench.put("a").await;
    assert_counted(bench, [1, 0, 0, 0, 0, 0], "in the place of one past its purge time").await;
}

async fn a_lapsed_lease_is_counted_until_it_is_charged(bench: &Bench) {
    bench.put_and_claim("a").await;
    bench.advance(LEASE);
    assert_counted(bench, [0, 1, 0, 0, 0, 0], "once it lapsed").await;
    bench.rescue().await;
    assert_counted(bench, [0, 0, 1, 0, 0, 0], "once that is charged").await;
}

/// Overdue records may be counted until they are removed, by both calls or by neither.
async fn overdue_records_are_listed_as_they_are_counted(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    bench.advance(KEPT);
    agreed(bench).await;
    assert_eq!(bench.find("a").await, None);
    agreed(bench).await;
    bench.prune(Prune::Expired, 9).await;
    assert_counted(bench, [0; 6], "once it is removed").await;
}

async fn queues_are_counted_apart(bench: &Bench) {
    let (few, many) = (bench.on_queue("few"), bench.on_queue("many"));
    few.put_many(2).await;
    many.put_many(5).await;
    many.claim(3).await;
    few.complete(&few.claim_one().await).await;
    let found = listed(bench, 10).await;
    let counted: Vec<[u64; 6]> =
        found.iter().map(|status| State::ALL.map(|state| status.counts.of(state))).collect();
    assert_eq!(counted, [[1, 0, 0, 1, 0, 0], [2, 3, 0, 0, 0, 0]]);
    many.prune(Prune::Everything, 9).await;
    assert_counted(&few, [1, 0, 0, 1, 0, 0], "the other was emptied").await;
    assert_counted(&many, [0; 6], "it was emptied").await;
}

async fn set(bench: &Bench, paused: bool) {
    let pause = if paused { Pause::UntilResumed } else { Pause::Off };
    bench.store().set_paused(bench.queue(), None, pause).await.expect("it can pause");
}

async fn a_pause_is_listed_for_its_own_queue_alone(bench: &Bench) {
    let queues = ["a", "b", "c"].map(|name| bench.on_queue(name));
    for queue in &queues {
        queue.put("job").await;
    }
    let paused =
        async || listed(bench, 2).await.iter().map(|status| status.pause.is_on()).collect::<Vec<_>>();
    assert_eq!(paused().await, [false; 3]);
    set(&queues[1], true).await;
    assert_eq!(paused().await, [false, true, false]);
    assert!(status(&queues[1]).await.pause.is_on() && !status(&queues[2]).await.pause.is_on());
    set(&queues[1], false).await;
    assert_eq!(paused().await, [false; 3]);
}

async fn a_queue_that_was_only_paused_is_listed(bench: &Bench) {
    set(bench, true).await;
    assert!(status(bench).await.pause.is_on());
    assert_counted(bench, [0; 6], "it never had a job").await;
    set(bench, false).await;
    assert!(!status(bench).await.pause.is_on());
}

async fn queues_stay_listed_across_a_reopen(bench: &Bench) {
    let (busy, emptied) = (bench.on_queue("busy"), bench.on_queue("emptied"));
    busy.put_one_of_each().await;
    emptied.put_many(3).await;
    emptied.prune(Prune::Everything, 9).await;
    for _ in 0..3 {
        bench.reopen().await;
        assert_eq!(names(bench, 10).await, ["busy", "emptied"]);
        assert_counted(&busy, [1; 6], "as it was").await;
        assert_counted(&emptied, [0; 6], "as it was").await;
    }
}

async fn pauses_without_a_job_stay_listed_across_a_reopen(bench: &Bench) {
    let (paused, resumed) = (bench.on_queue("paused"), bench.on_queue("resumed"));
    set(&paused, true).await;
    set(&resumed, true).await;
    set(&resumed, false).await;
    for _ in 0..2 {
        bench.reopen().await;
        assert_eq!(names(bench, 10).await, ["paused", "resumed"]);
        assert!(status(&paused).await.pause.is_on() && !status(&resumed).await.pause.is_on());
    }
}

async fn every_handle_lists_what_any_of_them_used(bench: &Bench) {
    let other = bench.second().await;
    bench.on_queue("a").put("job").await;
    other.on_queue("b").put_many(2).await;
    for handle in [bench, &other] {
        assert_eq!(names(handle, 10).await, ["a", "b"]);
        assert_eq!(agreed(&handle.on_queue("b")).await.total(), 2);
    }
}

/// No other call waits for a counter either.
async fn counts_wait_for_no_open_transaction_and_see_it_once_it_commits(bench: &Bench) {
    bench.put("before").await;
    let mut transaction = bench.begin().await;
    transaction.enqueue(bench.queue(), &jobs(3)).await.expect("it enqueues");
    assert_counted(bench, [1, 0, 0, 0, 0, 0], "while it is open").await;
    transaction.rollback().await.expect("it rolls back");
    assert_counted(bench, [1, 0, 0, 0, 0, 0], "once it was rolled back").await;
    let mut transaction = bench.begin().await;
    transaction.enqueue(bench.queue(), &jobs(3)).await.expect("it enqueues");
    transaction.commit().await.expect("it commits");
    assert_counted(bench, [4, 0, 0, 0, 0, 0], "once it has committed").await;
}
