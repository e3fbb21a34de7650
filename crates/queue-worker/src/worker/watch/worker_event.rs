//! What happens in a worker.

use super::JobEnd;
use queue_core::{Error, Failure, JobId, JobMeta, QueueName, Seq};
use queue_schedule::Ahead;

/// Something that happened in a worker. Each settle is reported once, after the store has it.
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
    /// The job is Cancelled: somebody asked for that while it ran, or it could not start in time.
    /// In the latter case its meta names [`Reason::Expired`](queue_core::Reason::Expired), and no
    /// handler ran.
    Cancelled(JobEnd),
    /// Somebody's lease lapsed and this worker noticed; the state says what follows.
    Stalled(JobMeta),
    /// What a handler here did no longer counts: another worker holds the job, or the job is gone.
    LeaseLost {
        /// Of which queue.
        queue: QueueName,
        /// Which job.
        id: JobId,
        /// Which life of it.
        seq: Seq,
    },
    /// A settle was given up: the store would not take it, or had not taken it by the shutdown
    /// deadline. The job runs again once its lease lapses, unless the store has the settle after
    /// all.
    Abandoned {
        /// Of which queue.
        queue: QueueName,
        /// Which job.
        id: JobId,
        /// Which life of it.
        seq: Seq,
    },
    /// A settle was sent again, since no answer to it had come, and the store has it now. The event
    /// that tells the end of the job follows.
    Replayed {
        /// Of which queue.
        queue: QueueName,
        /// Which job.
        id: JobId,
        /// Which life of it.
        seq: Seq,
    },
    /// A schedule left ticks out, as its policy for missed and overlapping ones says. The event may
    /// come twice if the store was away just then.
    TicksSkipped {
        /// The schedule's job at its claim.
        schedule: JobMeta,
        /// How many, at least: counting ends at a thousand.
        ticks: usize,
    },
    /// The progress of a schedule lay ahead of the store's clock by more than a clock that is right
    /// can have left: a clock was ahead when it was stored, or is behind now. The first such event
    /// of a schedule says so. After an hour in which the clock has said the same, the schedule is
    /// set back to it, with another.
    ScheduleAhead {
        /// The schedule's job at its claim.
        schedule: JobMeta,
        /// How far ahead it lay, and whether it is set back.
        ahead: Ahead,
    },
    /// A job of the library's own, such as a schedule, was put back: this build or this machine
    /// cannot read it, and another may. It is offered again
    /// [after a while](queue_core::UnreadableWaits), and each time here the event comes again; the
    /// log has it once for each job.
    Unreadable {
        /// The job at its claim.
        job: JobMeta,
        /// Why it cannot be read.
        reason: String,
    },
    /// A hook failed, so it changed nothing.
    HookFailed {
        /// The job at its claim.
        job: JobMeta,
        /// What the hook calls itself.
        hook: String,
        /// Where.
        stage: HookStage,
        /// What went wrong, bounded and masked as a stored failure.
        failure: Failure,
    },
    /// Somebody [asked](queue_core::Storage::set_duty) this worker to drain. It stops in steps, as
    /// it does on a signal.
    Draining,
    /// Somebody paused this worker. It claims and starts nothing, finishes what it runs, gives back
    /// the jobs that it holds ready, and stays until it is resumed, asked to drain or stopped.
    Paused,
    /// Somebody resumed this worker, or the store has forgotten the pause with the announcement of
    /// the worker. It claims again.
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
