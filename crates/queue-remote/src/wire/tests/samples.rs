//! Values with another content than the default in every field.

use bytes::Bytes;
use queue_core::{
    Attempt, AttemptOutcome, Budget, ContentType, EndSignal, Failure, Gate, Headers, JobBody, JobId, JobMeta,
    Kind, LeaseInfo, LeaseToken, NewGate, NewJob, OnFailed, OnWaiting, Partition, Payload, QueueName, Reason,
    Retention, RetentionPolicy, Seq, SharedTerms, Span, State, Tag, Tags, Tally, Timestamp, WorkerId,
};

pub(super) fn payload(text: &'static str) -> Payload {
    Payload::new(text, ContentType::from_static("text/plain"))
}

pub(super) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub(super) fn span(millis: i64) -> Span {
    Span::from_millis(millis)
}

pub(super) fn token(byte: u8) -> LeaseToken {
    LeaseToken::from_bytes([byte; 16])
}

/// A job with another value than the default in each field.
pub(super) fn new_job() -> NewJob {
    let (id, kind) = (JobId::from_static("a/é"), Kind::from_static("mail"));
    NewJob::new(id, kind, payload("{}"))
        .with_headers(Headers::new([("tenant", "7"), ("empty", "")]).expect("valid"))
        .with_tags(Tags::new([Tag::new("x").expect("valid"), Tag::new("y").expect("valid")]).expect("few"))
        .with_priority(-5)
        .with_delay(span(1))
        .with_expires_in(span(2))
        .with_time_limit(span(3))
        .with_max_attempts(Budget::Unlimited)
        .with_max_stalls(Budget::from_raw(9))
        .with_retention(RetentionPolicy { completed: Retention::Remove, failed: Retention::Forever })
        .with_on_failed(OnFailed::Replace)
        .with_on_waiting(OnWaiting::Replace { max_wait: Some(span(4)) })
        .with_on_failure(Kind::from_static("alarm"))
        .awaited()
        .with_partition(Partition::from_static("acme"))
        .with_gate(NewGate { needs: 3, is_sealed: true, timeout: Some(span(5)) })
        .with_end_signals([
            EndSignal::to(JobId::from_static("b")),
            EndSignal {
                to: JobId::from_static("c"),
                life: Some(Seq::new(9)),
                raises: true,
                tolerant: true,
                urgent: true,
            },
        ])
}

pub(super) fn terms() -> SharedTerms {
    new_job().terms
}

pub(super) fn meta() -> JobMeta {
    let mut meta =
        JobMeta::begin(QueueName::from_static("q"), &new_job(), Seq::new(7), at(1_700_000_000_000));
    meta.revision = 3;
    meta.state = State::Failed;
    meta.reason = Some(Reason::Exhausted);
    (meta.epoch, meta.failures, meta.stalls) = (5, 2, 1);
    meta.expiry_lifted = true;
    meta.lease = Some(LeaseInfo { worker: WorkerId::from_static("w"), expires_at: at(8) });
    (meta.claimed_at, meta.failed_at) = (Some(at(9)), Some(at(10)));
    meta.cancel_requested = true;
    meta.progress = Some(Box::new(Bytes::from_static(b"\x00half")));
    meta.last_error = Some(Failure::new("Timeout", "too slow"));
    (meta.finished_at, meta.purge_at) = (Some(at(-11)), Some(at(i64::MAX)));
    meta.gate = Some(Box::new(Gate {
        needs: 6,
        signals: 6,
        tally: Tally { completed: 1, failed: 2, cancelled: 3 },
        is_sealed: true,
        heeds_urgent: true,
        closed_at: Some(4),
    }));
    meta
}

pub(super) fn body() -> JobBody {
    JobBody {
        payload: payload("in"),
        headers: Headers::NONE,
        result: Some(payload("out")),
        error_details: Some(Bytes::from_static(b"trace")),
        end_signals: new_job().end_signals,
    }
}

pub(super) fn attempt() -> Attempt {
    Attempt {
        epoch: 1,
        worker: WorkerId::from_static("w"),
        claimed_at: at(1),
        ended_at: at(2),
        outcome: AttemptOutcome::Stalled,
        error_name: "Stalled".to_owned(),
        error_message: String::new(),
    }
}
