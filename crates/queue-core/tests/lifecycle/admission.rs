//! The rule of ids.

use crate::{
    axes::{CLOCKS, EXPIRIES},
    world::{BOUNDARY, new_job, record_in},
};
use queue_core::{
    JobMeta, OnFailed, State,
    lifecycle::{Admission, admit},
};

#[test]
fn a_free_id_is_taken_whatever_the_options() {
    for on_failed in [OnFailed::Block, OnFailed::Replace] {
        assert_eq!(admit(None, &new_job("a").with_on_failed(on_failed), BOUNDARY), Admission::Insert);
    }
}

#[test]
fn every_present_state_blocks_or_makes_room_as_documented() {
    use Admission::{Duplicate, Replace};
    // By state: with `Block`, with `Replace`.
    let table = [
        (State::Queued, Duplicate, Duplicate),
        (State::Processing, Duplicate, Duplicate),
        (State::Failing, Duplicate, Duplicate),
        (State::Completed, Duplicate, Duplicate),
        (State::Failed, Duplicate, Replace),
        (State::Cancelled, Replace, Replace),
    ];
    assert_eq!(table.map(|(state, ..)| state), State::ALL);
    for (state, blocked, replaced) in table {
        let present = record_in(state).meta;
        for now in CLOCKS {
            let purged = state.is_terminal() && now >= BOUNDARY;
            for (on_failed, expected) in [(OnFailed::Block, blocked), (OnFailed::Replace, replaced)] {
                let new = new_job("a").with_on_failed(on_failed);
                let expected = if purged { Replace } else { expected };
                assert_eq!(admit(Some(&present), &new, now), expected, "{state} {on_failed:?} at {now}");
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
