//! Enqueueing: ids, duplicates, many jobs at once, codecs and limits.

use crate::support::{memory, on, raw, take, texts};
use bytes::Bytes;
use queue::{
    Certainty, Codec, CodecContext, CodecError, ContentType, Enqueued, ErrorKind, Id, JobId, JobKind,
    JobOptions, Json, Kind, Queue, Raw, State, Storage,
    queue_serde::{DecodeFn, erased_serde},
};
use std::{collections::HashSet, error::Error as _, sync::Arc};

#[tokio::test(start_paused = true)]
async fn an_id_is_a_deduplication_key_until_its_job_is_done_and_then_answers_the_result() {
    let queue = texts();
    let first = queue.enqueue("a", "one".to_owned()).await.unwrap();
    assert!(first.is_new());
    let again = queue.enqueue("a", "two".to_owned()).await.unwrap();
    assert!(
        matches!(&again, Enqueued::Duplicate { state: State::Queued, seq, .. } if Some(*seq) == first.seq())
    );

    let job = take(&queue).await;
    assert_eq!(job.payload(), "one");
    let _ = job.ack(&"done".to_owned()).await.unwrap();
    let done = queue.enqueue("a", "three".to_owned()).await.unwrap();
    let (id, seq) = (JobId::from_static("a"), first.seq().expect("it is stored"));
    assert_eq!(done, Enqueued::Completed { id, seq, result: "done".to_owned() });
}

#[tokio::test(start_paused = true)]
async fn equal_content_is_one_job_and_its_id_is_the_digest_of_the_encoded_payload() {
    let queue = texts();
    let first = queue.enqueue(Id::OfContent, "abc".to_owned()).await.unwrap();
    // printf '"abc"' | sha256sum
    let digest = "6cc43f858fbb763301637b5af970e2a46b46f461f27e5a0f41e009c59b827b25";
    assert_eq!(first.id().as_str(), digest);
    assert!(!queue.enqueue(Id::OfContent, "abc".to_owned()).await.unwrap().is_new());
    assert!(queue.enqueue(Id::OfContent, "abd".to_owned()).await.unwrap().is_new());
}

#[tokio::test(start_paused = true)]
async fn equal_content_of_another_kind_is_other_work() {
    let queue = texts();
    let resizes = queue.of_kind(Kind::from_static("resize"));
    let first = resizes.enqueue(Id::OfContent, "abc".to_owned()).await.unwrap();
    assert!(first.id().as_str().ends_with("/resize"));
    assert!(queue.enqueue(Id::OfContent, "abc".to_owned()).await.unwrap().is_new());
    assert!(!resizes.enqueue(Id::OfContent, "abc".to_owned()).await.unwrap().is_new());
    let explicit = queue.of(JobKind::<String, String>::new("default"));
    assert!(!explicit.enqueue(Id::OfContent, "abc".to_owned()).await.unwrap().is_new());
}

#[tokio::test(start_paused = true)]
async fn generated_ids_are_never_duplicates() {
    let queue = texts();
    let jobs = (0..100).map(|_| (Id::Generated, "same".to_owned()));
    let answers = queue.enqueue_many(jobs, JobOptions::new()).await.unwrap();
    assert!(answers.iter().all(Enqueued::is_new));
    let ids: HashSet<_> = answers.iter().map(Enqueued::id).collect();
    assert_eq!(ids.len(), 100);
}

#[tokio::test(start_paused = true)]
async fn many_jobs_go_in_batches_that_the_store_takes_and_are_answered_in_order() {
    let queue = texts();
    let batch_max = queue.storage().capabilities().limits.batch_max;
    let count = 2 * batch_max + 1;
    let jobs = (0..count).map(|n| (n.to_string(), String::new()));
    let answers = queue.enqueue_many(jobs, JobOptions::new()).await.unwrap();
    assert!(answers.iter().enumerate().all(|(n, answer)| answer.id().as_str() == n.to_string()));
    assert!(answers.windows(2).all(|pair| pair[0].seq() < pair[1].seq()));
    assert_eq!(queue.counts().await.unwrap().of(State::Queued), count as u64);
}

#[tokio::test(start_paused = true)]
async fn one_bad_job_among_many_writes_none() {
    let queue = texts();
    for bad in ["", "line\nbreak", &"x".repeat(256)] {
        let jobs = [("fine", String::new()), (bad, String::new())];
        let error = queue.enqueue_many(jobs, JobOptions::new()).await.unwrap_err();
        assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied));
    }
    assert_eq!(queue.counts().await.unwrap().total(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_fails_after_others_says_how_many_jobs_are_stored() {
    let queue = texts();
    let batch_max = queue.storage().capabilities().limits.batch_max;
    let too_large = "x".repeat(2 << 20);
    let jobs = (0..=batch_max)
        .map(|n| (n.to_string(), if n == batch_max { too_large.clone() } else { String::new() }));
    let error = queue.enqueue_many(jobs, JobOptions::new()).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::Unknown));
    assert!(error.message().contains(&format!("the first {batch_max} of {} jobs", batch_max + 1)), "{error}");
    assert_eq!(queue.counts().await.unwrap().total(), batch_max as u64);
}

#[tokio::test(start_paused = true)]
async fn a_payload_over_the_limit_is_refused_with_advice() {
    let error = texts().enqueue("a", "x".repeat(2 << 20)).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied));
    assert!(error.message().contains("1048576"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn hostile_but_printable_ids_work() {
    let queue = texts();
    for id in ["a:b", "../../x", "x:exp", "'; DROP TABLE job; --", "\u{1F600}", &"é".repeat(127)] {
        assert!(queue.enqueue(id, id.to_owned()).await.unwrap().is_new());
        assert_eq!(queue.status(id).await.unwrap().unwrap().meta.id.as_str(), id);
    }
}

/// JSON under a content type of its own.
#[derive(Debug)]
struct Marked;

impl Codec for Marked {
    fn content_type(&self) -> ContentType {
        ContentType::from_static("application/marked+json")
    }

    fn plain(&self, value: &dyn erased_serde::Serialize) -> Result<Bytes, CodecError> {
        Json.plain(value)
    }

    fn write(
        &self,
        value: &dyn erased_serde::Serialize,
        context: &CodecContext<'_>,
    ) -> Result<Bytes, CodecError> {
        Ok([b"!", &Json.write(value, context)?[..]].concat().into())
    }

    fn read(
        &self,
        bytes: &Bytes,
        context: &CodecContext<'_>,
        visit: &mut DecodeFn<'_>,
    ) -> Result<(), CodecError> {
        Json.read(&bytes.slice(1..), context, visit)
    }
}

#[tokio::test(start_paused = true)]
async fn a_codec_of_ones_own_is_used_for_payloads_and_results() {
    let queue: Queue<String, Option<u8>> = Queue::builder(memory(), "marked").codec(Marked).build().unwrap();
    queue.enqueue("a", "ada".to_owned()).await.unwrap();
    let raw = Queue::<Raw, Raw>::new(queue.storage().clone(), "marked").unwrap();
    let job = take(&raw).await;
    assert_eq!(job.payload().0.bytes, b"!\"ada\""[..]);
    assert_eq!(job.payload().0.content_type.as_str(), "application/marked+json");
    let _ = job.release().await.unwrap();
    let job = take(&queue).await;
    assert_eq!(job.payload(), "ada");
    let _ = job.ack(&None).await.unwrap();
    assert_eq!(queue.result("a").await.unwrap(), Some(None));
}

#[tokio::test(start_paused = true)]
async fn raw_bytes_of_any_content_type_pass_through() {
    let queue: Queue<Raw, Raw> = Queue::new(memory(), "raw").unwrap();
    let text = raw("plain \u{0}", "text/plain");
    assert!(queue.enqueue("a", text.clone()).await.unwrap().is_new());
    let job = take(&queue).await;
    assert_eq!(job.payload(), &text);
    let _ = job.ack(&raw("", "application/octet-stream")).await.unwrap();
    assert_eq!(queue.result("a").await.unwrap(), Some(raw("", "application/octet-stream")));
}

#[tokio::test(start_paused = true)]
async fn a_present_result_of_another_type_is_a_typed_error() {
    let store = memory();
    let queue = on(store.clone());
    queue.enqueue("a", String::new()).await.unwrap();
    let _ = take(&queue).await.ack(&"text".to_owned()).await.unwrap();
    let other: Queue<String, u8> = Queue::new(store, "texts").unwrap();
    let error = other.enqueue("a", String::new()).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied));
    let cause = error.source().unwrap().downcast_ref::<CodecError>();
    assert!(matches!(cause, Some(CodecError::Decode { .. })), "{cause:?}");
}

#[tokio::test(start_paused = true)]
async fn handles_of_one_name_are_one_queue_and_other_names_are_apart() {
    let store: Arc<dyn Storage> = memory();
    on(store.clone()).enqueue("a", String::new()).await.unwrap();
    assert!(!on(store.clone()).enqueue("a", String::new()).await.unwrap().is_new());
    let other: Queue<String, String> = Queue::new(store, "others").unwrap();
    assert!(other.enqueue("a", String::new()).await.unwrap().is_new());
}
