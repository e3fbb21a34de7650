//! Records that a store should not have.

use crate::support::memory;
use async_trait::async_trait;
use queue::{
    ErrorKind, JobId, Queue, QueueName, Result, Storage, StoreCopy,
    queue_core::{Detail, JobRecord, Stamped, StorageLayer},
    view::JobReading,
};
use std::sync::Arc;

/// A store that has lost the bodies of its jobs.
#[derive(Debug)]
struct Bodiless(Arc<dyn Storage>);

#[async_trait]
impl StorageLayer for Bodiless {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.0
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        _what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.0.get(queue, ids, Detail::Meta).await
    }
}

#[tokio::test]
async fn a_job_without_a_body_is_damaged_and_not_a_bug() {
    let store: Arc<dyn Storage> = Arc::new(Bodiless(memory()));
    let queue: Queue<String> = Queue::new(store.clone(), "q").expect("valid");
    queue.enqueue("a", String::new()).await.expect("it is stored");
    let read = JobReading::read_whole(&*store, queue.name(), &JobId::from_static("a")).await;
    assert_eq!(read.expect_err("it has no payload").kind(), ErrorKind::Corrupt);
    let copied = StoreCopy::new(store, memory()).run(&mut |_| ()).await;
    assert_eq!(copied.expect_err("it has no payload").kind(), ErrorKind::Corrupt);
}
