//! Merges concurrent reads of single jobs, as callers who wait for their results send them.

use crate::{shared::Shared, verbs::Get};
use queue_core::{Detail, JobId, JobRecord, QueueName, Result, Stamped};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, SemaphorePermit, oneshot};

/// Reads that go out in one statement. Their answers may be large.
const BATCH_MAX: usize = 256;

type Answer = Result<Stamped<Option<JobRecord>>>;

/// The reads of one handle: while one is under way, whatever comes waits, and goes next in one piece. Nobody waits for a
/// timer, and a lone read for nobody.
///
/// Whoever gets the turn reads for all that wait, so there is no task to own. If it is dropped meanwhile, the others
/// see their answer fail to come and ask again.
#[derive(Debug)]
pub(crate) struct Reads {
    waiting: Mutex<Vec<Waiting>>,
    turn: Semaphore,
}

#[derive(Debug)]
struct Waiting {
    queue: QueueName,
    id: JobId,
    what: Detail,
    reply: oneshot::Sender<Answer>,
}

impl Reads {
    pub(crate) fn new() -> Self {
        Self { waiting: Mutex::default(), turn: Semaphore::new(1) }
    }

    /// Reads one job.
    pub(crate) async fn get(&self, shared: &Shared, queue: &QueueName, id: &JobId, what: Detail) -> Answer {
        loop {
            let (reply, mut answer) = oneshot::channel();
            self.lock().push(Waiting { queue: queue.clone(), id: id.clone(), what, reply });
            let turn = tokio::select! {
                biased;
                answered = &mut answer => match answered {
                    Ok(answered) => return answered,
                    Err(_dropped) => continue,
                },
                turn = self.turn.acquire() => turn,
            };
            if let Ok(answered) = answer.try_recv() {
                return answered;
            }
            self.read_all(shared, queue, what, turn.ok()).await;
            if let Ok(answered) = answer.try_recv() {
                return answered;
            }
        }
    }

    /// Reads what waits for the same, and hands out the answers.
    async fn read_all(
        &self,
        shared: &Shared,
        queue: &QueueName,
        what: Detail,
        _turn: Option<SemaphorePermit<'_>>,
    ) {
        let (ids, replies) = self.take(queue, what);
        match shared.call(&Get { queue, ids: &ids, what }).await {
            Ok(Stamped { now, value }) => {
                for (reply, value) in replies.into_iter().zip(value) {
                    // Whoever does not listen any more was dropped.
                    drop(reply.send(Ok(Stamped { now, value })));
                }
            }
            // One of them cannot be read, and the others shall not suffer for it.
            Err(error) if ids.len() > 1 && !error.is_transient() => {
                for (id, reply) in ids.iter().zip(replies) {
                    let alone = shared.call(&Get { queue, ids: std::slice::from_ref(id), what }).await;
                    drop(reply.send(alone.map(|found| Stamped {
                        now: found.now,
                        value: found.value.into_iter().next().flatten(),
                    })));
                }
            }
            Err(error) => replies.into_iter().for_each(|reply| drop(reply.send(Err(error.clone())))),
        }
    }

    fn take(&self, queue: &QueueName, what: Detail) -> (Vec<JobId>, Vec<oneshot::Sender<Answer>>) {
        let mut waiting = self.lock();
        waiting.retain(|read| !read.reply.is_closed());
        let mut room = BATCH_MAX;
        let is_next = |read: &mut Waiting| {
            let fits = room > 0 && read.what == what && read.queue == *queue;
            room -= usize::from(fits);
            fits
        };
        waiting.extract_if(.., is_next).map(|read| (read.id, read.reply)).unzip()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
