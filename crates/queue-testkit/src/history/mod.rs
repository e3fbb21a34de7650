//! Recorded runs of a store, and the checker that judges them.
//!
//! A run of several tasks cannot be checked step by step, since nobody knows in which order things
//! took effect. What can be known is written down instead: that a call began, and what it was
//! answered, or that nobody knows. A [`Recorder`] takes it down, a [`Recorded`] store feeds it, and
//! [`check`] reads the [`History`] afterwards. The idea, and the words invoke, ok, fail and info,
//! are those of Jepsen (Kyle Kingsbury, 2013).
//!
//! [`check_workload`] does all of it for a store: a seeded workload of producers, workers and
//! meddlers through a [`FaultStore`](crate::fault::FaultStore), the final drain, the reading of
//! every record, and the verdict.
//!
//! # What shows where
//! | invariant | shown by |
//! |---|---|
//! | I1, I9, I13 | presence: every read, refusal and acceptance, against all that may have ended the life |
//! | I2, I19 | payload digests, and the groups of enqueues whose outcome is unknown |
//! | I3, I4, I5, I6, I10 | revisions, epochs and tokens of one life, and real time |
//! | I7, I8 | counters of every record shown, and attempts from claim to claim |
//! | I11, I12, I24 | the store's time in every answer; claims that no other claim overlaps |
//! | I14 | events of [`Op::Wait`], which those who test waiting record, with [`Rules::wait_slack_ns`] |
//! | I15 | [`Op::Drain`] and the reads after it; a claim that finds nothing although a job is due |
//! | I16 | events of [`Op::Stall`], which a test records around a worker that it stops |
//! | I17 | the limit of each claim; handlers at once, with [`Rules::concurrency_max`] |
//! | I18 | [`Ask::tx`] with [`Op::Commit`] and [`Op::Rollback`] |
//! | I20 | one record at one revision, counts after the drain, and `verify` |
//! | I21 | [`Op::Reopen`] between what was acknowledged and what is shown |
//! | I22 | events of [`Op::Shutdown`], recorded by whoever shut a worker down |
//! | I23 | claims, or handler events where there are any, against what gave the job back |
//!
//! A workload of [`check_workload`] shows neither I14, I16 nor I18, since it waits for nothing,
//! stops nobody and has no transactions; and I21 only on stores that can be reopened. A [`Load`]
//! runs the same tasks, and some that wait, in real time while a test does harm to a server; with a
//! [`Tape`] each, the processes of a [`Herd`] record one history, and any of them may be killed.

mod answer;
mod answered;
mod ask;
mod asked;
mod cases;
mod check;
mod digest;
mod event;
mod herd;
mod lines;
mod recorded;
mod recorder;
mod stopwatch;
mod tape;
mod tapes;
mod workload;

pub(crate) use cases::{CASES, WORKLOADS};

pub use answer::{Answer, RecordView};
pub use ask::{Ask, Effect, PruneKind, Status};
pub use check::{Rules, Violation, check};
pub use event::{Event, Op, Phase};
pub use herd::Herd;
pub use lines::History;
pub use recorded::Recorded;
pub use recorder::{OpenCall, Recorder};
pub use tape::{Tape, Taped};
pub use tapes::Tapes;
pub use workload::{Faults, Load, LoadParams, Params, WorkloadReport, check_workload};
