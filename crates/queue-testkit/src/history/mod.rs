//! Recorded runs of a store, and the checker that judges them.
//!
//! A run of several tasks cannot be checked step by step, since the order in which calls took
//! effect is unknown. So what can be known is recorded: that a call began, and its answer, or that
//! its outcome is unknown. A [`Recorder`] keeps the record, a [`Recorded`] store feeds it, and
//! [`check`] judges the [`History`] afterwards. The method, and the terms invoke, ok, fail and
//! info, come from Jepsen (Kyle Kingsbury, 2013).
//!
//! [`check_workload`] does all of this for a store: it runs a seeded workload of producers, workers
//! and meddlers through a [`FaultStore`](crate::fault::FaultStore), drains the store, reads every
//! record, and judges.
//!
//! # What shows each invariant
//! | invariant | shown by |
//! |---|---|
//! | I1, I9, I13 | presence: every read, refusal and acceptance, compared with all that may have
//! ended the life |
//! | I2, I19 | payload digests, and the groups of enqueues whose outcome is unknown |
//! | I3, I4, I5, I6, I10 | revisions, epochs and tokens of one life, and real time |
//! | I7, I8 | counters of every record shown, and attempts from claim to claim |
//! | I11, I12, I24 | the store's time in every answer; claims that no other claim overlaps |
//! | I14 | events of [`Op::Wait`], recorded by tests of waiting, with [`Rules::wait_slack_ns`] |
//! | I15 | [`Op::Drain`] and the reads after it; a claim that finds nothing although a job is due |
//! | I16 | events of [`Op::Stall`], which a test records around a worker that it stops |
//! | I17 | the limit of each claim; handlers at once, with [`Rules::concurrency_max`] |
//! | I18 | [`Ask::tx`] with [`Op::Commit`] and [`Op::Rollback`] |
//! | I20 | one record at one revision, counts after the drain, and `verify` |
//! | I21 | [`Op::Reopen`] between what was acknowledged and what is shown |
//! | I22 | events of [`Op::Shutdown`], recorded by the test that shuts a worker down |
//! | I23 | claims, or handler events where there are any, against what gave the job back |
//! | I25 | answered claims of each partition, up to the first call that may end each lease, against
//! [`Op::SetLimits`]; the limited jobs that each claim asks for |
//! | I28 | the counts of each gate that is shown, and the ends of the lives whose records name it |
//! | I29 | what may have opened the gate of each claimed job; gates closed after the drain |
//!
//! On stores with partitions, a workload gives some jobs one, sets limits before its first claim
//! and changes one of them later, and its claims ask for few or all limited jobs.
//!
//! A workload of [`check_workload`] does not show I14, I16 or I18, since it never waits, stops no
//! worker and has no transactions; it shows I21 only on stores that can be reopened. A [`Load`]
//! runs the same tasks, and some that wait, in real time while a test injects faults into a server.
//! With one [`Tape`] each, the processes of a [`Herd`] record one history, and any of them may be
//! killed.

mod answer;
mod answered;
mod ask;
mod asked;
mod cases;
mod check;
mod digest;
mod event;
mod gates;
mod herd;
mod lines;
mod partitions;
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
pub use digest::of_payload as payload_digest;
pub use event::{Event, Op, Phase};
pub use gates::{Closing, GateTerms, GateView, SignalView};
pub use herd::Herd;
pub use lines::History;
pub use partitions::LimitView;
pub use recorded::Recorded;
pub use recorder::{OpenCall, Recorder};
pub use tape::{Tape, Taped};
pub use tapes::Tapes;
pub use workload::{Faults, Load, LoadParams, Params, WorkloadReport, check_workload};
