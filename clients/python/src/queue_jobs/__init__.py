"""Enqueue jobs and work on them through `queue serve`.

    from queue_jobs import Queue, Worker

    queue = Queue("http://127.0.0.1:8080", "mail")
    queue.enqueue("email", {"to": "ada@example.org"}, id="welcome-42")
    Worker(queue, {"email": lambda job: print(job.payload["to"])}).run()
"""

from ._async_queue import AsyncQueue
from ._batches import AsyncBatch, AsyncBatches, Batch, Batches, Callback, OpeningBatch
from ._errors import (
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    QueueError,
    ServiceFault,
    TooMany,
    Unauthorized,
    Unavailable,
    Unsupported,
)
from ._events import WorkerEvent
from ._job import BatchOfJob, ClaimedJob, Complete, Fail, Snooze, Stopped, current_job
from ._json import Json
from ._limits import Limit, PartitionPage, QueueLimits
from ._model import (
    Cancelled,
    Changed,
    Completed,
    Data,
    Enqueued,
    Expired,
    Failed,
    FailureGroup,
    Job,
    JobError,
    JobOptions,
    JobPage,
    Outcome,
    PauseState,
    Pending,
    Superseded,
    Unknown,
)
from ._queue import Queue
from ._results import JobCancelled, JobFailed, JobMissing, JobPending, NoResult
from ._schedules import AsyncSchedules, Schedules
from ._tasks import AsyncTask, Task
from ._worker import Worker, run_workers

__all__ = [
    "AsyncBatch",
    "AsyncBatches",
    "AsyncQueue",
    "AsyncSchedules",
    "AsyncTask",
    "Batch",
    "BatchOfJob",
    "Batches",
    "Callback",
    "Cancelled",
    "Changed",
    "ClaimedJob",
    "Complete",
    "Completed",
    "Conflict",
    "Data",
    "Enqueued",
    "Expired",
    "Fail",
    "Failed",
    "FailureGroup",
    "Forbidden",
    "InvalidRequest",
    "Job",
    "JobCancelled",
    "JobError",
    "JobFailed",
    "JobMissing",
    "JobOptions",
    "JobPage",
    "JobPending",
    "Json",
    "Limit",
    "NoResult",
    "NotFound",
    "OpeningBatch",
    "Outcome",
    "PartitionPage",
    "PauseState",
    "Pending",
    "Queue",
    "QueueError",
    "QueueLimits",
    "Schedules",
    "ServiceFault",
    "Snooze",
    "Stopped",
    "Superseded",
    "Task",
    "TooMany",
    "Unauthorized",
    "Unavailable",
    "Unknown",
    "Unsupported",
    "Worker",
    "WorkerEvent",
    "current_job",
    "run_workers",
]
