//! The hint of an end brings a small result to the callers that wait for it.

use crate::harness::{REDIS, Space, clean_up, fresh_namespace};
use futures_util::StreamExt as _;
use queue_core::{
    ClaimRequest, ClaimedJob, CompletedJob, ContentType, Hint, Interest, JobId, Kind, NewJob, Partition,
    Payload, QueueName, Span, State, Storage, SystemRng, Tag, Tags, WorkerId,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue_redis::RedisStorage;
use std::time::Duration;
use tokio::time::timeout;

/// A result of so many bytes, content type included, stands in the job's state.
const SMALL_MAX: usize = 128;
const TEXT: &str = "text/plain";
/// Longer than a hint takes.
const NEVER: Duration = Duration::from_secs(60);

fn result(bytes: usize) -> Payload {
    Payload::new(vec![b'r'; bytes], ContentType::from_static(TEXT))
}

fn completion(ClaimedJob { record, token }: &ClaimedJob, result: Payload) -> Transition {
    let event = Event::Complete { token: *token, result, retention: None, then: Vec::new() };
    decide(&record.meta, event, &Policy::default()).expect("it is held")
}

fn new_job(id: &JobId) -> NewJob {
    NewJob::new(id.clone(), Kind::unnamed(), result(3)).awaited()
}

/// Settles the first job by itself and the others in one call, with results of these sizes, and
/// answers the hint of each job.
async fn hints_of(store: &RedisStorage, queue: &QueueName, sizes: &[usize]) -> Vec<Hint> {
    let ids: Vec<_> = sizes.iter().map(|size| JobId::new(size.to_string()).expect("valid")).collect();
    let mut hints = store.subscribe(queue, Interest::Jobs(ids.clone())).await.expect("it listens");
    for (at, id) in ids.iter().enumerate() {
        // What stands in front of the result differs.
        let job = match at {
            0 => new_job(id),
            1 => new_job(id).with_tags(
                Tags::new(["some", "tags"].map(|tag| Tag::new(tag).expect("valid"))).expect("valid"),
            ),
            _ => new_job(id).with_partition(Partition::new("part").expect("valid")),
        };
        store.enqueue(queue, vec![vec![job]]).await.expect("it enqueues");
    }
    let mut settles = Vec::new();
    let worker = WorkerId::from_static("w");
    while settles.len() < ids.len() {
        let claim = ClaimRequest::new(queue.clone(), worker.clone(), 9, Span::from_secs(30), &SystemRng);
        for job in store.claim(claim).await.expect("it claims").jobs {
            let size = job.record.meta.id.as_str().parse().expect("a size");
            settles.push((size, completion(&job, result(size))));
        }
    }
    settles.sort_by_key(|(size, _)| sizes.iter().position(|of| of == size));
    let mut settles: Vec<_> = settles.into_iter().map(|(_, settle)| settle).collect();
    let others = settles.split_off(1);
    store.apply(settles).await.expect("it settles");
    store.apply(others).await.expect("it settles");
    let mut all = Vec::new();
    while all.len() < ids.len() {
        let hint = timeout(NEVER, hints.next()).await.expect("each end has a hint");
        let hint = hint.expect("the store is open");
        // A new connection may have missed some.
        all.extend(Some(hint).filter(|hint| *hint != Hint::Missed));
    }
    all
}

#[tokio::test]
async fn a_small_result_comes_with_the_hint_however_the_job_is_settled() {
    let Some(url) = REDIS.url() else { return };
    let queue = QueueName::from_static("q");
    let largest_small = SMALL_MAX - TEXT.len() - 1;
    for is_fed in [false, true] {
        let space = Space { url: url.clone(), namespace: fresh_namespace(), clock: None };
        let store = RedisStorage::open(space.options()).await.expect("it opens");
        let follower = RedisStorage::open(space.options()).await.expect("it opens");
        // Where another handle follows every change, all jobs take the long way.
        let feed = if is_fed { follower.subscribe(&queue, Interest::All).await.ok() } else { None };
        assert_eq!(feed.is_some(), is_fed);
        let hints = hints_of(&store, &queue, &[2, 0, largest_small, largest_small + 1]).await;
        let small = hints.iter().filter_map(|hint| match hint {
            Hint::Completed(job) => Some(&**job),
            _ => None,
        });
        let small: Vec<&CompletedJob> = small.collect();
        let sizes: Vec<_> = small.iter().map(|job| job.result.bytes.len()).collect();
        assert_eq!(sizes, [2, 0, largest_small], "{hints:?}");
        for job in small {
            assert_eq!(job.result, result(job.id.as_str().parse().expect("a size")));
        }
        // A larger one is left to be read.
        let Some(Hint::Job(change)) = hints.last() else { panic!("{hints:?}") };
        assert_eq!(change.state, Some(State::Completed));
        drop(feed);
        follower.close().await.expect("it closes");
        store.close().await.expect("it closes");
        clean_up(&url, &space.namespace).await.expect("it cleans up");
    }
}
