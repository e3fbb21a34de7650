//! Counters at their end.

use crate::world::{BOUNDARY, MINE, record_in};
use queue_core::{
    Budget, Failure, JobMeta, State,
    lifecycle::{Cause, Event, Policy, Verdict, apply, decide},
};

/// Applies the event to a job with unlimited budgets whose counters are full.
fn with_full_counters(event: Event) -> JobMeta {
    let mut job = record_in(State::Processing);
    (job.meta.terms.max_attempts, job.meta.terms.max_stalls) = (Budget::Unlimited, Budget::Unlimited);
    (job.meta.failures, job.meta.stalls) = (u32::MAX, u32::MAX);
    let transition = decide(&job.meta, event, &Policy::default()).expect("the job is held");
    assert!(matches!(apply(&mut job, &transition, BOUNDARY), Verdict::Written { .. }));
    job.meta
}

#[test]
fn full_counters_stay_full_and_break_nothing() {
    let failure = Failure::new("Io", "broken");
    let fail = Event::Fail {
        token: MINE,
        failure,
        cause: Cause::Retryable,
        delay: None,
        retention: None,
        then: Vec::new(),
    };
    for event in [fail, Event::release(MINE), Event::Lapse] {
        let after = with_full_counters(event);
        assert_eq!((after.state, after.failures, after.stalls), (State::Failing, u32::MAX, u32::MAX));
        assert_eq!((after.attempt(), after.attempts_made()), (u32::MAX, u32::MAX));
    }
}
