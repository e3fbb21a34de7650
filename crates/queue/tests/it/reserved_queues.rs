//! A program may look at the queues of the library, and neither enqueues into one nor works on one.

use queue::{
    ErrorKind, JobOptions, Queue, Result, Storage,
    operations::OPERATIONS_QUEUE,
    queue_core::ReservedQueue,
    schedules::{Schedule, Timing},
    worker::InvalidWorker,
};
use std::{error::Error as _, sync::Arc, time::Duration};

const NAMES: [&str; 3] = ["queue.mine", OPERATIONS_QUEUE, "leader:x"];

async fn store() -> Arc<dyn Storage> {
    queue::open("memory:").await.expect("memory opens")
}

fn on(store: &Arc<dyn Storage>, name: &str) -> Queue<u32, u32> {
    Queue::new(store.clone(), name).expect("anyone may look")
}

fn assert_reserved<T: std::fmt::Debug>(answer: Result<T>, name: &str) {
    let error = answer.expect_err(name);
    let reserved = error.source().and_then(|source| source.downcast_ref::<ReservedQueue>());
    assert_eq!(error.kind(), ErrorKind::Invalid, "{name}");
    assert_eq!(reserved.expect(name).queue.as_str(), name);
    let words = format!(
        "the queue {name:?} belongs to the library, as all that begin with `queue.` or `leader:` do; choose another name"
    );
    assert_eq!(error.message(), words);
}

#[tokio::test]
async fn every_way_to_enqueue_is_refused_before_anything_is_written() {
    let store = store().await;
    for name in NAMES {
        let queue = on(&store, name);
        assert_reserved(queue.enqueue("a", 1).await, name);
        assert_reserved(queue.enqueue_many([("a", 1)], JobOptions::new()).await, name);
        let debounced = JobOptions::new().debounce(Duration::from_secs(1));
        assert_reserved(queue.enqueue_with("a", 1, debounced).await, name);
        assert_reserved(queue.new_job("a", &1, &JobOptions::new()), name);
        assert_reserved(queue.batch("a").open().await, name);
        let callbacks = on(&store, "mail").batch("a").callbacks_in(name);
        assert_reserved(callbacks.on_end("report", &1).open().await, name);
        let hourly = Timing::every(Duration::from_secs(3600)).expect("an hour");
        assert_reserved(queue.schedules().put(&Schedule::new("a", hourly, 1)).await, name);
        assert_eq!(queue.counts().await.expect("memory counts").total(), 0);
    }
}

#[tokio::test]
async fn pull_mode_and_workers_are_refused_except_on_operations() {
    let store = store().await;
    for name in NAMES {
        let queue = on(&store, name);
        assert_reserved(queue.dequeue(Duration::ZERO).await, name);
        let built = queue.work_with(|number, _| async move { Ok(number) }).build();
        let beside = on(&store, "mail").work_with(|number, _| async move { Ok(number) }).also(&queue).build();
        if name == OPERATIONS_QUEUE {
            built.and(beside).expect("any worker may run operations");
            continue;
        }
        for built in [built, beside] {
            let error = built.expect_err(name);
            let source = error.source().and_then(|source| source.downcast_ref::<InvalidWorker>());
            assert!(matches!(source, Some(InvalidWorker::ReservedQueue(_))), "{error:?}");
            assert!(error.message().contains("belongs to the library"), "{error}");
        }
    }
}
