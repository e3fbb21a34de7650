//! The rule of ids.

use crate::{
    axes::{CLOCKS, EXPIRIES},
    world::{BOUNDARY, EARLIER, new_job, record_in},
};
use queue_core::{
    JobMeta, NewJob, OnFailed, OnWaiting, Seq, Span, State, Timestamp,
    lifecycle::{Admission, admit},
};

const ON_WAITING: [OnWaiting; 3] = [
    OnWaiting::Block,
    OnWaiting::Replace { max_wait: None },
    OnWaiting::Replace { max_wait: Some(Span::from_secs(9)) },
];

#[test]
fn a_free_id_is_taken_whatever_the_options() {
    for on_failed in [OnFailed::Block, OnFailed::Replace] {
        for on_waiting in ON_WAITING {
            let new = new_job("a").with_on_failed(on_failed).with_on_waiting(on_waiting);
            assert_eq!(admit(None, &new, BOUNDARY), Admission::Insert);
        }
    }
}

#[test]
fn every_present_state_blocks_or_makes_room_as_documented() {
    use Admission::{Duplicate, Replace};
    // The columns: no replacement, replacement of Failed records, replacement of waiting jobs.
    let table = [
        (State::Queued, Duplicate, Duplicate, Replace),
        (State::Processing, Duplicate, Duplicate, Duplicate),
        (State::Failing, Duplicate, Duplicate, Replace),
        (State::Completed, Duplicate, Duplicate, Duplicate),
        (State::Failed, Duplicate, Replace, Duplicate),
        (State::Cancelled, Replace, Replace, Replace),
    ];
    assert_eq!(table.map(|(state, ..)| state), State::ALL);
    for (state, blocked, failed_replaced, waiting_replaced) in table {
        let present = record_in(state).meta;
        for now in CLOCKS {
            let purged = state.is_terminal() && now >= BOUNDARY;
            let asserted = |new: NewJob, expected| {
                let expected = if purged { Replace } else { expected };
                assert_eq!(admit(Some(&present), &new, now), expected, "{state} at {now}: {new:?}");
            };
            asserted(new_job("a"), blocked);
            asserted(new_job("a").with_on_failed(OnFailed::Replace), failed_replaced);
            for on_waiting in &ON_WAITING[1..] {
                asserted(new_job("a").with_on_waiting(*on_waiting), waiting_replaced);
            }
        }
    }
}

#[test]
fn a_record_kept_forever_blocks_forever() {
    let mut present = record_in(State::Completed).meta;
    present.purge_at = None;
    let far = queue_core::Timestamp::from_millis(i64::MAX);
    assert_eq!(admit(Some(&present), &new_job("a"), far), Admission::Duplicate);
}

#[test]
fn a_job_that_expired_makes_room_from_that_very_millisecond_and_in_no_other_case() {
    for state in State::ALL.into_iter().filter(|state| !state.is_terminal()) {
        for (expires_in, expiry_lifted) in EXPIRIES {
            let present = JobMeta { expires_in, expiry_lifted, ..record_in(state).meta };
            for now in CLOCKS {
                let expired = expires_in.is_some() && !expiry_lifted && now >= BOUNDARY;
                let makes_room = state == State::Queued && expired;
                let expected = if makes_room { Admission::Replace } else { Admission::Duplicate };
                assert_eq!(admit(Some(&present), &new_job("a"), now), expected, "{present:?} at {now}");
            }
        }
    }
}

/// The life that replaces `present`, enqueued at the boundary with a delay of ten seconds.
fn replacement(present: &JobMeta, max_wait: Option<Span>) -> JobMeta {
    let new = new_job("a").with_delay(Span::from_secs(10)).with_on_waiting(OnWaiting::Replace { max_wait });
    let found = JobMeta::replacing(present, &new, Seq::new(8), BOUNDARY);
    let begun = JobMeta::begin(present.queue.clone(), &new, Seq::new(8), BOUNDARY);
    let times = (found.created_at, found.run_at);
    let of_times = |(created_at, run_at), meta| JobMeta { created_at, run_at, ..meta };
    assert_eq!(found, of_times(times, begun), "but for its times it begins like a first one");
    found
}

#[test]
fn a_life_that_takes_the_place_of_a_waiting_one_keeps_its_time_of_creation_and_is_due_by_max_wait() {
    let waited = BOUNDARY.as_millis() - EARLIER.as_millis();
    // `max_wait` minus the wait so far, and the time from now until the job is due.
    let bounds = [(-waited, 0), (-1, 0), (0, 0), (1, 1), (9_999, 9_999), (10_000, 10_000), (10_001, 10_000)];
    for state in [State::Queued, State::Failing] {
        let present = record_in(state).meta;
        for (longer, wait) in bounds {
            let found = replacement(&present, Some(Span::from_millis(waited + longer)));
            let due = BOUNDARY + Span::from_millis(wait);
            assert_eq!((found.created_at, found.run_at), (EARLIER, due), "{state}, {longer} ms longer");
        }
        let unbounded = replacement(&present, None);
        assert_eq!((unbounded.created_at, unbounded.run_at), (EARLIER, BOUNDARY + Span::from_secs(10)));
        assert_eq!(replacement(&present, Some(Span::MAX)).run_at, BOUNDARY + Span::from_secs(10));
    }
}

#[test]
fn a_life_that_takes_the_place_of_anything_else_begins_like_a_first_one() {
    let first = (BOUNDARY, BOUNDARY + Span::from_secs(10));
    let expired = JobMeta { expires_in: Some(Span::from_millis(1)), ..record_in(State::Queued).meta };
    let ended = [State::Completed, State::Failed, State::Cancelled].map(|state| record_in(state).meta);
    for present in ended.into_iter().chain([expired]) {
        for max_wait in [None, Some(Span::ZERO), Some(Span::from_secs(9))] {
            let found = replacement(&present, max_wait);
            assert_eq!((found.created_at, found.run_at), first, "over {present:?}");
        }
    }
}

#[test]
fn a_life_that_says_nothing_of_waiting_ones_begins_like_a_first_one_wherever_it_makes_room() {
    let present = record_in(State::Failed).meta;
    let new = new_job("a").with_on_failed(OnFailed::Replace);
    let found = JobMeta::replacing(&present, &new, Seq::new(8), BOUNDARY);
    assert_eq!(found, JobMeta::begin(present.queue.clone(), &new, Seq::new(8), BOUNDARY));
    let far = Timestamp::from_millis(i64::MAX);
    let late = new_job("a").with_on_waiting(OnWaiting::Replace { max_wait: Some(Span::MAX) });
    let found = JobMeta::replacing(&record_in(State::Queued).meta, &late, Seq::new(8), far);
    assert_eq!(found.run_at, far, "the end of time is no overflow");
}
