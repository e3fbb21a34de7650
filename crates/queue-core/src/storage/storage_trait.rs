//! The trait that every store implements, and the contract of each verb.

use super::capabilities::unsupported;
use crate::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, EventStream, Finding,
    ImportRequest, Imported, Interest, JobAttempts, JobId, JobRecord, Kind, Limit, LimitScope, ListQuery,
    NewJob, Page, PartitionPage, PartitionQuery, Pause, PruneRequest, QueueName, QueuesPage, QueuesQuery,
    Result, SeriesEntry, SeriesPage, SeriesQuery, Stamped, WorkerId, WorkerInfo, lifecycle::Transition,
};
use async_trait::async_trait;
use std::{any::Any, fmt::Debug, time::Duration};

#[doc = include_str!("promises.txt")]
#[async_trait]
pub trait Storage: Debug + Send + Sync + 'static {
    /// What this store is and what it offers. Constant while it is open.
    fn capabilities(&self) -> Capabilities;

    /// The store behind all layers, for operations that only it has, such as joining a transaction
    /// of its database. Such operations bypass the layers.
    ///
    /// The default is `None`: the store has no such operations.
    fn concrete(&self) -> Option<&dyn Any> {
        None
    }

    /// Stores jobs. Each group is all or nothing; the answers have the shape of the request.
    ///
    /// A job whose id is taken changes nothing and is answered as a duplicate; this does not fail
    /// its group. An id that occurs twice in one call is a duplicate of itself, or
    /// [replaces](crate::OnWaiting::Replace) itself if the job says so. If the new life replaces a
    /// record, it begins as [`JobMeta::replacing`](crate::JobMeta::replacing) says, and the same
    /// step removes everything of the former life.
    ///
    /// # Errors
    /// `Invalid` if a payload or the batch is over the limits, if a job would expire before it is
    /// due, or if a job that may replace a waiting one can expire.
    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>>;

    /// Leases due jobs, lowest `priority` first, then earliest `run_at`, then lowest `seq`: never
    /// more than the limit, never one that is leased, cancelled or not due.
    ///
    /// A store with one writer gives all jobs in this order; a store with several writers may skip
    /// rows that another claim holds at that moment. If more than some thousand delayed jobs become
    /// due at once, the most urgent of them may come with a later claim: `next_due` is then now.
    /// The answer stops before the first job that [`ClaimRequest::bytes_max`] has no room for, and
    /// that job is not leased: `next_due` is then now.
    ///
    /// In a queue with [partitions](crate::Partition) or limits, this order holds within a
    /// partition, and among partitions it goes by the priority of their next job and then by
    /// [turn](crate::lifecycle::Turn). Never are more jobs of a partition leased than the limit in
    /// force when the last of them was leased. A partition whose leases have reached its limit
    /// gives no job and no `next_due`. [`Claimed::kept_back`] says whether
    /// [`ClaimRequest::limited_max`] kept a job back.
    ///
    /// A claim of a paused queue leases nothing, and its answer says that the queue is paused. Its
    /// `next_due` is that of the same queue without the pause, so that a caller can tell a paused
    /// backlog from an empty queue; [`Claimed::free_at`] has both.
    ///
    /// Claims that wait at the same time may share a call or a commit, each with its own token,
    /// limit, bytes, lease and worker. They are answered as if one came after the other, except
    /// that every `next_due` may be the one after the last of them. None is refused or held up
    /// because of the request of another.
    ///
    /// # Errors
    /// `Invalid` if the limit is over [`Limits::batch_max`](crate::Limits::batch_max). This is the
    /// one verb that is not idempotent: after an unknown outcome, jobs may stay leased without a
    /// worker until they lapse or are found by their token.
    async fn claim(&self, request: ClaimRequest) -> Result<Claimed>;

    /// Applies transitions, each atomic by itself with the jobs that [follow](Transition::then) it,
    /// in order; the answers are in the order of the request.
    ///
    /// An [end signal](crate::EndSignal) that one of them sends, and another one for the job that
    /// the signal is to, may come in either order.
    ///
    /// Jobs follow any patch that is written; the rule for their ids is that of an enqueue. No job
    /// follows a settle that is answered a second time, or a transition that is refused. See
    /// [`lifecycle::apply`](crate::lifecycle::apply) for what each answer means.
    ///
    /// # Errors
    /// `Invalid` if a result, a note, a follower or the batch is over the limits, or if a job would
    /// follow a heartbeat. Then nothing was applied.
    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>>;

    /// Reads jobs; the answers are in the order of the ids.
    ///
    /// From the first record that the answer has no room for, records come without their bodies.
    /// Ask for those again, or use [`StorageExt::get_whole`](crate::StorageExt::get_whole).
    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>>;

    /// Reads metadata of many jobs of one queue, page by page, along an index and in its order.
    ///
    /// A page steps through at most [`ListQuery::LOOKS_MAX`] jobs, and says through how many; a
    /// store may choose a smaller bound, but not below a thousand. The cost of a page depends on
    /// the jobs that it steps through, not on what else is stored. The next page begins behind the
    /// last position of this one: a job that moves meanwhile is not shown twice at one position,
    /// and a job that does not move is not missed.
    ///
    /// A store without such indexes may look at every job of the queue and answer with
    /// [`ListQuery::page_of`].
    ///
    /// # Errors
    /// `Invalid` for a cursor of another store or of another listing.
    async fn list(&self, query: ListQuery) -> Result<Page>;

    /// Reads jobs with the attempts that were charged to them, all as they were at one moment, in
    /// the order of the ids; `None` for an absent job. A store writes an attempt in the step that
    /// charges it, and nothing for a job that never fails.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::attempts`], and `Invalid` for more ids than
    /// [`JobAttempts::IDS_MAX`], which bounds the answer.
    async fn attempts(&self, _: &QueueName, _: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        Err(unsupported("attempts"))
    }

    /// Counts jobs by state. The cost does not grow with the number of jobs that wait or are
    /// finished; each store says what else it reads.
    async fn counts(&self, queue: &QueueName) -> Result<Counts>;

    /// One page of the queues of this store, in the order of the bytes of their names. Each entry
    /// says whether the queue is paused, or some of its kinds, and has its counts.
    ///
    /// A queue is listed from its first job, its first pause or its first resume on, and for ever:
    /// a queue whose last record was removed is listed with zeros, across a reopen too. A store may
    /// list it as soon as one of these is tried. Reads, claims and calls that are refused as
    /// `Invalid` make no queue listed. Each queue is shown as it is at one moment, and two queues
    /// of a page may be shown at different moments. A queue that exists during the whole walk over
    /// all pages is shown exactly once.
    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage>;

    /// Removes records, at most as many as requested, and answers how many. Call it again while the
    /// answer equals the limit.
    async fn prune(&self, request: PruneRequest) -> Result<u64>;

    /// Stores whole records of another store as they are, each with a new number in the order of
    /// the request, above [`ImportRequest::after`] and above all numbers that this store ever gave.
    ///
    /// Only an absent id is stored. A record in any state keeps its id, so a repeated batch is
    /// answered as taken and changes nothing. A record past its purge time is not stored. All
    /// fields are kept, the revision, the epoch and the times included; a life that is claimed
    /// after that has a higher epoch than any before. Nothing is decided and no job follows.
    /// Subscribers to [`Interest::Wake`] get a hint if a job came to wait.
    ///
    /// Each record is stored whole or not at all. Dropping the future may leave some of them
    /// stored: send the batch again.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::import`], and `Invalid` as [`ImportRequest::check`]
    /// says, a record that is being processed among others.
    async fn import(&self, _request: ImportRequest) -> Result<Stamped<Vec<Imported>>> {
        Err(unsupported("import"))
    }

    /// Stops or resumes, for all workers, the claims of a queue, or of one kind in it; each pause
    /// stands by itself. Leases, settles and enqueues go on. In both cases subscribers to
    /// [`Interest::Wake`] get a hint: a worker that then claims learns of the pause, and gives back
    /// the jobs that it has not started. A worker without room for more jobs claims none: such a
    /// claim, with a limit of 0, answers the pause too. The last call counts, so a pause can be
    /// made longer or shorter. A pause with an end is over by store time, without a write or a
    /// hint: claims tell the end.
    ///
    /// Jobs of a paused kind wait, are listed and counted so, can be changed, and are claimed in
    /// their order once the pause is over. A claim sets those in its way aside, a
    /// [bounded](crate::PausedKind::SET_ASIDE_MAX) number, so that no claim meets them again, at
    /// least while the store is open; if there are more, `next_due` is now.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::pause`], and `Invalid` for
    /// [one kind too many](crate::PausedKind::check_room).
    async fn set_paused(&self, _queue: &QueueName, _kind: Option<&Kind>, _pause: Pause) -> Result<()> {
        Err(unsupported("set_paused"))
    }

    /// Sets or takes away limits of a queue, in one step; the other limits stay.
    ///
    /// Raising a limit works from this step on, without a restart. Lowering one ends no lease: the
    /// partition gives no job until enough of its leases have ended. Subscribers to
    /// [`Interest::Wake`] get a hint.
    ///
    /// # Errors
    /// `Unsupported` unless [`Limits::partitions`](crate::Limits::partitions), and `Invalid` as
    /// [`Limit::check`] and [`Limit::check_room`] say.
    async fn set_limits(&self, _queue: &QueueName, _limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        Err(unsupported("set_limits"))
    }

    /// The limits of a queue, in the order of their scopes; at most [`Limit::SCOPES_MAX`].
    ///
    /// # Errors
    /// `Unsupported` unless [`Limits::partitions`](crate::Limits::partitions).
    async fn limits(&self, _queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        Err(unsupported("limits"))
    }

    /// One page of the partitions of a queue, in the order of the bytes of their keys. A partition
    /// is there while a job of it waits or is leased, or while it has a limit of its own.
    ///
    /// # Errors
    /// `Unsupported` unless [`Limits::partitions`](crate::Limits::partitions).
    async fn partitions(&self, _query: PartitionQuery) -> Result<PartitionPage> {
        Err(unsupported("partitions"))
    }

    /// Subscribes to hints at changes. Hints may be lost, repeated or late, so a caller that
    /// depends on a change must also read at intervals.
    ///
    /// The stream is registered when this method answers, so a change made afterwards is hinted at.
    /// The default stream never has a hint, which costs speed, but not correctness.
    ///
    /// A subscription must be cheap, since every call that waits for a result has one: a store that
    /// needs a connection for hints holds one for each handle, and distributes the hints from there
    /// (for example with the `Hub` of `queue-store`). Dropping the stream leaves nothing behind.
    async fn subscribe(&self, _queue: &QueueName, _interest: Interest) -> Result<EventStream> {
        Ok(Box::pin(futures_util::stream::pending()))
    }

    /// Lists a worker in [`workers`](Self::workers) for the time `ttl`, and answers its duty. A
    /// `ttl` of zero retires the worker, and is answered with [`Work`](Duty::Work).
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::presence`]; `Invalid` as [`WorkerInfo::check`] says.
    async fn announce(&self, _worker: WorkerInfo, _ttl: Duration) -> Result<Duty> {
        Err(unsupported("announce"))
    }

    /// Asks a worker to drain, to pause or to work. The duty is shown with the worker, and each of
    /// its announcements is answered with it, until the worker is retired or its announcement
    /// expires; a worker that announces itself again after that is not asked. Asking twice has the
    /// effect of asking once, and a worker that drains cannot be asked for anything else: see
    /// [`Duty::then`]. Answers the duty that the worker has then; `None` if there is no such
    /// worker.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::presence`].
    async fn set_duty(&self, _worker: &WorkerId, _duty: Duty) -> Result<Option<Duty>> {
        Err(unsupported("set_duty"))
    }

    /// The workers that announced themselves and have not expired.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::presence`].
    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        Err(unsupported("workers"))
    }

    /// Keeps an entry of a series for the time `ttl`, in place of one with the same key. A `ttl` of
    /// zero removes the entry. Entries belong to no queue, and nothing counts them.
    ///
    /// An expired entry is absent for [`read_series`](Self::read_series), and is removed by a later
    /// write: each write removes at most [`SeriesEntry::SWEPT_MAX`] of them.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::series`], and `Invalid` as [`SeriesEntry::check`] says.
    async fn write_series(&self, _entry: SeriesEntry, _ttl: Duration) -> Result<()> {
        Err(unsupported("write_series"))
    }

    /// One page of the entries of a series that have not expired.
    ///
    /// # Errors
    /// `Unsupported` unless [`Capabilities::series`].
    async fn read_series(&self, _query: SeriesQuery) -> Result<Stamped<SeriesPage>> {
        Err(unsupported("read_series"))
    }

    /// Checks every index against the records, and answers the inconsistencies as text.
    ///
    /// # Errors
    /// `Unsupported` by default. For tests and operators: it may read everything.
    async fn verify(&self) -> Result<Vec<String>> {
        Err(unsupported("verify"))
    }

    /// Looks at what may go wrong with this store in particular (its file, its server, its
    /// settings), and answers one finding for each check, good or bad, each with another code. What
    /// any store can have is not looked at here.
    ///
    /// It writes nothing. What it reads is bounded and does not grow with the number of jobs. A
    /// check that cannot be made is a finding too, and no error. The default answers nothing.
    async fn diagnose(&self) -> Result<Vec<Finding>> {
        Ok(Vec::new())
    }

    /// Finishes the calls that were begun and releases the resources of this handle; other handles
    /// stay open. Later calls answer `Closed`. Closing twice is allowed.
    async fn close(&self) -> Result<()>;
}
