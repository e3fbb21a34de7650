//! A clock of the machine that leaps ahead under a handle, which doubts it.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Certainty, ClaimedJob, ClockLeap, Detail, Duty, Error, ErrorKind, ListQuery, Pause, Prune, PruneRequest,
    QueuesQuery, Result, SeriesEntry, SeriesName, SeriesQuery, Span, Timestamp, WorkerInfo,
};
use std::{error::Error as _, time::Duration};

cases! { "clock_bound":
    a_leap_within_the_bound_is_the_time [I24] (ClockBound);
    time_that_was_measured_is_no_leap [I24] (ClockBound);
    a_clock_that_leaps_ahead_is_refused_and_says_what_to_do [I24] (ClockBound);
    no_verb_goes_by_a_clock_that_has_leapt [I24] (ClockBound);
    nothing_is_left_of_a_call_that_was_refused [I1 I24] (ClockBound);
    a_clock_that_stays_ahead_is_believed_in_the_end [I15 I24] (ClockBound);
    a_handle_that_opens_after_a_long_pause_takes_the_clock_as_it_is [I24] (ClockBound Reopen);
}

const STEP_MAX: Duration = Duration::from_secs(3600);
const LEAP: Span = Span::from_secs(40 * 86_400);
/// How long a clock that stays ahead is doubted.
const DOUBT: Span = Span::from_secs(300);

/// A store with one job, whose handle has agreed with its clock.
async fn agreed(bench: &Bench) -> Bench {
    let bench = bench.bounded(STEP_MAX).await;
    bench.put("a").await;
    bench
}

/// Puts the clock ahead by this much, and returns what it was.
fn leap(bench: &Bench, by: Span) -> Timestamp {
    let right = bench.now();
    bench.clock.set(right + by);
    right
}

async fn end(bench: Bench) {
    bench.check_conservation().await;
    bench.clean_up().await;
}

fn leap_of(error: &Error) -> ClockLeap {
    let source = error.source().and_then(|source| source.downcast_ref::<ClockLeap>());
    *source.unwrap_or_else(|| panic!("the error does not come from the clock: {error:?}"))
}

async fn a_leap_within_the_bound_is_the_time(bench: &Bench) {
    let bench = agreed(bench).await;
    leap(&bench, Span::from_secs(3600));
    let counts = bench.counts().await;
    assert_eq!((counts.now, counts.clock), (bench.now(), bench.now()));
    end(bench).await;
}

async fn time_that_was_measured_is_no_leap(bench: &Bench) {
    let bench = agreed(bench).await;
    bench.advance(LEAP);
    bench.put("b").await;
    assert_eq!(bench.meta("b").await.created_at, bench.now());
    end(bench).await;
}

async fn a_clock_that_leaps_ahead_is_refused_and_says_what_to_do(bench: &Bench) {
    let bench = agreed(bench).await;
    let right = leap(&bench, Span::from_secs(3601));
    let refused = bench.enqueue_refused(vec![vec![job("b")]]).await;
    assert_eq!((refused.kind(), refused.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied));
    assert!(refused.to_string().contains("if it is wrong, set it"), "{refused}");
    assert_eq!(leap_of(&refused).by, Duration::from_secs(3601));
    bench.clock.set(right);
    bench.put("b").await;
    end(bench).await;
}

/// What each verb says while the clock is ahead, by its name.
async fn verbs(bench: &Bench, held: &ClaimedJob) -> Vec<(&'static str, Option<Error>)> {
    let (store, queue) = (bench.store(), bench.queue());
    let able = store.capabilities();
    let prune = PruneRequest { queue: queue.clone(), what: Prune::Expired, limit: 10 };
    let done = decided(&held.record.meta, complete(held.token));
    let list = ListQuery::all(queue.clone(), 10);
    let mut said = vec![
        ("enqueue", store.enqueue(queue, vec![vec![job("b")]]).await.err()),
        ("claim", store.claim(bench.request(1)).await.err()),
        ("apply", store.apply(vec![done]).await.err()),
        ("get", store.get(queue, &[id("a")], Detail::Full).await.err()),
        ("list", store.list(list).await.err()),
        ("counts", store.counts(queue).await.err()),
        ("queues", store.queues(QueuesQuery::all(10)).await.err()),
        ("prune", store.prune(prune).await.err()),
    ];
    let mut note = |verb, answer: Result<()>| said.push((verb, answer.err()));
    if able.pause {
        note("set_paused", store.set_paused(queue, None, Pause::UntilResumed).await);
    }
    if able.attempts {
        note("attempts", store.attempts(queue, &[id("a")]).await.map(drop));
    }
    if able.presence {
        let info = WorkerInfo::new(worker("w"));
        note("announce", store.announce(info, STEP_MAX).await.map(drop));
        note("workers", store.workers().await.map(drop));
        note("set_duty", store.set_duty(&worker("v"), Duty::Drain).await.map(drop));
    }
    if able.series {
        let series = SeriesName::new("load").expect("a name");
        let entry = SeriesEntry { series: series.clone(), slot: 1, writer: worker("w"), bytes: "x".into() };
        note("write_series", store.write_series(entry, STEP_MAX).await);
        note("read_series", store.read_series(SeriesQuery::new(series, 0..9, 10)).await.map(drop));
    }
    said
}

/// An answer with a wrong time could not be taken back.
async fn no_verb_goes_by_a_clock_that_has_leapt(bench: &Bench) {
    let bench = agreed(bench).await;
    let held = bench.claim_one().await;
    let right = leap(&bench, LEAP);
    for (verb, refused) in verbs(&bench, &held).await {
        let refused = refused.unwrap_or_else(|| panic!("{verb} goes by a clock that has leapt"));
        assert_eq!(refused.kind(), ErrorKind::Unavailable, "{verb}");
        assert_eq!(leap_of(&refused).by, LEAP.as_duration(), "{verb}");
    }
    bench.clock.set(right);
    for (verb, refused) in verbs(&bench, &held).await {
        assert!(refused.is_none(), "{verb} after the clock was set right: {refused:?}");
    }
    assert_eq!(bench.counts().await.now, right);
    end(bench).await;
}

async fn nothing_is_left_of_a_call_that_was_refused(bench: &Bench) {
    let bench = agreed(bench).await;
    bench.put_job(job("in a month").with_delay(Span::from_secs(30 * 86_400))).await;
    let held = bench.claim_one().await;
    let right = leap(&bench, LEAP);
    for _ in 0..3 {
        assert!(verbs(&bench, &held).await.iter().all(|(_, refused)| refused.is_some()));
    }
    bench.clock.set(right);
    let counts = bench.counts().await;
    assert_eq!((counts.now, counts.clock, counts.total()), (right, right, 2));
    assert!(bench.find("b").await.is_none(), "it was refused");
    bench.assert_nothing_due().await;
    bench.complete(&held).await;
    end(bench).await;
}

/// A machine that was really stopped for so long works again by itself.
async fn a_clock_that_stays_ahead_is_believed_in_the_end(bench: &Bench) {
    let bench = agreed(bench).await;
    leap(&bench, LEAP);
    let first = bench.enqueue_refused(vec![vec![job("b")]]).await;
    assert_eq!(leap_of(&first).left, DOUBT.as_duration());
    bench.advance(Span::from_millis(DOUBT.as_millis() - 1));
    let last = bench.enqueue_refused(vec![vec![job("b")]]).await;
    assert_eq!(leap_of(&last).left, MILLI.as_duration());
    bench.advance(MILLI);
    bench.put("b").await;
    assert_eq!(bench.meta("b").await.created_at, bench.now());
    end(bench).await;
}

/// The first process after a pause of all finds an old mark, and a clock that is right.
async fn a_handle_that_opens_after_a_long_pause_takes_the_clock_as_it_is(bench: &Bench) {
    let bench = agreed(bench).await;
    leap(&bench, LEAP);
    bench.reopen().await;
    bench.put("b").await;
    assert_eq!(bench.counts().await.now, bench.now());
    end(bench).await;
}
