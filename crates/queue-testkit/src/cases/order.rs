//! The order in which due jobs are claimed.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Budget, Span, lifecycle::Event};

const SAME_MILLISECOND: usize = 1000;

cases! { "order":
    jobs_of_one_millisecond_keep_the_order_of_enqueues [I12];
    jobs_of_one_call_keep_their_order [I12];
    earlier_jobs_go_first [I12];
    what_was_due_earlier_goes_first_whenever_it_was_enqueued [I12];
    the_order_goes_on_from_claim_to_claim [I12];
    a_released_job_keeps_its_place [I12];
    a_first_stall_keeps_its_place [I12];
    a_snoozed_job_lines_up_again [I12];
    a_failed_job_lines_up_by_its_next_time [I12];
    a_promoted_job_lines_up_behind_what_is_due [I12];
    a_redriven_job_lines_up_behind_what_is_due [I12];
    a_new_life_lines_up_at_the_end [I12];
    ids_play_no_part [I12];
    a_clock_that_steps_back_changes_no_order [I12 I24];
}

/// The jobs arrive within one millisecond.
async fn jobs_of_one_millisecond_keep_the_order_of_enqueues(bench: &Bench) {
    for n in 0..SAME_MILLISECOND {
        bench.put(nth(n).as_str()).await;
    }
    let expected: Vec<String> = (0..SAME_MILLISECOND).map(|n| nth(n).to_string()).collect();
    assert_eq!(bench.claim_ids(SAME_MILLISECOND).await, expected);
}

/// The jobs are in one group or in several.
async fn jobs_of_one_call_keep_their_order(bench: &Bench) {
    let groups = vec![vec![job("c"), job("a")], vec![job("e")], vec![job("b"), job("d")]];
    bench.enqueue_groups(groups).await;
    assert_eq!(bench.claim_ids(10).await, ["c", "a", "e", "b", "d"]);
}

async fn earlier_jobs_go_first(bench: &Bench) {
    for text in ["d", "b", "c", "a"] {
        bench.put(text).await;
        bench.advance(MILLI);
    }
    assert_eq!(bench.claim_ids(10).await, ["d", "b", "c", "a"]);
}

/// The due time takes precedence over the number of the life.
async fn what_was_due_earlier_goes_first_whenever_it_was_enqueued(bench: &Bench) {
    for (text, millis) in [("a", 30), ("b", 10), ("c", 20), ("d", 0), ("e", 10)] {
        bench.put_job(job(text).with_delay(Span::from_millis(millis))).await;
    }
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["d", "b", "e", "c", "a"]);
}

/// A second claim continues where the first ended.
async fn the_order_goes_on_from_claim_to_claim(bench: &Bench) {
    bench.put_many(20).await;
    let mut seen = Vec::new();
    for limit in [1, 5, 2, 7, 5] {
        seen.extend(bench.claim_ids(limit).await);
    }
    assert_eq!(seen, (0..20).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

/// A deployment must not send jobs to the back.
async fn a_released_job_keeps_its_place(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(MILLI);
    bench.put("b").await;
    bench.release(&held).await;
    assert_eq!(bench.claim_ids(10).await, ["a", "b"]);
}

/// Most stalled jobs are not at fault: their worker crashed.
async fn a_first_stall_keeps_its_place(bench: &Bench) {
    bench.put_and_claim("a").await;
    bench.advance(LEASE);
    bench.put("b").await;
    bench.rescue().await;
    assert_eq!(bench.claim_ids(10).await, ["a", "b"]);
}

async fn a_snoozed_job_lines_up_again(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.put("b").await;
    bench.settled(&held, Event::snooze(held.token, MILLI)).await;
    bench.advance(MILLI);
    bench.put("c").await;
    assert_eq!(bench.claim_ids(10).await, ["b", "a", "c"]);
}

/// The job comes between those due before and after its new time.
async fn a_failed_job_lines_up_by_its_next_time(bench: &Bench) {
    bench.fail(&bench.put_and_claim("a").await).await;
    bench.put("b").await;
    bench.advance(RETRY);
    bench.advance(MILLI);
    bench.put("c").await;
    assert_eq!(bench.claim_ids(10).await, ["b", "a", "c"]);
}

/// A promoted job is due now, so after jobs that have been due.
async fn a_promoted_job_lines_up_behind_what_is_due(bench: &Bench) {
    bench.put_job(job("a").with_delay(KEPT)).await;
    bench.put("b").await;
    bench.advance(MILLI);
    bench.changed("a", Event::Promote).await;
    bench.advance(MILLI);
    bench.put("c").await;
    assert_eq!(bench.claim_ids(10).await, ["b", "a", "c"]);
}

async fn a_redriven_job_lines_up_behind_what_is_due(bench: &Bench) {
    bench.put("a").await;
    bench.cancel("a").await;
    bench.put("b").await;
    bench.advance(MILLI);
    bench.changed("a", Event::Redrive { content_type: None }).await;
    bench.advance(MILLI);
    bench.put("c").await;
    assert_eq!(bench.claim_ids(10).await, ["b", "a", "c"]);
}

/// The new life does not inherit the position of the old one.
async fn a_new_life_lines_up_at_the_end(bench: &Bench) {
    bench.put_many(3).await;
    bench.cancel(nth(0).as_str()).await;
    bench.put(nth(0).as_str()).await;
    assert_eq!(bench.claim_ids(10).await, [1, 2, 0].map(|n| nth(n).to_string()));
}

/// Neither the bytes nor the length of ids matter.
async fn ids_play_no_part(bench: &Bench) {
    let texts = ["zz", "a", "10", "9", "Z", "\u{1F600}", "é", "a "];
    for text in texts {
        bench.put(text).await;
    }
    assert_eq!(bench.claim_ids(10).await, texts);
}

/// Store time stands still until the clock has caught up.
async fn a_clock_that_steps_back_changes_no_order(bench: &Bench) {
    bench.put_job(job("a").with_max_attempts(Budget::Unlimited)).await;
    bench.step_back(KEPT);
    bench.put("b").await;
    bench.advance(MILLI);
    bench.put("c").await;
    assert_eq!(bench.claim_ids(10).await, ["a", "b", "c"]);
}
