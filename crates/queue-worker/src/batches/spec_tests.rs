//! Tests of the stored form of a batch.

use super::{BatchCounts, BatchEnd, BatchSpec, BatchSpecError, CallbackMoment, CallbackSpec, EndedBatch};
use queue_core::{JobId, Kind, Rng as _, SeededRng, Span};
use serde::de::IgnoredAny;

fn whole() -> BatchSpec {
    let callback = CallbackSpec::new(&Kind::from_static("report"), &[0.1, 1e300]).unwrap();
    let spec = BatchSpec::new(Span::from_secs(60), Span::from_secs(5));
    BatchSpec { end: Some(callback.clone()), first_failure: Some(callback), ..spec }
}

#[test]
fn a_batch_comes_back_from_its_stored_form() {
    let spec = whole();
    assert_eq!(BatchSpec::from_bytes(&spec.to_bytes()).unwrap(), spec);
    let bare = BatchSpec::new(Span::from_secs(60), Span::ZERO);
    let text = r#"{"version":1,"timeout_ms":60000,"keep_ms":0,"on_timeout":"cancel"}"#;
    assert_eq!(String::from_utf8(bare.to_bytes()).unwrap(), text, "its form is stable");
}

#[test]
fn fields_in_another_order_are_the_same_callback() {
    let of = |text: &str| {
        let payload: serde_json::Value = serde_json::from_str(text).unwrap();
        CallbackSpec::new(&Kind::unnamed(), &payload).unwrap()
    };
    assert_eq!(of(r#"{"a":1,"b":2}"#), of(r#"{"b":2,"a":1}"#));
}

#[test]
fn what_another_version_wrote_is_left_to_it() {
    let newer = r#"{"version":2,"of":"tomorrow"}"#;
    assert_eq!(BatchSpec::from_bytes(newer.as_bytes()), Err(BatchSpecError::Newer { version: 2 }));
    for (text, kind) in [
        (r#"{"version":1,"timeout_ms":1,"keep_ms":0,"on_timeout":"explode"}"#, "here"),
        (
            r#"{"version":1,"timeout_ms":1,"keep_ms":0,"on_timeout":"leave","end":{"kind":"queue.x","payload":"1"}}"#,
            "here",
        ),
        (
            r#"{"version":1,"timeout_ms":1,"keep_ms":0,"on_timeout":"leave","end":{"kind":"a","payload":"}"}}"#,
            "here",
        ),
        ("[]", "nowhere"),
    ] {
        let error = BatchSpec::from_bytes(text.as_bytes()).unwrap_err();
        let is_here = matches!(error, BatchSpecError::UnreadableHere { .. });
        assert_eq!(is_here, kind == "here", "{text}: {error}");
    }
}

/// What is read can be run: its callbacks have kinds and documents.
#[test]
fn any_bytes_are_read_without_harm() {
    let rng = SeededRng::new(7);
    let stored = whole().to_bytes();
    let end = EndedBatch { counts: BatchCounts::default(), timed_out: true, was_cancelled: true, at_ms: 0 };
    for _ in 0..5000 {
        let mut bytes = stored.clone();
        for _ in 0..=rng.next_u64() % 3 {
            let at = usize::try_from(rng.next_u64()).unwrap_or(0) % bytes.len();
            bytes[at] = rng.next_u64().to_be_bytes()[0];
        }
        let Ok(spec) = BatchSpec::from_bytes(&bytes) else { continue };
        for callback in CallbackMoment::ALL.iter().filter_map(|moment| spec.callback(*moment)) {
            let job = callback.job(JobId::from_static("a"), "a", &end).expect("its kind is valid");
            serde_json::from_slice::<BatchEnd<IgnoredAny>>(&job.payload.bytes).expect("it is a document");
        }
    }
}
