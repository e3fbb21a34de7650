//! A codec as a third party would write it, whose bytes belong to one job and one role.

use crate::support::{memory, take};
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use queue::{
    Codec, CodecContext, CodecError, ContentType, ErrorKind, Id, JobId, JobOptions, Json, Kind, Queue,
    QueueBuilder, Raw, State, Storage,
    queue_core::Payload,
    queue_serde::{DecodeFn, erased_serde},
    worker::{Context, JobError, Router},
};
use sha2::Sha256;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// Seals what an inner codec writes: nonce, tag, and the bytes. It does not hide them, which is all
/// that encryption would add.
#[derive(Clone, Debug)]
struct Sealed {
    inner: Json,
    key: [u8; 32],
    nonces: Arc<AtomicU64>,
}

impl Sealed {
    fn new() -> Self {
        Self { inner: Json, key: [9; 32], nonces: Arc::default() }
    }

    /// The tag covers the context, each part preceded by its length, so that no two contexts give
    /// the same bytes.
    fn tag(&self, nonce: &[u8], plain: &[u8], context: &CodecContext<'_>) -> [u8; 32] {
        let CodecContext { queue, kind, id, role, .. } = context;
        let mut hmac = Hmac::<Sha256>::new_from_slice(&self.key).expect("any length");
        for part in [queue.as_str(), kind.as_str(), id.as_str(), role.as_str()] {
            hmac.update(&(part.len() as u64).to_be_bytes());
            hmac.update(part.as_bytes());
        }
        hmac.chain_update(nonce).chain_update(plain).finalize().into_bytes().into()
    }
}

impl Codec for Sealed {
    fn content_type(&self) -> ContentType {
        ContentType::from_static("application/json+sealed")
    }

    fn plain(&self, value: &dyn erased_serde::Serialize) -> Result<Bytes, CodecError> {
        self.inner.plain(value)
    }

    fn write(
        &self,
        value: &dyn erased_serde::Serialize,
        context: &CodecContext<'_>,
    ) -> Result<Bytes, CodecError> {
        let plain = self.inner.write(value, context)?;
        let nonce = self.nonces.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        Ok([&nonce[..], &self.tag(&nonce, &plain, context), &plain].concat().into())
    }

    fn read(
        &self,
        bytes: &Bytes,
        context: &CodecContext<'_>,
        visit: &mut DecodeFn<'_>,
    ) -> Result<(), CodecError> {
        let broken = || CodecError::decode(self.content_type(), "the seal is broken");
        let (nonce, rest) = bytes.split_at_checked(8).ok_or_else(broken)?;
        let (tag, plain) = rest.split_at_checked(32).ok_or_else(broken)?;
        if tag != self.tag(nonce, plain, context) {
            return Err(broken());
        }
        self.inner.read(&bytes.slice_ref(plain), context, visit)
    }
}

fn sealed(store: &Arc<dyn Storage>, name: &str) -> Queue<String, String> {
    Queue::builder(store.clone(), name).codec(Sealed::new()).build().expect("valid")
}

fn raw(store: &Arc<dyn Storage>, name: &str) -> Queue<Raw, Raw> {
    Queue::new(store.clone(), name).expect("valid")
}

async fn stored(store: &Arc<dyn Storage>, name: &str, id: &str) -> Payload {
    raw(store, name).payload_bytes(id).await.expect("reads").expect("it is there")
}

#[tokio::test(start_paused = true)]
async fn a_sealed_payload_is_read_as_that_of_its_own_job_and_of_no_other() {
    let store = memory();
    let queue = sealed(&store, "mail");
    let mails = queue.of_kind(Kind::from_static("mail"));
    mails.enqueue("a", "ada".to_owned()).await.unwrap();
    let payload = Raw(stored(&store, "mail", "a").await);
    for (name, kind, id) in [("mail", "mail", "b"), ("mail", "other", "c"), ("other", "mail", "a")] {
        raw(&store, name).of_kind(Kind::from_static(kind)).enqueue(id, payload.clone()).await.unwrap();
        let refused = sealed(&store, name).payload(id).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid, "{name} {kind} {id}: {refused}");
    }
    // Another life of the same id and role accepts them.
    assert_eq!(queue.delete("a").await.unwrap(), queue::Change::Done);
    raw(&store, "mail").of_kind(Kind::from_static("mail")).enqueue("a", payload).await.unwrap();
    assert_eq!(queue.payload("a").await.unwrap(), Some("ada".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_sealed_result_is_no_payload_and_a_payload_no_result() {
    let store = memory();
    let queue = sealed(&store, "mail");
    queue.enqueue("a", "ada".to_owned()).await.unwrap();
    let payload = Raw(stored(&store, "mail", "a").await);
    let job = take(&raw(&store, "mail")).await;
    let _ = job.ack(&payload).await.unwrap();
    assert_eq!(queue.result("a").await.unwrap_err().kind(), ErrorKind::Invalid);

    let _ = queue.delete("a").await.unwrap();
    queue.enqueue("a", "ada".to_owned()).await.unwrap();
    let job = take(&queue).await;
    let _ = job.ack(&"sent".to_owned()).await.unwrap();
    assert_eq!(queue.result("a").await.unwrap(), Some("sent".to_owned()));
    let result = raw(&store, "mail").result("a").await.unwrap().unwrap();
    let _ = queue.delete("a").await.unwrap();
    raw(&store, "mail").enqueue("a", result).await.unwrap();
    assert_eq!(queue.payload("a").await.unwrap_err().kind(), ErrorKind::Invalid);
}

#[tokio::test(start_paused = true)]
async fn equal_content_is_one_job_though_its_bytes_differ_each_time() {
    let store = memory();
    let queue = sealed(&store, "mail");
    let first = queue.enqueue(Id::OfContent, "ada".to_owned()).await.unwrap();
    let again = queue.enqueue(Id::OfContent, "ada".to_owned()).await.unwrap();
    assert!(first.is_new() && !again.is_new());
    assert_eq!(first.id(), again.id());
    assert!(queue.enqueue(Id::OfContent, "bob".to_owned()).await.unwrap().is_new());

    let one = queue.new_job("a", &"ada".to_owned(), &JobOptions::new()).unwrap();
    let other = queue.new_job("a", &"ada".to_owned(), &JobOptions::new()).unwrap();
    assert_ne!(one.payload, other.payload, "or the codec would not show anything");

    let plain: Queue<String> = Queue::new(store, "mail").unwrap();
    let of_json = plain.new_job(Id::OfContent, &"ada".to_owned(), &JobOptions::new()).unwrap();
    assert_eq!(&of_json.id, first.id(), "the id is that of the plain value");
}

#[tokio::test(start_paused = true)]
async fn ids_under_a_key_tell_nothing_to_those_who_guess_the_content() {
    let id = |key: Option<[u8; 32]>| {
        let builder = Queue::<String>::builder(memory(), "mail");
        let queue = key.into_iter().fold(builder, QueueBuilder::id_key).build().unwrap();
        queue.new_job(Id::OfContent, &"ada".to_owned(), &JobOptions::new()).unwrap().id
    };
    let (none, one, other) = (id(None), id(Some([1; 32])), id(Some([2; 32])));
    assert_eq!(one, id(Some([1; 32])), "equal work is one job");
    assert!(none != one && one != other && none != other);
    let short = Queue::<String>::builder(memory(), "mail").id_key([1; 15]).build().unwrap_err();
    assert_eq!(short.kind(), ErrorKind::Invalid);
}

#[tokio::test(start_paused = true)]
async fn workers_waits_progress_and_followers_work_under_a_seal() {
    let store = memory();
    let queue = sealed(&store, "mail");
    let next = queue.new_job("next", &"after".to_owned(), &JobOptions::new()).unwrap();
    let router = Router::new(())
        .codec(Sealed::new())
        .handle("default", move |name: String, job: Context<()>| {
            let next = next.clone();
            async move {
                job.report_progress(&format!("greeting {name}"))?;
                job.heartbeat().await?;
                if name == "ada" {
                    job.then(next);
                }
                Ok::<_, JobError>(format!("hello, {name}"))
            }
        })
        .unwrap();
    let worker = queue.worker(router).until_idle().build().unwrap();
    let (said, report) = tokio::join!(
        queue.enqueue_and_wait("a", "ada".to_owned(), std::time::Duration::from_secs(5)),
        async {
            while queue.status("a").await.unwrap().is_none() {
                tokio::task::yield_now().await;
            }
            worker.run().await
        }
    );
    assert_eq!(said.unwrap(), "hello, ada");
    assert_eq!(report.completed, 2);
    assert_eq!(queue.result("next").await.unwrap(), Some("hello, after".to_owned()));
    assert_eq!(queue.progress::<String>("a").await.unwrap(), Some("greeting ada".to_owned()));
    let again = queue.enqueue("a", "ada".to_owned()).await.unwrap();
    assert!(matches!(again, queue::Enqueued::Completed { result, .. } if result == "hello, ada"));
}

#[tokio::test(start_paused = true)]
async fn another_content_type_leaves_a_seal_as_it_was() {
    let store = memory();
    let (queue, plain) = (sealed(&store, "mail"), raw(&store, "mail"));
    let job = queue.new_job("a", &"ada".to_owned(), &JobOptions::new()).unwrap();
    let mut payload = job.payload;
    payload.content_type = ContentType::from_static("application/octet-stream");
    plain.enqueue("a", Raw(payload)).await.unwrap();
    assert_eq!(queue.dequeue(std::time::Duration::ZERO).await.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(queue.status("a").await.unwrap().unwrap().state(), State::Failed);
    let _ = queue.redrive_as("a", queue.codec().content_type()).await.unwrap();
    assert_eq!(take(&queue).await.payload(), "ada");
}

#[test]
fn ids_convert_from_what_programs_have() {
    let ids = [Id::from(42), 42_u64.into(), 42_i64.into(), "42".into(), "42".to_owned().into()];
    assert!(ids.iter().all(|id| *id == Id::Given(JobId::from_static("42"))), "{ids:?}");
    assert!(matches!(Id::from(""), Id::Invalid(_)));
}
