//! What a finished attempt leaves to be read.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    ContentType, Detail, Failure, Payload, Reason, State,
    lifecycle::{Cause, Event},
};

cases! { "results":
    a_result_is_read_as_it_was_settled [I13];
    an_empty_result_is_a_result [I13];
    a_result_keeps_its_content_type [I13];
    the_payload_stays_beside_the_result [I2 I13];
    metadata_comes_without_a_body [I13];
    an_unfinished_job_has_no_result [I13];
    a_failed_job_has_an_error_and_no_result [I8 I13];
    error_details_are_kept_apart_and_byte_exact [I13];
    the_last_error_replaces_the_one_before [I13];
    a_failure_without_details_clears_those_before [I13];
    a_stall_is_an_error_too [I8 I13];
    a_release_leaves_the_last_error [I13];
    a_redrive_clears_what_was_left [I13];
    a_result_goes_with_its_record [I13];
    error_texts_of_any_script_are_kept [I13];
    a_thousand_results_are_each_their_own [I13];
}

/// Bytes and content type are compared.
async fn a_result_is_read_as_it_was_settled(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, complete_with(held.token, text_payload("forty-two"))).await;
    assert_eq!(bench.record("a").await.result(), Some(&text_payload("forty-two")));
}

/// An empty result differs from none.
async fn an_empty_result_is_a_result(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, complete_with(held.token, bytes_payload(""))).await;
    assert_eq!(bench.record("a").await.result(), Some(&bytes_payload("")));
}

/// The content type may differ from that of the payload.
async fn a_result_keeps_its_content_type(bench: &Bench) {
    for (n, text) in ["application/json", "x", "a/b; c=\"d\"", "\u{1F600}"].into_iter().enumerate() {
        let held = bench.put_and_claim(nth(n).as_str()).await;
        let result = Payload::new("{}", ContentType::new(text).expect("valid"));
        bench.settled(&held, complete_with(held.token, result.clone())).await;
        assert_eq!(bench.record(nth(n).as_str()).await.result(), Some(&result));
    }
}

/// A reader may want to know what the result belongs to.
async fn the_payload_stays_beside_the_result(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    assert_eq!(bench.record("a").await.body.expect("asked for").payload, job("a").payload);
}

/// Large parts are read on request.
async fn metadata_comes_without_a_body(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    let reply = bench.store().get(bench.queue(), &[id("a")], Detail::Meta).await.expect("it answers");
    let record = reply.value[0].clone().expect("it is there");
    assert_eq!(record.body, None);
    assert_eq!(record.meta, bench.meta("a").await);
}

async fn an_unfinished_job_has_no_result(bench: &Bench) {
    bench.put("a").await;
    assert_eq!(bench.result("a").await, None);
    let held = bench.claim_one().await;
    assert_eq!(bench.result("a").await, None);
    bench.fail(&held).await;
    assert_eq!(bench.result("a").await, None);
}

/// The error has a name and a message, and the record a reason.
async fn a_failed_job_has_an_error_and_no_result(bench: &Bench) {
    bench.fail_terminally(&bench.put_and_claim("a").await).await;
    let record = bench.record("a").await;
    assert_eq!(record.result(), None);
    assert_eq!((record.meta.reason, record.meta.last_error), (Some(Reason::Terminal), Some(failure())));
}

async fn fail_with(bench: &Bench, held: &queue_core::ClaimedJob, failure: Failure) {
    let event = Event::Fail {
        token: held.token,
        failure,
        cause: Cause::Retryable,
        delay: None,
        retention: None,
        then: Vec::new(),
    };
    bench.settled(held, event).await;
}

async fn details(bench: &Bench, text: &str) -> Option<Vec<u8>> {
    bench.record(text).await.body.and_then(|body| body.error_details).map(|bytes| bytes.to_vec())
}

/// Details are in the body rather than the metadata; no byte is special.
async fn error_details_are_kept_apart_and_byte_exact(bench: &Bench) {
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    let held = bench.put_and_claim("a").await;
    fail_with(bench, &held, failure().with_details(bytes.clone().into())).await;
    assert_eq!(details(bench, "a").await, Some(bytes));
    assert_eq!(bench.meta("a").await.last_error, Some(failure()));
}

async fn the_last_error_replaces_the_one_before(bench: &Bench) {
    bench.put("a").await;
    for n in 0..2 {
        let held = bench.claim_one().await;
        let failure = Failure::new(format!("E{n}"), format!("number {n}"));
        fail_with(bench, &held, failure.clone().with_details(format!("details {n}").into())).await;
        assert_eq!(bench.meta("a").await.last_error, Some(failure));
        assert_eq!(details(bench, "a").await, Some(format!("details {n}").into_bytes()));
        bench.advance(RETRY);
    }
}

/// Otherwise the details would explain the wrong failure.
async fn a_failure_without_details_clears_those_before(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    fail_with(bench, &held, failure().with_details("old".into())).await;
    bench.advance(RETRY);
    fail_with(bench, &bench.claim_one().await, failure()).await;
    assert_eq!(details(bench, "a").await, None);
}

/// A reader of the record learns what happened to the job.
async fn a_stall_is_an_error_too(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    fail_with(bench, &held, failure().with_details("old".into())).await;
    bench.advance(RETRY);
    bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    assert_eq!(bench.meta("a").await.last_error.expect("it stalled").name(), "Stalled");
    assert_eq!(details(bench, "a").await, None);
}

/// A release reports no error.
async fn a_release_leaves_the_last_error(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    fail_with(bench, &held, failure().with_details("why".into())).await;
    bench.advance(RETRY);
    bench.release(&bench.claim_one().await).await;
    assert_eq!(bench.meta("a").await.last_error, Some(failure()));
    assert_eq!(details(bench, "a").await, Some(b"why".to_vec()));
}

/// Error, details and reason are cleared.
async fn a_redrive_clears_what_was_left(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let failure = failure().with_details("why".into());
    let event = Event::Fail {
        token: held.token,
        failure,
        cause: Cause::Terminal,
        delay: None,
        retention: None,
        then: Vec::new(),
    };
    bench.settled(&held, event).await;
    let meta = bench.changed("a", Event::Redrive { content_type: None }).await;
    assert_eq!((meta.state, meta.last_error, meta.reason), (State::Queued, None, None));
    assert_eq!(details(bench, "a").await, None);
}

async fn a_result_goes_with_its_record(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    bench.advance(KEPT);
    assert_eq!(bench.find("a").await, None);
    bench.put("a").await;
    assert_eq!(bench.result("a").await, None);
}

/// Texts keep whole characters and quotes.
async fn error_texts_of_any_script_are_kept(bench: &Bench) {
    for (n, text) in ["\u{65E5}\u{672C} '\"\\%{}", "\u{05E9}\u{05DC}\u{05D5}\u{05DD}", "a\nb\tc\r", ""]
        .into_iter()
        .enumerate()
    {
        let held = bench.put_and_claim(nth(n).as_str()).await;
        fail_with(bench, &held, Failure::new(text, text)).await;
        assert_eq!(bench.meta(nth(n).as_str()).await.last_error, Some(Failure::new(text, text)));
    }
}

/// The results are settled in one batch and read in one call.
async fn a_thousand_results_are_each_their_own(bench: &Bench) {
    bench.put_many(1000).await;
    let held = bench.claim(1000).await;
    let result = |job: &queue_core::ClaimedJob| text_payload(&format!("result of {}", job.record.meta.id));
    let batch =
        held.iter().map(|job| decided(&job.record.meta, complete_with(job.token, result(job)))).collect();
    bench.apply_all(batch).await;
    let ids: Vec<_> = (0..1000).rev().map(nth).collect();
    let reply = bench.store().get(bench.queue(), &ids, Detail::Full).await.expect("it answers");
    for (id, record) in ids.iter().zip(reply.value) {
        assert_eq!(record.expect("kept").result(), Some(&text_payload(&format!("result of {id}"))));
    }
}
