//! A result that comes with a hint spares the waiter a read, unless it is not the one that the
//! record has.

use crate::support::{SECOND, TextQueue, memory, on, settle_down, spawn, take};
use async_trait::async_trait;
use futures_util::StreamExt;
use queue::{
    JobId, Outcome, Payload, QueueName, Result, State, Storage,
    queue_core::{
        CompletedJob, Detail, EventStream, Hint, Interest, JobRecord, Seq, Stamped, StorageExt, StorageLayer,
    },
};
use std::{future, sync::Arc};

/// A store whose hints bring the results of completed jobs.
#[derive(Clone, Debug)]
struct ResultHints {
    store: Arc<dyn Storage>,
    /// Changes a result on its way.
    distort: fn(CompletedJob) -> CompletedJob,
    answers_reads: bool,
}

#[async_trait]
impl StorageLayer for ResultHints {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        if !self.answers_reads {
            return future::pending().await;
        }
        self.store.get(queue, ids, what).await
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let hints = self.store.subscribe(queue, interest).await?;
        let (this, queue) = (self.clone(), queue.clone());
        Ok(Box::pin(hints.then(move |hint| this.clone().bring_result(queue.clone(), hint))))
    }
}

impl ResultHints {
    fn on(store: &Arc<dyn Storage>, distort: fn(CompletedJob) -> CompletedJob) -> TextQueue {
        on(Arc::new(Self { store: store.clone(), distort, answers_reads: true }))
    }

    fn without_reads(store: &Arc<dyn Storage>) -> TextQueue {
        on(Arc::new(Self { store: store.clone(), distort: |job| job, answers_reads: false }))
    }

    async fn bring_result(self, queue: QueueName, hint: Hint) -> Hint {
        let Hint::Job(change) = hint else { return hint };
        if change.state != Some(State::Completed) {
            return Hint::Job(change);
        }
        let record = self.store.get_one(&queue, &change.id, Detail::Full).await.expect("it reads");
        let result = record.expect("it is there").result().expect("it is completed").clone();
        let job = CompletedJob { id: change.id, seq: change.seq, revision: change.revision, result };
        Hint::Completed(Box::new((self.distort)(job)))
    }
}

fn other_result(of: &CompletedJob) -> Payload {
    Payload::new("\"stale\"", of.result.content_type.clone())
}

#[tokio::test(start_paused = true)]
async fn a_call_takes_its_result_from_the_hint_and_reads_nothing() {
    let store = memory();
    let caller = ResultHints::without_reads(&store);
    let call = spawn(async move { caller.enqueue_and_wait("a", String::new(), 10 * SECOND).await });
    settle_down().await;
    let _ = take(&on(store)).await.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap(), "out");
}

/// The server has lost a completion, for example, and its hint comes late.
#[tokio::test(start_paused = true)]
async fn a_result_that_is_no_news_to_the_waiter_is_read_from_the_record() {
    let store = memory();
    let worker = on(store.clone());
    worker.enqueue("a", String::new()).await.unwrap();
    let caller = ResultHints::on(&store, |job| CompletedJob {
        // The wait has seen this revision: its own mark on the job.
        revision: job.revision - 1,
        result: other_result(&job),
        ..job
    });
    let delivery = take(&worker).await;
    let wait = spawn(async move { caller.wait("a", 10 * SECOND).await.unwrap() });
    // Once more, to see the mark of the first read.
    tokio::time::sleep(SECOND).await;
    let _ = delivery.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(wait.await.unwrap(), Outcome::Completed("out".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_result_of_another_life_or_of_another_job_is_not_taken() {
    let others: [fn(CompletedJob) -> CompletedJob; 3] = [
        |job| CompletedJob { seq: Seq::new(job.seq.get() - 1), result: other_result(&job), ..job },
        |job| CompletedJob { seq: Seq::new(job.seq.get() + 1), result: other_result(&job), ..job },
        |job| CompletedJob { id: JobId::from_static("b"), result: other_result(&job), ..job },
    ];
    for distort in others {
        let store = memory();
        let caller = ResultHints::on(&store, distort);
        let call = spawn(async move { caller.enqueue_and_wait("a", String::new(), 10 * SECOND).await });
        settle_down().await;
        let _ = take(&on(store)).await.ack(&"out".to_owned()).await.unwrap();
        assert_eq!(call.await.unwrap().unwrap(), "out");
    }
}
