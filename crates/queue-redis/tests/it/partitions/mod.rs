//! Partitions as the server has them: what a claim reads beside many of them, limits that are new
//! to many, and what `verify` finds.

mod commands;
mod damage;
mod sweeps;
mod time;
mod walk;

use queue_core::{
    ClaimRequest, ClaimedJob, ContentType, JobId, Kind, Limit, LimitScope, NewJob, Partition, PartitionQuery,
    Payload, QueueName, Span, Storage, StorageExt, SystemRng, WorkerId,
    lifecycle::{Event, Policy},
};
use queue_redis::RedisStorage;

const LEASE: Span = Span::from_secs(900);
/// The key of what is kept of the partitions of the queue.
const META: &str = "jq:{q}:meta";

fn queue() -> QueueName {
    QueueName::from_static("q")
}

fn key(text: &str) -> Partition {
    Partition::new(text).expect("a valid key")
}

fn job(id: &str) -> NewJob {
    let payload = Payload::new("payload", ContentType::from_static("text/plain"));
    NewJob::new(JobId::new(id).expect("valid"), Kind::from_static("mail"), payload)
}

/// The job of a partition with this number.
fn of(partition: &str, number: usize) -> NewJob {
    job(&format!("{partition}-{number}")).with_partition(key(partition))
}

fn at_most(running: u32) -> Limit {
    Limit { running: Some(running), ..Limit::default() }
}

async fn enqueue(store: &RedisStorage, jobs: Vec<NewJob>) {
    store.enqueue(&queue(), vec![jobs]).await.expect("it enqueues");
}

async fn set_each(store: &RedisStorage, limit: Option<Limit>) {
    store.set_limits(&queue(), vec![(LimitScope::EachPartition, limit)]).await.expect("it sets limits");
}

fn request(limit: usize) -> ClaimRequest {
    ClaimRequest::new(queue(), WorkerId::from_static("w"), limit, LEASE, &SystemRng)
}

async fn claim(store: &RedisStorage, limit: usize) -> Vec<ClaimedJob> {
    store.claim(request(limit)).await.expect("it claims").jobs
}

fn complete(job: &ClaimedJob) -> Event {
    let result = Payload::new("done", ContentType::from_static("text/plain"));
    Event::Complete { token: job.token, result, retention: None, then: Vec::new() }
}

async fn settle(store: &RedisStorage, job: &ClaimedJob, event: Event) {
    store.settle(&job.record.meta, event, &Policy::default()).await.expect("it answers");
}

/// The most leases of any partition.
async fn most_leases(store: &RedisStorage) -> u64 {
    let (mut query, mut most) = (Some(PartitionQuery::all(queue(), PartitionQuery::LIMIT_MAX)), 0);
    while let Some(next) = query {
        let page = store.partitions(next).await.expect("it lists partitions");
        most = page.partitions.iter().map(|status| status.leases).max().unwrap_or(0).max(most);
        query = page.next;
    }
    most
}

async fn assert_sound(store: &RedisStorage) {
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
}
