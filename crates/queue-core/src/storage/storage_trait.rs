use crate::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Duty, Enqueued, Error, ErrorKind, EventStream,
    Interest, JobAttempts, JobId, JobRecord, ListQuery, NewJob, Page, PruneRequest, QueueName, QueuesPage,
    QueuesQuery, Result, Stamped, WorkerId, WorkerInfo, lifecycle::Transition,
};
use async_trait::async_trait;
use std::{any::Any, fmt::Debug, time::Duration};

/// How much of a record to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Metadata alone.
    Meta,
    /// Payload, result and error details too.
    Full,
}

/// A place where jobs live. Few verbs, all batched.
///
/// # What every store keeps
/// - A write that was answered is as durable as [`Capabilities::durability`] says.
/// - Every verb but `claim` may be sent again after an unknown outcome; a store never sends a claim twice by itself. An enqueue sent again after its first life has
///   ended and left no record begins another: delivery is at least once.
/// - Times are the store's: milliseconds that never go back and never stand still. Each step is decided at
///   [`Moment::decide`](crate::Moment::decide) of the mark, the clock and the floor of the calling handle's
///   [`StoreTime`](crate::StoreTime). A write raises the mark to its time in the same step, and so does a claim while that
///   time is ahead of the clock, even one that leases nothing. So a time that a write was decided by binds every handle,
///   across a reopen too; one that was only told by a read binds the handle that told it.
/// - No answer is larger than its bound: [`ClaimRequest::bytes_max`] for a claim,
///   [`Limits::answer_bytes_max`](crate::Limits::answer_bytes_max) for what `get` and `enqueue` bring back.
/// - A record past its purge time is absent to every verb, removed or not.
/// - Input is checked before anything is written: [`ErrorKind::Invalid`] means that nothing happened.
/// - A store decides nothing beyond four rules: [`admit`](crate::lifecycle::admit), which due jobs a claim gets, which
///   leases have lapsed and which records may go, and that purged records are absent.
///
/// # Dropped futures
/// Dropping the future of any verb leaves its effect unknown, as a lost connection would: it happens whole or not at
/// all, for each group of an enqueue and each item of an apply. A store gives back what a dropped `claim` leases, uncharged,
/// as soon as it knows that nobody hears the answer; one that was not begun leases nothing. It may fail to, as where its
/// runtime ends or its server is gone, and then the jobs stay leased to nobody, which charges a stall when they lapse; so
/// whoever must be sure looks for what an unheard claim leased by [`Walk::Held`](crate::Walk::Held).
#[async_trait]
pub trait Storage: Debug + Send + Sync + 'static {
    /// What this store is and can do. Constant while it is open.
    fn capabilities(&self) -> Capabilities;

    /// The store behind all layers, for what only it can do, such as joining a transaction of its database. What is done there
    /// passes by the layers.
    ///
    /// The default is none, which says that there is nothing of the kind.
    fn concrete(&self) -> Option<&dyn Any> {
        None
    }

    /// Stores jobs. Each group is all or nothing; the answers have the shape of the request.
    ///
    /// A job whose id is taken is answered so and changes nothing, which is no failure of its group. An id that stands
    /// twice in one call is a duplicate of itself, or [replaces](crate::OnWaiting::Replace) itself if it says so. Where a
    /// record makes room the new life begins as [`JobMeta::replacing`](crate::JobMeta::replacing) says, and nothing of the
    /// former life is left in the same step.
    ///
    /// # Errors
    /// `Invalid` if a payload or the batch is over the limits, if a job would expire before it is due, or if one that may
    /// replace a waiting job may expire at all.
    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>>;

    /// Leases due jobs, lowest `priority` first, then earliest `run_at`, then lowest `seq`: never more than the limit,
    /// never one that is leased, cancelled or not due.
    ///
    /// A store with one writer sees them all in this order; stores with several may pass over rows
    /// that another claim holds at that moment. Where more than some thousand delayed jobs become
    /// due at once, the most urgent of them may come with a later claim: `next_due` is then now.
    /// The answer stops before the first job that [`ClaimRequest::bytes_max`] has no room for, and
    /// that job is not leased: `next_due` is then now.
    ///
    /// A paused queue gives nothing and says so. Its `next_due` is that of the same queue without
    /// the pause, so that a caller tells a paused backlog from an empty queue.
    ///
    /// Claims that wait at the same time may share a call or a commit, each with its own token, limit, bytes, lease and worker.
    /// They are answered as if one came after the other, but that `next_due` may be told as the last of them leaves it; none is
    /// refused or held up for what another asks.
    ///
    /// # Errors
    /// `Invalid` if the limit is over [`Limits::batch_max`](crate::Limits::batch_max). The one verb that is not
    /// idempotent: after an unknown outcome jobs may be leased to nobody until they lapse, or are found by their token.
    async fn claim(&self, request: ClaimRequest) -> Result<Claimed>;

    /// Applies transitions, each atomic by itself with the jobs that [follow](Transition::then) it, in order; the answers are
    /// in the order of the request.
    ///
    /// Jobs follow any patch, once it is written and by the rule of ids that an enqueue has. They follow nothing else: not
    /// a settle that is answered a second time, and not a transition that is refused.
    /// See [`lifecycle::apply`](crate::lifecycle::apply) for what each answer means.
    ///
    /// # Errors
    /// `Invalid` if a result, a note, a follower or the batch is over the limits, or if a job would follow a heartbeat; then
    /// nothing was applied.
    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>>;

    /// Reads jobs; the answers are in the order of the ids.
    ///
    /// A record comes without its body from the first on that the answer has no room for. Ask for those again, or use
    /// [`StorageExt::get_whole`](crate::StorageExt::get_whole).
    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>>;

    /// Reads metadata of many jobs of one queue, page by page, along an index and in its order.
    ///
    /// A page steps through at most [`ListQuery::LOOKS_MAX`] jobs, and says how many; a store may choose less, but not less
    /// than a thousand. What it costs depends on what it steps through, not on what else is stored. The next one goes on behind the
    /// place at which it ended: of jobs that move meanwhile none is shown twice at one place, and of those that stand still none is missed.
    ///
    /// A store without such indexes may look at every job of the queue and answer with [`ListQuery::page_of`].
    ///
    /// # Errors
    /// `Invalid` for a cursor of another store or of another listing.
    async fn list(&self, query: ListQuery) -> Result<Page>;

    /// Reads a job with the attempts that were charged to it, both as they were at one moment; `None` if it is absent.
    ///
    /// A store writes an attempt in the step that charges it, and nothing for a job that never fails.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::attempts`].
    async fn attempts(&self, _queue: &QueueName, _id: &JobId) -> Result<Stamped<Option<JobAttempts>>> {
        Err(unsupported("attempts"))
    }

    /// Counts jobs by state. What it costs does not grow with the number of jobs that wait or are over; each store says what
    /// else it looks at.
    async fn counts(&self, queue: &QueueName) -> Result<Counts>;

    /// One page of the queues of this store, in the order of their names by bytes: which there are, whether each is paused, and
    /// its counts.
    ///
    /// A queue is listed from its first job on, or the first time that it is paused or resumed, and for ever: one whose
    /// last record is gone is listed with zeros, across a reopen too. A store may list it as soon as either is tried.
    /// Reads, claims and what is refused as `Invalid` list nothing. Each queue is shown as it is at one
    /// moment, and two of a page may be shown at different ones; a queue that is there all the while is shown exactly once
    /// in a walk over all pages.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::queues`].
    async fn queues(&self, _query: QueuesQuery) -> Result<QueuesPage> {
        Err(unsupported("queues"))
    }

    /// Removes records, at most as many as asked, and answers how many. Call again while it answers the limit.
    async fn prune(&self, request: PruneRequest) -> Result<u64>;

    /// Stops or resumes claims of a queue for everybody. Leases, settles and enqueues go on. Either way subscribers to
    /// [`Interest::Wake`] get a hint: a worker that asks then learns of a pause and gives back what it has not started.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::pause`].
    async fn set_paused(&self, _queue: &QueueName, _paused: bool) -> Result<()> {
        Err(unsupported("set_paused"))
    }

    /// Hints at changes. They may be lost, repeated or late: whoever depends on a change also reads at intervals.
    ///
    /// The stream is registered when this answers, so a change made afterwards is hinted at. The default never says
    /// anything, which costs speed, not correctness.
    ///
    /// A subscription is cheap, since every call that waits for a result has one: a store that needs a connection to hear
    /// of changes holds one for each handle, and shares out what comes from there (with a [`Hub`](crate::Hub), say).
    /// Dropping the stream leaves nothing behind.
    async fn subscribe(&self, _queue: &QueueName, _interest: Interest) -> Result<EventStream> {
        Ok(Box::pin(futures_util::stream::pending()))
    }

    /// Shows a worker to [`workers`](Self::workers) for a while, and answers its duty; a `ttl` of zero retires it,
    /// and is answered with [`Work`](Duty::Work).
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::presence`], and `Invalid` as [`WorkerInfo::check`] says.
    async fn announce(&self, _worker: WorkerInfo, _ttl: Duration) -> Result<Duty> {
        Err(unsupported("announce"))
    }

    /// Asks a worker to drain. The wish stands in what is shown of the worker, and each of its announcements is answered with
    /// it, until it is retired or its announcement runs out: a worker that is there again after that is not asked. Asking
    /// twice is once. Answers whether there is such a worker.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::presence`].
    async fn drain_worker(&self, _worker: &WorkerId) -> Result<bool> {
        Err(unsupported("drain_worker"))
    }

    /// The workers that announced themselves and have not expired.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::presence`].
    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        Err(unsupported("workers"))
    }

    /// Cross-checks every index against the records and answers what does not add up, in words.
    ///
    /// # Errors
    /// `Unsupported` by default. For tests and operators: it may read everything.
    async fn verify(&self) -> Result<Vec<String>> {
        Err(unsupported("verify"))
    }

    /// Finishes what was begun and lets go of resources of this handle; other handles live on. Later calls answer
    /// `Closed`. Closing twice is fine.
    async fn close(&self) -> Result<()>;
}

fn unsupported(operation: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, operation, "this store does not offer it; see its capabilities")
}
