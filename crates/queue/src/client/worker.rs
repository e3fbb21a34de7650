use crate::Queue;
use queue_core::Payload;
use queue_worker::{Context, JobError, Worker, WorkerBuilder, runtime::Handler};

impl<P, R> Queue<P, R> {
    /// A worker for the jobs of this queue, with the policy of this handle. The handler is most often a
    /// [`Router`](crate::worker::Router).
    pub fn worker<H>(&self, handler: H) -> WorkerBuilder
    where
        H: Handler<Context, Output = Payload, Error = JobError>,
    {
        let (storage, name) = (self.shared.storage.clone(), self.shared.name.clone());
        Worker::builder(storage, name, handler).policy(self.shared.policy.clone())
    }
}
