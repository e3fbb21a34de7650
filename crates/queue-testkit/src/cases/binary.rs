//! Payloads and results are arbitrary bytes: none is special, none is lost.

use super::cases;
use crate::bench::prelude::*;
use queue_core::Payload;

const RETRIES: usize = 2;

cases! { "binary":
    every_byte_value_survives_retries [I2];
    every_byte_value_survives_in_a_result [I13];
    an_empty_payload_survives_retries [I2];
    each_single_byte_is_a_payload [I2];
    what_looks_like_text_is_left_alone [I2];
    what_looks_like_the_store_is_left_alone [I2];
    payloads_of_every_size_class_survive [I2];
    payloads_of_one_batch_are_not_mixed_up [I2];
    a_follower_has_its_exact_payload [I2];
}

/// Sends a payload through claim, failure, stall, release and read.
async fn assert_survives(bench: &Bench, text: &str, payload: Payload) {
    bench.put_job(job_with(text, payload.clone())).await;
    for _ in 0..RETRIES {
        let held = bench.claim_one().await;
        assert_eq!(held.record.body.as_ref().expect("given").payload, payload);
        bench.fail(&held).await;
        bench.advance(RETRY);
    }
    bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    let held = bench.claim_one().await;
    bench.settled(&held, complete_with(held.token, payload.clone())).await;
    let body = bench.record(text).await.body.expect("asked for");
    assert_eq!((&body.payload, body.result.as_ref()), (&payload, Some(&payload)));
}

fn all_bytes() -> Vec<u8> {
    (0..=u8::MAX).chain((0..=u8::MAX).rev()).collect()
}

/// The bytes include NUL, line ends and invalid UTF-8.
async fn every_byte_value_survives_retries(bench: &Bench) {
    assert_survives(bench, "a", bytes_payload(all_bytes())).await;
}

async fn every_byte_value_survives_in_a_result(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, complete_with(held.token, bytes_payload(all_bytes()))).await;
    assert_eq!(bench.record("a").await.result(), Some(&bytes_payload(all_bytes())));
}

/// An empty payload differs from no payload.
async fn an_empty_payload_survives_retries(bench: &Bench) {
    assert_survives(bench, "a", bytes_payload("")).await;
}

/// All 256 are enqueued in one call.
async fn each_single_byte_is_a_payload(bench: &Bench) {
    let group =
        (0..=u8::MAX).map(|byte| job_with(nth(byte.into()).as_str(), bytes_payload(vec![byte]))).collect();
    bench.enqueue_groups(vec![group]).await;
    for (byte, held) in (0..=u8::MAX).zip(bench.claim(256).await) {
        assert_eq!(held.record.body.expect("given").payload.bytes.as_ref(), [byte]);
    }
}

/// Text is not trimmed, normalized or re-encoded.
async fn what_looks_like_text_is_left_alone(bench: &Bench) {
    let texts: [&[u8]; 8] = [
        b" a ",
        b"a\r\nb\n",
        b"\xEF\xBB\xBFbom",
        b"e\xCC\x81",
        b"{\"a\": 1.0}",
        b"\xFF\xFE",
        b"\\x00",
        b"\0",
    ];
    for (n, bytes) in texts.into_iter().enumerate() {
        assert_survives(bench, nth(n).as_str(), bytes_payload(bytes)).await;
    }
}

/// The payloads are protocol words of the usual servers.
async fn what_looks_like_the_store_is_left_alone(bench: &Bench) {
    let texts: [&[u8]; 7] =
        [b"*1\r\n$4\r\nPING\r\n", b"+OK\r\n", b"-ERR x\r\n", b"$-1\r\n", b"\\N", b"NULL", b"X'00'"];
    for (n, bytes) in texts.into_iter().enumerate() {
        assert_survives(bench, nth(n).as_str(), bytes_payload(bytes)).await;
    }
}

/// The sizes lie around the limits of pages, length prefixes and compression.
async fn payloads_of_every_size_class_survive(bench: &Bench) {
    for size in
        [1, 127, 128, 129, 255, 256, 257, 2047, 2048, 4095, 4096, 4097, 8192, 65_535, 65_536, 65_537, 300_000]
    {
        let bytes: Vec<u8> = all_bytes().into_iter().cycle().take(size).collect();
        assert_survives(bench, &format!("size-{size}"), bytes_payload(bytes)).await;
    }
}

/// The payloads of the batch have different sizes.
async fn payloads_of_one_batch_are_not_mixed_up(bench: &Bench) {
    let payload = |n: usize| bytes_payload(vec![(n % 251) as u8; n]);
    bench.enqueue_groups(vec![(0..500).map(|n| job_with(nth(n).as_str(), payload(n))).collect()]).await;
    for (n, held) in bench.claim(500).await.into_iter().enumerate() {
        assert_eq!(held.record.body.expect("given").payload, payload(n));
    }
}

/// A follower's payload reaches the store in another call than an enqueue's.
async fn a_follower_has_its_exact_payload(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let then = vec![job_with("next", bytes_payload(all_bytes())), job_with("empty", bytes_payload(""))];
    bench.settled(&held, complete_then(held.token, then)).await;
    let followers = bench.claim(2).await;
    let payload = |n: usize| followers[n].record.body.clone().expect("given").payload;
    assert_eq!((payload(0), payload(1)), (bytes_payload(all_bytes()), bytes_payload("")));
}
