//! A queue in a file of `redb`: enqueues a job, works on it, and shows what is there.

use kv_store_example::RedbKv;
use queue_core::{
    ClaimRequest, ContentType, JobId, Kind, NewJob, Payload, QueueName, Span, State, Storage, StorageExt,
    SystemClock, SystemRng, WorkerId,
    lifecycle::{Event, Policy},
};
use queue_kv::{KvDatabase, KvStorage};
use std::{error::Error, sync::Arc};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "jobs.redb".to_owned());
    let database = KvDatabase::new(RedbKv::open(&path)?, Arc::new(SystemClock));
    let store = KvStorage::open(database).await?;

    let queue = QueueName::from_static("mail");
    let text = |text: &'static str| Payload::new(text, ContentType::from_static("text/plain"));
    let job = NewJob::new(JobId::new("welcome-ada")?, Kind::from_static("email"), text("ada@example.org"));
    let answer = store.enqueue(&queue, vec![vec![job]]).await?.value;
    println!("enqueued: {:?}", answer[0][0]);

    let request =
        ClaimRequest::new(queue.clone(), WorkerId::from_static("w"), 10, Span::from_secs(30), &SystemRng);
    let claimed = store.claim(request).await?.jobs;
    for held in claimed {
        println!(
            "working on {} for {:?}",
            held.record.meta.id,
            held.record.body.map(|body| body.payload.bytes)
        );
        let done = Event::Complete { token: held.token, result: text("sent"), retention: None, then: vec![] };
        store.settle(&held.record.meta, done, &Policy::default()).await?;
    }

    println!("{} completed in {path}", store.counts(&queue).await?.of(State::Completed));
    store.close().await?;
    Ok(())
}
