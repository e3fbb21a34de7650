//! A redrive that corrects the content type of the payload.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    ContentType, NewJob, Payload,
    lifecycle::{Cause, Event},
};

cases! { "redrive":
    it_replaces_the_content_type_and_no_byte [I2];
    without_one_the_payload_stays_as_it_was [I2];
    its_next_holder_reads_it [I2];
    it_can_be_mended_again [I2 I6];
    nothing_else_of_the_queue_changes [I2];
    a_large_payload_is_mended_too [I2];
    the_content_type_outlives_its_handle [I21] (Reopen);
}

fn json() -> ContentType {
    ContentType::from_static("application/json")
}

fn of_unknown_type(text: &str) -> NewJob {
    job_with(text, Payload::new(&b"{\"n\":\xFF}"[..], ContentType::from_static("x/unknown")))
}

/// Makes a failed job whose handler could not read its payload.
async fn fail_undecodable(bench: &Bench, new: NewJob) {
    bench.put_job(new).await;
    let held = bench.claim_one().await;
    bench.settled(&held, fail_because(held.token, Cause::Undecodable)).await;
}

async fn redrive(bench: &Bench, text: &str, content_type: Option<ContentType>) -> Payload {
    bench.changed(text, Event::Redrive { content_type }).await;
    payload(bench, text).await
}

async fn payload(bench: &Bench, text: &str) -> Payload {
    bench.record(text).await.body.expect("the body was asked for").payload
}

/// The new content type is shorter or longer than the old one.
async fn it_replaces_the_content_type_and_no_byte(bench: &Bench) {
    for (text, to) in [("longer", json()), ("shorter", ContentType::from_static("a/b"))] {
        let new = of_unknown_type(text);
        fail_undecodable(bench, new.clone()).await;
        let mended = redrive(bench, text, Some(to.clone())).await;
        assert_eq!(mended, Payload { content_type: to, ..new.payload });
        bench.complete(&bench.claim_one().await).await;
    }
}

async fn without_one_the_payload_stays_as_it_was(bench: &Bench) {
    let new = of_unknown_type("a");
    fail_undecodable(bench, new.clone()).await;
    assert_eq!(redrive(bench, "a", None).await, new.payload);
}

/// The job failed with details, or was cancelled.
async fn its_next_holder_reads_it(bench: &Bench) {
    bench.put_job(of_unknown_type("a")).await;
    bench.cancel("a").await;
    redrive(bench, "a", Some(json())).await;
    let held = bench.claim_one().await;
    let body = held.record.body.as_ref().expect("a claim brings it");
    assert_eq!((&body.payload.content_type, body.payload.bytes.len()), (&json(), 7));
    bench.complete(&held).await;
    assert_eq!(payload(bench, "a").await.content_type, json());
}

/// The first correction may have been wrong too.
async fn it_can_be_mended_again(bench: &Bench) {
    fail_undecodable(bench, of_unknown_type("a")).await;
    redrive(bench, "a", Some(ContentType::from_static("text/plain"))).await;
    bench.cancel("a").await;
    assert_eq!(redrive(bench, "a", Some(json())).await.content_type, json());
    bench.cancel("a").await;
    assert_eq!(redrive(bench, "a", None).await.content_type, json());
}

/// The other jobs were alike.
async fn nothing_else_of_the_queue_changes(bench: &Bench) {
    for text in ["a", "b"] {
        fail_undecodable(bench, of_unknown_type(text)).await;
    }
    let other = bench.record("b").await;
    redrive(bench, "a", Some(json())).await;
    assert_eq!(bench.record("b").await, other);
    assert_eq!(redrive(bench, "b", None).await, of_unknown_type("b").payload);
}

/// A store may keep large payloads elsewhere.
async fn a_large_payload_is_mended_too(bench: &Bench) {
    let largest = bench.store().capabilities().limits.payload_bytes_max;
    let bytes = vec![0xA7; largest];
    let new = job_with("a", Payload::new(bytes.clone(), ContentType::from_static("x/unknown")));
    fail_undecodable(bench, new).await;
    let mended = redrive(bench, "a", Some(json())).await;
    assert!(mended.content_type == json() && mended.bytes == bytes, "{} bytes", mended.bytes.len());
}

/// The bytes stay too.
async fn the_content_type_outlives_its_handle(bench: &Bench) {
    let new = of_unknown_type("a");
    fail_undecodable(bench, new.clone()).await;
    let mended = redrive(bench, "a", Some(json())).await;
    bench.reopen().await;
    assert_eq!(payload(bench, "a").await, mended);
    bench.complete(&bench.claim_one().await).await;
    bench.reopen().await;
    assert_eq!(payload(bench, "a").await, Payload { content_type: json(), ..new.payload });
}
