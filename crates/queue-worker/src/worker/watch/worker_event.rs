//! What happens in a worker.

use super::JobEnd;
use queue_core::{Error, Failure, JobId, JobMeta, QueueName, Seq};
use queue_schedule::Ahead;
use std::time::Duration;

/// Something that happened in a worker. Each settle is reported once, after the store has it. Its
/// `Display` is one line of plain words.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WorkerEvent {
    /// A handler starts, after the hooks before it.
    Started(JobMeta),
    /// The job is Completed, or removed as its retention says.
    Completed(JobEnd),
    /// The attempt failed and another follows.
    Failing(JobEnd),
    /// The job is Failed, or removed as its retention says.
    Failed(JobEnd),
    /// The job was given back uncharged, now or for later.
    Released(JobEnd),
    /// The job is Cancelled: a cancel was requested while it ran, or it could not start in time. In
    /// the latter case its meta names [`Reason::Expired`](queue_core::Reason::Expired), and no
    /// handler ran.
    Cancelled(JobEnd),
    /// The lease of another worker lapsed and this worker ended it; the state says what follows.
    Stalled(JobMeta),
    /// What a handler here did no longer counts: another worker holds the job, or the job was
    /// removed.
    LeaseLost {
        /// Of which queue.
        queue: QueueName,
        /// Which job.
        id: JobId,
        /// Which life of it.
        seq: Seq,
    },
    /// A settle was given up: the store refused it, or had not taken it by the shutdown deadline,
    /// or a blocking handler still runs then. The job runs again once its lease lapses, unless the
    /// store has the settle after all.
    Abandoned {
        /// Of which queue.
        queue: QueueName,
        /// Which job.
        id: JobId,
        /// Which life of it.
        seq: Seq,
        /// How long the lease lasts, if a [blocking handler](crate::Router::handle_blocking) still
        /// runs, which nothing can stop. Its answer will not count.
        still_runs: Option<Duration>,
    },
    /// A settle was sent again, since no answer to it had come, and the store has it now. The event
    /// for the end of the job follows.
    Replayed {
        /// Of which queue.
        queue: QueueName,
        /// Which job.
        id: JobId,
        /// Which life of it.
        seq: Seq,
    },
    /// A schedule left ticks out, by its policies for missed and overlapping ones. The event may
    /// come twice if the store was away just then.
    TicksSkipped {
        /// The schedule's job at its claim.
        schedule: JobMeta,
        /// How many, at least: counting ends at a thousand.
        ticks: usize,
    },
    /// The progress of a schedule is further ahead of the store's clock than a clock that is right
    /// can have left it: a clock was ahead when it was stored, or is behind now. This event is
    /// emitted at the first look. If the clock still says the same an hour later, the schedule is
    /// set back to it, and the event is emitted again.
    ScheduleAhead {
        /// The schedule's job at its claim.
        schedule: JobMeta,
        /// How far ahead it lay, and whether it is set back.
        ahead: Ahead,
    },
    /// A job of the library's own, such as a schedule, was put back: this build or this machine
    /// cannot read it, and another may. It is offered again [after a
    /// while](queue_core::UnreadableWaits), and the event is emitted each time that this worker
    /// meets it; the log has it once for each job.
    Unreadable {
        /// The job at its claim.
        job: JobMeta,
        /// Why it cannot be read.
        reason: String,
    },
    /// A job that was to follow a settle was not enqueued, since the job that it was to
    /// [raise](queue_core::EndSignal::raises) takes no more: a member of a batch added another one
    /// after the batch had ended or was abandoned.
    FollowerOrphaned {
        /// Of which queue.
        queue: QueueName,
        /// The job that was settled.
        id: JobId,
        /// The job that was to follow.
        follower: JobId,
        /// The job that it was to raise.
        raises: JobId,
        /// The name of the batch, if that job is one.
        batch: Option<String>,
    },
    /// A hook failed, so it changed nothing.
    HookFailed {
        /// The job at its claim.
        job: JobMeta,
        /// The name of the hook.
        hook: String,
        /// Where.
        stage: HookStage,
        /// What went wrong, bounded and masked as a stored failure.
        failure: Failure,
    },
    /// No task of this worker ran for so long that leases lapsed which its heartbeats would have
    /// kept, and their jobs may run elsewhere too. Mostly a handler blocks the thread of its
    /// runtime: run it by [`Router::handle_blocking`](crate::Router::handle_blocking). It may also
    /// be other code of the program, or the process was stopped.
    RuntimeBlocked {
        /// How long, at least.
        blocked_for: Duration,
    },
    /// This worker was [asked](queue_core::Storage::set_duty) to drain. It stops in steps, as on a
    /// signal.
    Draining,
    /// This worker was paused. It claims and starts nothing, finishes what it runs, gives back the
    /// jobs that it holds ready, and stays until it is resumed, asked to drain or stopped.
    Paused,
    /// This worker was resumed, or the store has forgotten the pause with the announcement of the
    /// worker. It claims again.
    Resumed,
    /// The store refused something; the worker goes on.
    Error(Error),
    /// This many events were lost to this [stream](super::WorkerEvents), which was read too slowly.
    /// Only streams have it.
    Lagged(u64),
}

/// Where a hook stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HookStage {
    /// Before the handler.
    Before,
    /// After it.
    After,
}
