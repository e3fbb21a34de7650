//! Store time under every clock: it never goes back, never stands still, and meets a healthy clock
//! again.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Detail, ListQuery, Moment, Prune, Retention, Span, State};

cases! { "time":
    every_reply_tells_the_time_and_the_clock [I24];
    a_delay_is_over_in_time_after_a_clock_that_was_ahead [I11 I15 I24];
    a_retry_comes_in_time_after_a_clock_that_was_ahead [I15 I24];
    a_lease_lapses_in_time_after_a_clock_that_was_ahead [I3 I15 I24];
    a_record_goes_in_time_after_a_clock_that_was_ahead [I13 I24];
    calls_back_to_back_do_not_hold_up_time [I24];
    time_that_is_ahead_is_met_by_the_clock_again [I24];
    handles_whose_clocks_differ_lead_by_no_more_than_that [I24] (SecondHandle);
    time_goes_on_from_handle_to_handle [I15 I21 I24] (Reopen);
    a_healthy_clock_is_the_time [I24];
}

/// How far the clock is ahead for a moment.
const DAY: Span = Span::from_secs(86_400);
/// While the clock is behind, this length takes one 64th more of real time, which is a second;
/// [`WAITED`] leaves another one for everything else.
const WAIT: Span = Span::from_secs(63);
const WAITED: Span = Span::from_secs(65);

async fn moment(bench: &Bench) -> Moment {
    bench.counts().await.moment()
}

/// Puts the clock a day ahead for one write, and then right again.
async fn leap(bench: &Bench) {
    bench.clock.set(bench.now() + DAY);
    bench.put("leap").await;
    bench.step_back(DAY);
    let first = bench.claim_one().await;
    bench.settled(&first, complete(first.token)).await;
    let lead = moment(bench).await.lead();
    assert_eq!(lead, DAY.as_duration(), "store time binds");
}

/// Store time and clock are equal as long as no clock steps.
async fn every_reply_tells_the_time_and_the_clock(bench: &Bench) {
    bench.put("a").await;
    let seen = bench.now();
    bench.step_back(KEPT);
    let store = bench.store();
    let queue = bench.queue();
    let expected = Moment { now: seen, clock: bench.now() };
    let enqueued = store.enqueue(queue, vec![vec![job("b")]]).await.expect("enqueue answers");
    let claimed = store.claim(bench.request(1)).await.expect("claim answers");
    let done = decided(&claimed.jobs[0].record.meta, complete(claimed.jobs[0].token));
    let applied = store.apply(vec![done]).await.expect("apply answers");
    let read = store.get(queue, &[id("a")], Detail::Full).await.expect("get answers");
    let listed = bench.page(ListQuery::all(queue.clone(), 10)).await;
    let lapsed = bench.page(ListQuery::lapsed(queue.clone(), 10)).await;
    let told = [
        ("enqueue", enqueued.moment()),
        ("claim", Moment { now: claimed.now, clock: claimed.clock }),
        ("apply", applied.moment()),
        ("get", read.moment()),
        ("list", Moment { now: listed.now, clock: listed.clock }),
        ("list of lapsed leases", Moment { now: lapsed.now, clock: lapsed.clock }),
        ("counts", bench.counts().await.moment()),
    ];
    for (verb, told) in told {
        assert_eq!(told, expected, "{verb}");
    }
}

/// The job is due a minute later, not a day later.
async fn a_delay_is_over_in_time_after_a_clock_that_was_ahead(bench: &Bench) {
    leap(bench).await;
    bench.put_job(job("a").with_delay(WAIT)).await;
    bench.assert_nothing_due().await;
    bench.advance(WAITED);
    assert_eq!(bench.claim_ids(10).await, ["a"]);
}

/// The wait is as long as the policy says.
async fn a_retry_comes_in_time_after_a_clock_that_was_ahead(bench: &Bench) {
    leap(bench).await;
    let held = bench.put_and_claim("a").await;
    assert_eq!(bench.fail(&held).await.state, State::Failing);
    bench.assert_nothing_due().await;
    bench.advance(Span::from_millis(2 * RETRY.as_millis()));
    assert_eq!(bench.claim_ids(10).await, ["a"]);
}

/// The holder has crashed.
async fn a_lease_lapses_in_time_after_a_clock_that_was_ahead(bench: &Bench) {
    leap(bench).await;
    bench.put("a").await;
    bench.claim_for(WAIT).await;
    assert_eq!(bench.rescue().await.len(), 0);
    bench.advance(WAITED);
    assert_eq!(bench.rescue().await.len(), 1);
    assert_eq!(bench.claim_ids(10).await, ["a"]);
}

/// The record can be pruned too.
async fn a_record_goes_in_time_after_a_clock_that_was_ahead(bench: &Bench) {
    leap(bench).await;
    bench.put_job(job("a").with_retention(Retention::Keep(WAIT))).await;
    let held = bench.claim_one().await;
    bench.complete(&held).await;
    assert_eq!(bench.state("a").await, Some(State::Completed));
    bench.advance(WAITED);
    assert_eq!(bench.state("a").await, None);
    assert_eq!(bench.prune(Prune::Expired, 10).await, 1);
}

/// A store that starts a new count with each answer loses fractions of its unit, which may be all
/// of the time.
async fn calls_back_to_back_do_not_hold_up_time(bench: &Bench) {
    leap(bench).await;
    let before = moment(bench).await.now;
    for _ in 0..640 {
        bench.advance(MILLI);
        bench.assert_nothing_due().await;
    }
    let passed = moment(bench).await.now.since(before).as_millis();
    assert!((620..=630).contains(&passed), "{passed} ms of 640 passed");
}

/// A lead of a minute is made up in 64 minutes, and not before.
async fn time_that_is_ahead_is_met_by_the_clock_again(bench: &Bench) {
    let minute = Span::from_secs(60);
    bench.clock.set(bench.now() + minute);
    bench.put("a").await;
    bench.step_back(minute);
    for minutes in 0..64 {
        let lead = moment(bench).await.lead().as_millis();
        let most = 60_000 - minutes * 60_000 / 64;
        assert!(lead > 0 && lead <= most, "it leads by {lead} ms after {minutes} minutes, not by {most}");
        for _ in 0..6 {
            bench.advance(Span::from_secs(10));
            bench.send(bench.request(0)).await;
        }
    }
    bench.advance(minute);
    assert_eq!(moment(bench).await, Moment::at(bench.now()));
}

/// The hosts have no server between them, or a server that fails over to another and back.
async fn handles_whose_clocks_differ_lead_by_no_more_than_that(bench: &Bench) {
    let apart = Span::from_secs(600);
    let fast = bench.clone();
    let slow = bench.second().await;
    for n in 0..500 {
        bench.clock.set(bench.now() + apart);
        fast.put(nth(2 * n).as_str()).await;
        let latest = moment(&fast).await;
        assert!(latest.now <= bench.now(), "after {n} rounds time leads by {:?}", latest.lead());
        bench.step_back(apart);
        slow.put(nth(2 * n + 1).as_str()).await;
        bench.advance(MILLI);
    }
    let lead = moment(&slow).await.lead();
    assert!(lead <= apart.as_duration(), "time leads by {lead:?}");
}

/// Each handle lives for one claim, as in a command that a timer starts.
async fn time_goes_on_from_handle_to_handle(bench: &Bench) {
    leap(bench).await;
    let before = moment(bench).await.now;
    bench.put_job(job("a").with_delay(WAIT)).await;
    for _ in 0..10 {
        bench.assert_nothing_due().await;
        bench.advance(Span::from_secs(6));
        bench.assert_nothing_due().await;
        bench.reopen().await;
    }
    let passed = moment(bench).await.now.since(before).as_millis();
    assert!((59_000..=60_000).contains(&passed), "{passed} ms of a minute passed");
    bench.advance(Span::from_secs(6));
    assert_eq!(bench.claim_ids(10).await, ["a"]);
}

/// The floor of a handle makes no difference.
async fn a_healthy_clock_is_the_time(bench: &Bench) {
    for n in 0..100 {
        bench.advance(Span::from_millis(1 + 97 * n));
        assert_eq!(moment(bench).await, Moment::at(bench.now()));
        bench.send(bench.request(1)).await;
    }
    bench.put("a").await;
    assert_eq!(bench.meta("a").await.created_at, bench.now());
}
