//! Copies from one store to another.

mod interrupted;
mod limits;
mod refused;
mod reports;

use queue::{
    CopyReport, Failure, JobId, Kind, LeaseToken, NewJob, Payload, Policy, QueueName, Storage, StorageExt,
    StoreCopy, SystemRng, WorkerId,
    queue_core::{
        ClaimRequest, ClaimedJob, ContentType, Detail, Headers, JobMeta, JobRecord, ListQuery, Seq, Span,
        Tag, Tags,
        lifecycle::{Cause, Event, OnProcessing},
    },
};
use std::sync::Arc;

fn jobs() -> QueueName {
    QueueName::from_static("jobs")
}

fn other() -> QueueName {
    QueueName::from_static("other")
}

fn id(text: &str) -> JobId {
    JobId::new(text).expect("it answers")
}

fn job(text: &str) -> NewJob {
    let payload = Payload::new(format!("payload of {text}"), ContentType::from_static("text/plain"));
    NewJob::new(id(text), Kind::from_static("mail"), payload)
}

async fn put(store: &dyn Storage, queue: &QueueName, new: NewJob) {
    let answers = store.enqueue(queue, vec![vec![new]]).await.expect("it answers").value;
    assert!(answers[0][0].is_new());
}

async fn claim(store: &dyn Storage, queue: &QueueName) -> ClaimedJob {
    let worker = WorkerId::from_static("w");
    let request = ClaimRequest::new(queue.clone(), worker, 1, Span::from_secs(30), &SystemRng);
    store.claim(request).await.expect("it answers").jobs.remove(0)
}

async fn settle(store: &dyn Storage, held: &ClaimedJob, event: impl FnOnce(LeaseToken) -> Event) {
    store.settle(&held.record.meta, event(held.token), &Policy::default()).await.expect("it answers");
}

fn complete(token: LeaseToken) -> Event {
    let result = Payload::new("out", ContentType::from_static("text/plain"));
    Event::Complete { token, result, retention: None, then: Vec::new() }
}

fn fail(cause: Cause) -> impl FnOnce(LeaseToken) -> Event {
    move |token| {
        let failure = Failure::new("Io", "no answer").with_details(vec![1, 2].into());
        Event::Fail { token, failure, cause, delay: None, retention: None, then: Vec::new() }
    }
}

/// A job for each state but Processing, in two queues, and one with everything.
async fn fill(store: &dyn Storage) {
    let queue = &jobs();
    put(store, queue, job("completed")).await;
    settle(store, &claim(store, queue).await, complete).await;
    put(store, queue, job("failed")).await;
    settle(store, &claim(store, queue).await, fail(Cause::Terminal)).await;
    put(store, queue, job("failing")).await;
    settle(store, &claim(store, queue).await, fail(Cause::Retryable)).await;
    put(store, queue, job("cancelled")).await;
    let cancel = Event::Cancel { processing: OnProcessing::Leave };
    store.change(queue, &id("cancelled"), cancel, &Policy::default()).await.expect("it answers");
    for number in 0..5 {
        put(store, queue, job(&format!("queued-{number}")).with_priority(5 - number)).await;
    }
    let labelled = job("labelled")
        .with_headers(Headers::new([("a", "b")]).expect("it answers"))
        .with_tags(Tags::new([Tag::new("t").expect("it answers")]).expect("it answers"))
        .with_delay(Span::from_secs(3600));
    put(store, queue, labelled).await;
    put(store, &other(), job("elsewhere")).await;
}

/// Every record of a queue with its payload, without what each store sets itself.
async fn records(store: &dyn Storage, queue: &QueueName) -> Vec<JobRecord> {
    let listed = store.list(ListQuery::all(queue.clone(), 1_000)).await.expect("it answers").jobs;
    let ids: Vec<JobId> = listed.into_iter().map(|job: JobMeta| job.id).collect();
    let found = store.get_whole(queue, &ids).await.expect("it answers").value;
    let unnumbered = |mut record: JobRecord| {
        record.meta.seq = Seq::new(0);
        record
    };
    found.into_iter().flatten().map(unnumbered).collect()
}

async fn assert_same(from: &dyn Storage, to: &dyn Storage) {
    for queue in [jobs(), other()] {
        let (source, target) = (records(from, &queue).await, records(to, &queue).await);
        assert!(!source.is_empty());
        assert_eq!(source, target, "{queue}");
        for record in source {
            let attempts = async |store: &dyn Storage| {
                let answer = store.attempts_of(&queue, &record.meta.id).await.expect("it answers");
                answer.value.expect("it answers").attempts
            };
            assert_eq!(attempts(from).await, attempts(to).await, "{}", record.meta.id);
        }
    }
    assert_eq!(to.verify().await.expect("it answers"), Vec::<String>::new());
}

async fn run(copy: &StoreCopy) -> queue::Result<CopyReport> {
    copy.run(&mut |_| ()).await
}

async fn state(store: &dyn Storage, text: &str) -> Option<queue::State> {
    let found = store.get_one(&jobs(), &id(text), Detail::Meta).await.expect("it answers");
    found.map(|record| record.meta.state)
}

fn copy(from: &Arc<dyn Storage>, to: &Arc<dyn Storage>) -> StoreCopy {
    StoreCopy::new(from.clone(), to.clone())
}

/// How many jobs there are, in all states.
async fn count(store: &dyn Storage, queue: &QueueName) -> u64 {
    store.counts(queue).await.expect("it answers").total()
}
