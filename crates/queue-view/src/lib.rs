//! What people and programs see of a queue, in one place: the command, `queue top`, the service,
//! the dashboard and operations all draw what stands here.
//!
//! Invariants kept here: a question, such as which jobs are scheduled, has one answer in every
//! face.
//!
//! Absent on purpose: HTTP, a terminal, templates, a store of its own.

mod across;
mod batches;
mod change;
mod failures;
mod filter;
mod health;
mod job;
mod operations;
mod partitions;
mod queues;
mod schedules;
pub mod words;
mod work;
mod workers;

pub use across::{JobsAcross, QUEUES_READ_MAX, QueuesToRead};
pub use batches::{
    BatchCallbackView, BatchDetailsView, BatchErrorView, BatchView, OldestMemberView, RetryingView,
    UnreadableBatchView,
};
pub use change::{ChangeOutcome, ChangedJob, ChangedJobs, change_jobs};
pub use failures::{FAILURES_LOOKED_AT_MAX, FailureGroup, FailureGroups};
pub use filter::{InvalidFilter, JobFilter, JobListing, Standing, UnknownStanding};
pub use health::{Concern, Grade, HealthGroup, HealthPoint, QueueHealth, headline};
pub use job::{
    AttemptView, BudgetView, DataView, ErrorView, JSON_DEPTH_MAX, JobBodyView, JobDetails, JobFact,
    JobPauses, JobReading, JobStep, JobView, JsonFlaw, KeepView, KeepWord, PauseView, PausedPart, SentData,
    SlotWait, SlotWaitView, TermsView, TimelineEntry, Unlimited, Waiting, WholeJob, attempts_words, json_of,
    option_facts, standing_words,
};
pub use operations::{OperationView, UnreadableOperationView};
pub use partitions::{
    LimitView, LimitsView, PARTITIONS_LOOKED_AT_MAX, PartitionOrder, PartitionView, Partitions,
    PartitionsToRead, UnknownPartitionOrder, scope_word,
};
pub use queues::{KindPauseView, QueueView};
pub use schedules::{ScheduleView, ScheduledJobView, UnreadableScheduleView};
pub use work::{KindCountsView, SeriesReading, SlotCountsView, WorkCountsView, WorkReading, WorkView};
pub use workers::{
    AboutWorker, CurrentJob, LeftOutCounts, QueueWork, WorkerView, duty_word, is_library_worker, works_on,
};
