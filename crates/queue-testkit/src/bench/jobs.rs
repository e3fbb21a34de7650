//! Helpers of cases for enqueueing jobs.

use super::{
    Bench,
    values::{job, jobs},
};
use queue_core::{Enqueued, Error, NewJob, Seq};

impl Bench {
    /// Enqueues one job, and returns any outcome.
    pub(crate) async fn enqueue(&self, new: NewJob) -> Enqueued {
        let answers = self.enqueue_groups(vec![vec![new]]).await;
        answers.into_iter().flatten().next().expect("one answer for one job")
    }

    pub(crate) async fn enqueue_groups(&self, groups: Vec<Vec<NewJob>>) -> Vec<Vec<Enqueued>> {
        self.store().enqueue(&self.queue, groups).await.expect("enqueue answers").value
    }

    /// Enqueues groups, which must be refused.
    pub(crate) async fn enqueue_refused(&self, groups: Vec<Vec<NewJob>>) -> Error {
        self.store().enqueue(&self.queue, groups).await.expect_err("it is refused")
    }

    /// Enqueues a job, which must be new.
    pub(crate) async fn put_job(&self, new: NewJob) -> Seq {
        match self.enqueue(new).await {
            Enqueued::Queued { seq } => seq,
            taken => panic!("the id was free, but: {taken:?}"),
        }
    }

    /// Enqueues a plain job, which must be new.
    pub(crate) async fn put(&self, text: &str) -> Seq {
        self.put_job(job(text)).await
    }

    /// Enqueues plain jobs number `0..n`, in order, in one call.
    pub(crate) async fn put_many(&self, n: usize) {
        let answers = self.enqueue_groups(jobs(n).into_iter().map(|new| vec![new]).collect()).await;
        assert_eq!(answers.iter().flatten().filter(|answer| answer.is_new()).count(), n);
    }
}
