//! Tests of the limits.

use super::*;
use crate::{
    ContentType, ErrorKind, Failure, JobId, JobMeta, Kind, LeaseToken, Payload, QueueName, Seq, State,
    Timestamp,
    lifecycle::{Cause, Event, Policy, decide},
};

const LIMITS: Limits = Limits {
    payload_bytes_max: 4,
    note_bytes_max: 2,
    batch_max: 2,
    call_bytes_max: 9,
    answer_bytes_max: 9,
    partitions: false,
    gates: true,
};
const TOKEN: LeaseToken = LeaseToken::from_bytes([1; 16]);

/// An event with a part of this many bytes.
type OfSize = fn(usize) -> Event;

fn bytes(len: usize) -> bytes::Bytes {
    vec![0; len].into()
}

fn payload(len: usize) -> Payload {
    Payload::new(bytes(len), ContentType::from_static("x/y"))
}

fn job(payload_len: usize) -> NewJob {
    NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload(payload_len))
}

fn transition(event: Event) -> Transition {
    let meta = JobMeta::begin(QueueName::from_static("q"), &job(0), Seq::new(1), Timestamp::default());
    let held = JobMeta { state: State::Processing, ..meta };
    decide(&held, event, &Policy::default()).expect("the job is held")
}

fn complete(result_len: usize, then: Vec<NewJob>) -> Event {
    Event::Complete { token: TOKEN, result: payload(result_len), retention: None, then }
}

fn fail(details_len: usize, cause: Cause) -> Event {
    let failure = Failure::new("Io", "").with_details(bytes(details_len));
    Event::Fail { token: TOKEN, failure, cause, delay: None, retention: None, then: Vec::new() }
}

fn extend(progress_len: usize) -> Event {
    Event::Extend { token: TOKEN, by: Span::from_secs(1), progress: Some(bytes(progress_len)) }
}

fn snooze(progress_len: usize, then: Vec<NewJob>) -> Event {
    let progress = Some(bytes(progress_len));
    Event::Snooze { token: TOKEN, delay: Span::from_secs(1), progress, then }
}

#[test]
fn each_part_is_taken_at_its_limit_and_refused_one_byte_above() {
    let parts: [(usize, OfSize); 10] = [
        (4, |len| complete(len, Vec::new())),
        (4, |len| complete(0, vec![job(len)])),
        (2, |len| fail(len, Cause::Retryable)),
        (2, |len| fail(len, Cause::Terminal)),
        (2, extend),
        (2, |len| snooze(len, Vec::new())),
        (4, |len| snooze(0, vec![job(len)])),
        (2, |len| Event::Interrupt { token: TOKEN, progress: Some(bytes(len)), then: Vec::new() }),
        (4, |len| Event::Interrupt { token: TOKEN, progress: None, then: vec![job(len)] }),
        (4, |len| Event::Release { token: TOKEN, then: vec![job(len)] }),
    ];
    for (part, (most, event)) in parts.into_iter().enumerate() {
        assert!(LIMITS.check_transition(&transition(event(most))).is_ok(), "part {part}");
        let refused = LIMITS.check_transition(&transition(event(most + 1))).expect_err("it is too large");
        assert_eq!(refused.kind(), ErrorKind::Invalid, "part {part}");
    }
}

#[test]
fn an_enqueue_counts_the_jobs_of_all_its_groups_and_looks_at_each() {
    assert!(LIMITS.check_enqueue(&[vec![job(4)], vec![job(4)]]).is_ok());
    assert!(LIMITS.check_enqueue(&[vec![job(4)], vec![job(4), job(4)]]).is_err());
    assert!(LIMITS.check_enqueue(&[vec![job(4)], vec![job(5)]]).is_err());
}

#[test]
fn a_job_that_could_never_run_is_refused() {
    let (delay, later) = (Span::from_secs(5), Span::from_millis(5_001));
    let expiring = |at| job(0).with_delay(delay).with_expires_in(at);
    for operation in [
        |job| LIMITS.check_enqueue(&[vec![job]]),
        |job| LIMITS.check_transition(&transition(complete(0, vec![job]))),
    ] {
        assert!(operation(expiring(later)).is_ok());
        assert!(operation(job(0).with_expires_in(Span::from_millis(1))).is_ok());
        for at in [delay, Span::ZERO] {
            let refused = operation(expiring(at)).expect_err("it would never run");
            assert_eq!(refused.kind(), ErrorKind::Invalid);
            assert!(refused.to_string().contains("can never run"), "{refused}");
        }
        assert!(operation(job(0).with_time_limit(Span::from_millis(1))).is_ok());
        assert!(operation(job(0).with_time_limit(Span::ZERO)).is_err());
    }
}

#[test]
fn a_call_counts_the_bytes_of_all_its_parts() {
    let limits = Limits { call_bytes_max: 5, ..LIMITS };
    assert!(limits.check_enqueue(&[vec![job(4)], vec![job(1)]]).is_ok());
    assert!(limits.check_enqueue(&[vec![job(4)], vec![job(2)]]).is_err());
    assert!(limits.check_apply(&[transition(complete(4, vec![job(1)]))]).is_ok());
    assert!(limits.check_apply(&[transition(complete(4, vec![job(2)]))]).is_err());
    assert!(limits.check_apply(&[transition(snooze(2, vec![job(3)]))]).is_ok());
    assert!(limits.check_apply(&[transition(snooze(2, vec![job(4)]))]).is_err());
}

#[test]
fn no_job_follows_a_heartbeat() {
    let mut beat = transition(extend(0));
    assert!(LIMITS.check_transition(&beat).is_ok());
    beat.then = vec![job(0)];
    let refused = LIMITS.check_transition(&beat).expect_err("it may be sent twice");
    assert_eq!(refused.kind(), ErrorKind::Invalid);
}

#[test]
fn a_job_that_may_replace_a_waiting_one_cannot_expire() {
    let expiring = job(0).with_expires_in(Span::from_secs(1));
    assert!(LIMITS.check_enqueue(&[vec![expiring.clone()]]).is_ok());
    for max_wait in [None, Some(Span::ZERO), Some(Span::MAX)] {
        let replace = OnWaiting::Replace { max_wait };
        assert!(LIMITS.check_enqueue(&[vec![job(0).with_on_waiting(replace)]]).is_ok());
        let both = expiring.clone().with_on_waiting(replace);
        let refused = LIMITS.check_enqueue(&[vec![both]]).expect_err("its time is another's");
        assert_eq!(refused.kind(), ErrorKind::Invalid);
    }
}

#[test]
fn a_batch_counts_what_follows_too() {
    let alone = || transition(complete(0, Vec::new()));
    let followed = || transition(complete(0, vec![job(0)]));
    assert!(LIMITS.check_apply(&[alone(), alone()]).is_ok());
    assert!(LIMITS.check_apply(&[followed()]).is_ok());
    assert!(LIMITS.check_apply(&[alone(), followed()]).is_err());
    assert!(LIMITS.check_apply(&[transition(snooze(0, vec![job(0)]))]).is_ok());
    assert!(LIMITS.check_apply(&[alone(), transition(snooze(0, vec![job(0)]))]).is_err());
}
