//! What a claim writes, and how long a settle sent twice is answered twice.

use crate::world::{BOUNDARY, MINE, THEIRS, new_job, queued};
use queue_core::{
    ClaimRequest, ContentType, Failure, JobMeta, LeaseInfo, LeaseToken, Payload, QueueName, Retention,
    SeededRng, Seq, Span, State, Timestamp, WorkerId,
    lifecycle::{
        Cause, Event, LastSettle, Policy, Settle, TrackedJob, Transition, Verdict, apply, decide, lease,
    },
};

const LEASE: Span = Span::from_secs(30);

fn claim(job: &mut TrackedJob, token: LeaseToken, now: Timestamp) {
    let (queue, worker) = (QueueName::from_static("q"), WorkerId::from_static("w"));
    let request = ClaimRequest { token, ..ClaimRequest::new(queue, worker, 1, LEASE, &SeededRng::new(0)) };
    lease(job, &request, now);
}

fn claimed() -> TrackedJob {
    let mut job = TrackedJob::new(JobMeta { expires_in: Some(LEASE), ..queued() });
    claim(&mut job, MINE, BOUNDARY);
    job
}

fn decided(job: &TrackedJob, event: Event) -> Transition {
    decide(&job.meta, event, &Policy::default()).expect("the job is held")
}

/// One event per way to settle a lease.
fn settles() -> [Event; 5] {
    let (token, delay) = (MINE, Span::from_secs(1));
    let result = Payload::new("1", ContentType::from_static("text/plain"));
    let failure = Failure::new("Io", "broken");
    [
        Event::Complete { token, result, retention: None, then: vec![new_job("next")] },
        Event::Fail {
            token,
            failure,
            cause: Cause::Retryable,
            delay: None,
            retention: None,
            then: Vec::new(),
        },
        Event::release(token),
        Event::snooze(token, delay),
        Event::Expire { now: BOUNDARY, token: Some(token) },
    ]
}

#[test]
fn a_claim_writes_the_lease_and_nothing_else() {
    for state in [State::Queued, State::Failing] {
        let mut job = TrackedJob::new(JobMeta { state, epoch: 8, revision: 9, awaited: true, ..queued() });
        job.last_settle = Some(LastSettle { token: THEIRS, settle: Settle::Fail });
        let before = job.clone();
        claim(&mut job, MINE, BOUNDARY);
        let lease = LeaseInfo { worker: WorkerId::from_static("w"), expires_at: BOUNDARY + LEASE };
        let expected = TrackedJob {
            meta: JobMeta {
                state: State::Processing,
                epoch: 9,
                revision: 10,
                lease: Some(lease),
                claimed_at: Some(BOUNDARY),
                ..before.meta
            },
            token: Some(MINE),
            last_settle: None,
        };
        assert_eq!(job, expected);
    }
}

#[test]
fn a_lease_lapses_at_its_end_and_not_a_millisecond_before() {
    let meta = claimed().meta;
    let end = BOUNDARY.as_millis() + LEASE.as_millis();
    assert!(!meta.is_lapsed(Timestamp::from_millis(end - 1)));
    assert!(meta.is_lapsed(Timestamp::from_millis(end)));
}

#[test]
fn a_settle_sent_twice_is_done_twice_and_written_once() {
    for event in settles() {
        let mut job = claimed();
        let transition = decided(&job, event);
        assert!(matches!(apply(&mut job, &transition, BOUNDARY), Verdict::Written { .. }));
        let settled = job.clone();
        for _ in 0..2 {
            assert_eq!(apply(&mut job, &transition, BOUNDARY), Verdict::Replayed);
            assert_eq!(job, settled, "a replay writes nothing");
        }
    }
}

#[test]
fn one_settle_is_no_replay_of_another() {
    for (first, sent) in settles().into_iter().enumerate() {
        for (second, late) in settles().into_iter().enumerate().filter(|(second, _)| *second != first) {
            let mut job = claimed();
            let (sent, late) = (decided(&job, sent.clone()), decided(&job, late));
            apply(&mut job, &sent, BOUNDARY);
            assert_eq!(apply(&mut job, &late, BOUNDARY), Verdict::LeaseLost, "{first} then {second}");
        }
    }
}

#[test]
fn a_newer_claim_ends_the_memory_of_a_settle() {
    for event in settles().into_iter().skip(1) {
        let mut job = claimed();
        let transition = decided(&job, event);
        apply(&mut job, &transition, BOUNDARY);
        claim(&mut job, THEIRS, BOUNDARY);
        let held = job.clone();
        assert_eq!(apply(&mut job, &transition, BOUNDARY), Verdict::LeaseLost);
        assert_eq!(job, held, "a late settle changes nothing");
    }
}

#[test]
fn a_settle_is_remembered_across_a_redrive_until_the_next_claim() {
    let mut job = claimed();
    let failure = Failure::new("Io", "broken");
    let event = Event::Fail {
        token: MINE,
        failure,
        cause: Cause::Terminal,
        delay: None,
        retention: None,
        then: Vec::new(),
    };
    let transition = decided(&job, event);
    apply(&mut job, &transition, BOUNDARY);
    let redrive = decided(&job, Event::Redrive { content_type: None });
    apply(&mut job, &redrive, BOUNDARY);
    assert_eq!(apply(&mut job, &transition, BOUNDARY), Verdict::Replayed);
    claim(&mut job, THEIRS, BOUNDARY);
    assert_eq!(apply(&mut job, &transition, BOUNDARY), Verdict::LeaseLost);
}

#[test]
fn after_removal_or_in_another_life_a_settle_finds_nothing() {
    let mut job = claimed();
    let [Event::Complete { token, result, then, .. }, ..] = settles() else {
        unreachable!("the first settle is a completion")
    };
    let complete = |retention| Event::Complete {
        token,
        result: result.clone(),
        retention: Some(retention),
        then: then.clone(),
    };
    let removal = decided(&job, complete(Retention::Remove));
    assert_eq!(apply(&mut job.clone(), &removal, BOUNDARY), Verdict::Removed);
    let mut next_life = TrackedJob::new(JobMeta { seq: Seq::new(8), ..queued() });
    assert_eq!(apply(&mut next_life, &removal, BOUNDARY), Verdict::Missing);

    let kept = decided(&job, complete(Retention::Keep(LEASE)));
    apply(&mut job, &kept, BOUNDARY);
    assert_eq!(apply(&mut job, &kept, BOUNDARY + LEASE), Verdict::Missing, "past its purge time");
}
