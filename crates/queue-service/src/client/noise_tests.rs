//! Answers of any kind are read, or are answers of something else. None does harm.

use super::calls::judged;
use crate::{
    ServiceError,
    wire::{AnnounceAnswer, ClaimAnswer, ItemsAnswer},
};
use proptest::{prelude::*, sample::Index};
use queue_core::WorkerId;
use queue_worker::hosted::HostedJob;
use serde_json::{Value, json};
use tokio::time::Instant;

/// Text of names, of base64 and of no kind.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[A-Za-z0-9+/]{0,8}={0,2}", Just("mail".to_owned())]
}

/// Numbers at the ends of their types, and others.
fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec![json!(0), json!(u64::MAX), json!(i64::MIN), json!(u32::MAX), json!(1.5)]),
    ]
}

fn job() -> impl Strategy<Value = Value> {
    let names = [(); 8].map(|()| text());
    let numbers = [(); 9].map(|()| number());
    (names, numbers, any::<bool>()).prop_map(|(name, number, has_bytes)| {
        let [queue, id, kind, payload, content_type, header, tag, error] = name;
        let [seq, epoch, attempt, priority, created, run_at, expires, lease, limit] = number;
        let mut job = json!({
            "queue": queue, "id": id, "kind": kind, "seq": seq, "epoch": epoch, "attempt": attempt,
            "priority": priority, "payload": {"n": payload}, "headers": {&header: &header}, "tags": [tag],
            "created_at_ms": created, "run_at_ms": run_at, "lease_expires_at_ms": expires, "lease_ms": lease,
            "time_limit_ms": limit, "last_error": {"name": error, "message": header}, "receipt": "r",
        });
        if has_bytes {
            job["payload_base64"] = json!(payload);
            job["content_type"] = json!(content_type);
            job["progress_base64"] = json!(payload);
        }
        job
    })
}

fn answer() -> impl Strategy<Value = Value> {
    let claim = (job(), number(), number()).prop_map(|(job, due, waited)| {
        json!({"jobs": [job], "next_due_in_ms": due, "paused": false, "drain": false, "waited_ms": waited})
    });
    let items = (text(), number(), text()).prop_map(|(outcome, lease, kind)| {
        let problem = json!({"kind": kind, "detail": outcome});
        json!({"items": [{"outcome": outcome, "lease_ms": lease, "problem": problem}], "drain": true})
    });
    let refused = (text(), number())
        .prop_map(|(detail, wait)| json!({"kind": "too_many", "detail": detail, "retry_after_ms": wait}));
    prop_oneof![2 => claim, 1 => items, 1 => refused]
}

/// Whole answers, answers with wrong bytes, and noise.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let wrong = prop::collection::vec((any::<Index>(), any::<u8>()), 0..3);
    let answer = (answer(), wrong).prop_map(|(answer, wrong)| {
        let mut bytes = answer.to_string().into_bytes();
        for (at, byte) in wrong {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    });
    prop_oneof![5 => answer, 1 => prop::collection::vec(any::<u8>(), 0..200)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_answer_is_read_without_harm(body in body()) {
        let worker = WorkerId::new("w").unwrap();
        if let Ok(claim) = judged::<ClaimAnswer>(200, "application/json", &body) {
            let sent_at = Instant::now();
            let granted_at = claim.granted_at(sent_at);
            prop_assert!(granted_at >= sent_at && granted_at <= Instant::now());
            for job in claim.jobs {
                if let Ok(claimed) = job.claimed(&worker) {
                    let held = HostedJob::new(claimed, job.lapses_at(granted_at)).unwrap();
                    prop_assert!(held.meta().attempt() >= 1);
                }
            }
        }
        drop(judged::<ItemsAnswer>(200, "application/json", &body));
        drop(judged::<AnnounceAnswer>(200, "application/json", &body));
        if let Some(problem) = ServiceError::of_document(&body) {
            prop_assert!(!problem.kind().is_temporary() || problem.kind().may_pass());
        }
    }
}
