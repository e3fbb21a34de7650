//! Calls of many tasks on one handle share scripts, however it was opened.

use crate::harness::{REDIS, Space, clean_up, connect, fresh_namespace};
use futures_util::{StreamExt as _, future::join_all};
use queue_core::{
    ClaimRequest, ContentType, Detail, JobId, Kind, NewJob, Payload, QueueName, Span, Storage, SystemRng,
    WorkerId,
};
use queue_redis::RedisStorage;
use std::collections::HashSet;

const CALLS: usize = 64;
/// One script for the calls before the others had arrived, and one for those.
const SCRIPTS_MAX: usize = 2;
/// The command by which the test marks its end in the server's log.
const END: &str = "no-key-of-any-queue";

#[tokio::test]
async fn calls_of_many_tasks_share_scripts() {
    let Some(url) = REDIS.url() else { return };
    let space = Space { url: url.clone(), namespace: fresh_namespace(), clock: None };
    let store = RedisStorage::open(space.options()).await.expect("it opens");
    let queue = QueueName::from_static("q");
    let ids: Vec<JobId> = (0..CALLS).map(|n| JobId::new(n.to_string()).expect("valid")).collect();
    let enqueue = async |id: &JobId| {
        let payload = Payload::new("", ContentType::from_static("text/plain"));
        let job = NewJob::new(id.clone(), Kind::unnamed(), payload);
        store.enqueue(&queue, vec![vec![job]]).await.expect("it enqueues");
    };
    // From here on the handle knows the queue.
    enqueue(&JobId::from_static("first")).await;

    let client = redis::Client::open(url.as_str()).expect("valid");
    let mut monitor = client.get_async_monitor().await.expect("it connects");
    let mut seen = monitor.on_message::<String>();
    join_all(ids.iter().map(enqueue)).await;
    join_all(ids.iter().map(async |id| {
        let read = store.get(&queue, std::slice::from_ref(id), Detail::Full).await.expect("it reads");
        assert!(read.value[0].is_some());
    }))
    .await;
    let worker = WorkerId::from_static("w");
    let claims = join_all((0..CALLS).map(|_| {
        let request = ClaimRequest::new(queue.clone(), worker.clone(), 1, Span::from_secs(30), &SystemRng);
        store.claim(request)
    }));
    let claimed: HashSet<_> = claims
        .await
        .into_iter()
        .map(|claimed| claimed.expect("it claims").jobs.remove(0).record.meta.id)
        .collect();
    assert_eq!(claimed.len(), CALLS);
    let mut connection = connect(&client).await.expect("it connects");
    let end = format!("{END}:{}", space.namespace);
    redis::cmd("EXISTS").arg(&end).query_async::<()>(&mut connection).await.expect("it answers");
    let mut scripts = 0;
    while let Some(line) = seen.next().await.filter(|line| !line.contains(&end)) {
        scripts += usize::from(line.contains("\"EVALSHA\"") && line.contains(&space.namespace));
    }
    assert!((3..=3 * SCRIPTS_MAX).contains(&scripts), "{scripts} scripts");

    store.close().await.expect("it closes");
    clean_up(&url, &space.namespace).await.expect("it cleans up");
}
