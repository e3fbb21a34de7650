//! Lower priorities go first among due jobs.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Retention, Span};

cases! { "priority":
    lower_goes_first [I12];
    the_whole_range_is_ordered [I12];
    priority_counts_before_time [I12];
    equal_priorities_go_by_time_and_number [I12];
    a_job_that_is_not_due_does_not_hold_up_others [I11 I12 I16];
    a_more_urgent_job_overtakes_a_backlog [I12];
    priority_is_kept_through_failures_releases_and_stalls [I12];
    one_claim_spans_priorities [I12];
    a_new_life_has_its_own_priority [I9 I12];
    scheduled_jobs_that_became_due_go_by_priority [I12];
}

async fn put_with(bench: &Bench, text: &str, priority: i16) {
    bench.put_job(job(text).with_priority(priority)).await;
}

/// Negative numbers go before zero, and zero before positive ones.
async fn lower_goes_first(bench: &Bench) {
    for (text, priority) in [("a", 1), ("b", 0), ("c", -1), ("d", 10), ("e", -10)] {
        put_with(bench, text, priority).await;
    }
    assert_eq!(bench.claim_ids(10).await, ["e", "c", "b", "a", "d"]);
}

/// The values are the ends of the range, and those where an encoding could wrap.
async fn the_whole_range_is_ordered(bench: &Bench) {
    let priorities = [
        i16::MIN,
        i16::MIN + 1,
        -257,
        -256,
        -255,
        -2,
        -1,
        0,
        1,
        2,
        9,
        10,
        99,
        100,
        255,
        256,
        257,
        i16::MAX - 1,
        i16::MAX,
    ];
    for priority in priorities.into_iter().rev() {
        put_with(bench, &format!("p{priority}"), priority).await;
    }
    assert_eq!(bench.claim_ids(100).await, priorities.map(|priority| format!("p{priority}")));
}

async fn priority_counts_before_time(bench: &Bench) {
    put_with(bench, "old", 1).await;
    bench.advance(KEPT);
    put_with(bench, "new", 0).await;
    assert_eq!(bench.claim_ids(10).await, ["new", "old"]);
}

/// Three priorities each have their own order.
async fn equal_priorities_go_by_time_and_number(bench: &Bench) {
    for n in 0..9_i16 {
        put_with(bench, nth(usize::from(n.unsigned_abs())).as_str(), n % 3).await;
    }
    let expected = [0, 3, 6, 1, 4, 7, 2, 5, 8].map(|n| nth(n).to_string());
    assert_eq!(bench.claim_ids(10).await, expected);
}

async fn a_job_that_is_not_due_does_not_hold_up_others(bench: &Bench) {
    bench.put_job(job("urgent").with_priority(i16::MIN).with_delay(RETRY)).await;
    put_with(bench, "plain", i16::MAX).await;
    assert_eq!(bench.claim_ids(10).await, ["plain"]);
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["urgent"]);
}

/// The case enqueues the urgent job while the backlog is being worked off.
async fn a_more_urgent_job_overtakes_a_backlog(bench: &Bench) {
    bench.put_many(100).await;
    assert_eq!(bench.claim(10).await.len(), 10);
    put_with(bench, "urgent", -1).await;
    assert_eq!(bench.claim_ids(2).await, ["urgent".to_owned(), nth(10).to_string()]);
}

/// The priority belongs to the life.
async fn priority_is_kept_through_failures_releases_and_stalls(bench: &Bench) {
    put_with(bench, "urgent", -5).await;
    bench.fail(&bench.claim_one().await).await;
    bench.advance(RETRY);
    put_with(bench, "plain", 0).await;
    bench.release(&bench.claim_one().await).await;
    bench.claim_for(Span::from_secs(1)).await;
    bench.advance(Span::from_secs(1));
    bench.rescue().await;
    assert_eq!(bench.claim_ids(10).await, ["urgent", "plain"]);
}

/// A claim continues with the next priority.
async fn one_claim_spans_priorities(bench: &Bench) {
    for priority in 0..50 {
        put_with(bench, &format!("p{priority}"), priority).await;
    }
    assert_eq!(bench.claim(50).await.len(), 50);
}

async fn a_new_life_has_its_own_priority(bench: &Bench) {
    bench.put_job(job("a").with_priority(-5).with_retention(Retention::Remove)).await;
    bench.complete(&bench.claim_one().await).await;
    put_with(bench, "b", 0).await;
    put_with(bench, "a", 5).await;
    assert_eq!(bench.claim_ids(10).await, ["b", "a"]);
}

/// A scheduled job that becomes due is ordered by its priority.
async fn scheduled_jobs_that_became_due_go_by_priority(bench: &Bench) {
    for (text, priority, millis) in [("a", 2, 10), ("b", 0, 30), ("c", 1, 20), ("d", 0, 25)] {
        bench.put_job(job(text).with_priority(priority).with_delay(Span::from_millis(millis))).await;
    }
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["d", "b", "c", "a"]);
}
