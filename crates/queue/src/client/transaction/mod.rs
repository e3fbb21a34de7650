//! Enqueues and completes jobs in transactions of the application.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "worker")]
use crate::{CodecContext, Role};
use crate::{Decode, Encode, Enqueued, Id, JobOptions, Queue, Settled, client::Shared};
use queue_core::{
    Enqueued as Stored, Error, ErrorKind, JobMeta, NewJob, QueueName, Result, Storage,
    lifecycle::{Event, Policy},
};
use std::sync::Arc;

/// A transaction of the application that a store can join: changes of the queue in it happen if and
/// only if it commits.
///
/// | transaction | feature | store | answers |
/// |---|---|---|---|
/// | `&mut sqlx::Transaction<'_, Postgres>`, or `&mut sqlx::PgConnection` in one | `postgres` | `PostgresStorage` of the same database | a future |
/// | `&rusqlite::Transaction<'_>`, or `&rusqlite::Connection` in one, with the write lock | `sqlite` | `SqliteStorage` of the same file | a [`Result`]: it blocks |
///
/// The author of a store implements this trait for the transactions of its database, and finds the
/// store behind layers by [`Storage::concrete`]. Applications pass transactions to
/// [`Queue::enqueue_in`] and similar methods, and do not call the methods of this trait.
pub trait Joinable: Sized {
    /// The type of an answer: a future, for an asynchronous driver, or a [`Result`].
    type Answer<T>;

    /// Stores a job, and returns the store's answer as `finish` converts it. An error in `asked` is
    /// returned as it is.
    fn enqueue<T: 'static>(
        self,
        asked: Result<EnqueueIn>,
        finish: impl FnOnce(Stored) -> Result<T> + Send + 'static,
    ) -> Self::Answer<T>;

    /// Settles a job. An error in `asked` is returned as it is.
    fn settle(self, asked: Result<SettleIn>) -> Self::Answer<Settled>;
}

/// A job to be stored in a transaction of the application.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EnqueueIn {
    /// The store of the queue, which may have layers in front of it.
    pub storage: Arc<dyn Storage>,
    /// The queue.
    pub queue: QueueName,
    /// The job.
    pub job: NewJob,
}

/// A job to be settled in a transaction of the application.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SettleIn {
    /// The store of the queue, which may have layers in front of it.
    pub storage: Arc<dyn Storage>,
    /// The job as it was claimed.
    pub job: JobMeta,
    /// The event that ends its lease.
    pub event: Event,
    /// The policy of the queue.
    pub policy: Policy,
}

#[expect(clippy::needless_pass_by_value, reason = "as `enqueue` takes them")]
impl<P: Encode, R: Decode + 'static> Queue<P, R> {
    /// Stores a job in a transaction of the application, with the default options of this handle:
    /// the job is there, and can be claimed, if and only if the transaction commits. The commit
    /// wakes workers.
    ///
    /// With Postgres the answer is a future, with SQLite a [`Result`]; see [`Joinable`]. Keep the
    /// transaction short. With Postgres another enqueue of the same id waits for its end, and so do
    /// the enqueues behind that one on the same handle. With SQLite everything that writes to the
    /// file waits, heartbeats included; run the whole transaction on a thread that may block.
    ///
    /// The call bypasses layers in front of the store, such as those that measure, and does not
    /// read of which kind a job is that has the id already.
    ///
    /// # Errors
    /// `Invalid`, with nothing written, as for [`enqueue`](Self::enqueue), and for a transaction
    /// that the store cannot join: one of another kind of database, on another server or file, or
    /// on SQLite without the write lock. After any other error roll back.
    ///
    /// If the future is dropped, the caller must roll back.
    pub fn enqueue_in<T: Joinable>(
        &self,
        transaction: T,
        id: impl Into<Id>,
        payload: P,
    ) -> T::Answer<Enqueued<R>> {
        self.join(transaction, self.job(id.into(), &payload, &self.shared.options), Ok)
    }

    /// Stores a job in a transaction of the application, with options as
    /// [`enqueue_with`](Self::enqueue_with) takes them.
    ///
    /// # Errors
    /// The errors of [`enqueue_in`](Self::enqueue_in), and `Invalid` for an invalid option.
    pub fn enqueue_in_with<T: Joinable>(
        &self,
        transaction: T,
        id: impl Into<Id>,
        payload: P,
        options: JobOptions,
    ) -> T::Answer<Enqueued<R>> {
        self.join(transaction, self.job(id.into(), &payload, &options), Ok)
    }

    /// Stores a job in a transaction; `judge` says what its answer means to the caller.
    pub(crate) fn join<T: Joinable>(
        &self,
        transaction: T,
        job: Result<NewJob>,
        judge: impl FnOnce(Enqueued<R>) -> Result<Enqueued<R>> + Send + 'static,
    ) -> T::Answer<Enqueued<R>> {
        let id = job.as_ref().map(|job| (job.id.clone(), job.kind.clone()));
        let id = id.ok();
        let shared = self.shared.clone();
        let asked = job.map(|job| self.shared.enqueue_in(job));
        transaction.enqueue(asked, move |stored| {
            let (id, kind) =
                id.ok_or_else(|| Error::new(ErrorKind::Internal, "enqueue_in", "a job without an id"))?;
            judge(shared.typed(id, &kind, stored)?)
        })
    }
}

impl Shared {
    /// A job of this queue, to be stored in a transaction.
    pub(crate) fn enqueue_in(&self, job: NewJob) -> EnqueueIn {
        EnqueueIn { storage: self.storage.clone(), queue: self.name.clone(), job }
    }
}

#[cfg(feature = "worker")]
impl<P, R: Encode> Queue<P, R> {
    /// Completes the job of a handler in the handler's own transaction, so that its writes and the
    /// job's completion commit together, once for each job, however often its worker dies.
    ///
    /// Commit if the answer is [`Settled::Done`]. Otherwise roll back: another worker has or had
    /// the job. Afterwards the handler returns a result as usual; the completion that the worker
    /// then sends is answered as done and writes nothing. The result of the job is the one passed
    /// here.
    ///
    /// Jobs that the handler passed to `Context::then` before are stored in the same transaction. A
    /// hook after the handler cannot change the outcome, since the job is already completed.
    ///
    /// The transaction must end within the lease: while it is open, Postgres stores no heartbeat of
    /// this job, and SQLite no heartbeat of any job.
    ///
    /// # Errors
    /// The errors of [`enqueue_in`](Self::enqueue_in), and `Conflict` on Postgres for a transaction
    /// of a stricter isolation level that began before the last heartbeat: complete the job in its
    /// first statement.
    pub fn complete_in<T: Joinable, S>(
        &self,
        transaction: T,
        context: &crate::worker::Context<S>,
        result: &R,
    ) -> T::Answer<Settled> {
        let Shared { storage, codec, policy, .. } = &*self.shared;
        let place = CodecContext::of(context.meta(), Role::Result);
        let encoded = result.encode(codec, &place).map_err(Error::from);
        // The worker that settles the job later enqueues nothing, so the followers must go with
        // this settle.
        let mut then = context.followers();
        context.headers().trace_on(&mut then);
        let asked = encoded.map(|result| SettleIn {
            storage: storage.clone(),
            job: context.meta().clone(),
            event: Event::Complete { token: context.lease_token(), result, retention: None, then },
            policy: policy.clone(),
        });
        transaction.settle(asked)
    }
}

/// The store that can join, behind all layers.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
fn concrete<'s, S: 'static>(
    storage: &'s dyn Storage,
    operation: &'static str,
    database: &str,
) -> Result<&'s S> {
    storage.concrete().and_then(|store| store.downcast_ref()).ok_or_else(|| {
        let name = storage.capabilities().name;
        let message = format!(
            "the transaction is one of {database}, and the store `{name}` cannot join it; keep the queue in the same database"
        );
        Error::invalid(operation, message)
    })
}

/// The answer to one job.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
fn only(answers: queue_core::Stamped<Vec<Stored>>) -> Result<Stored> {
    answers.value.into_iter().next().ok_or_else(|| {
        Error::new(ErrorKind::Internal, "enqueue_in", "the store answered another number of jobs than it got")
    })
}
