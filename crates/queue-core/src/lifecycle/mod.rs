//! The state machine of a job, as pure functions: no I/O, no clock, no runtime.
//!
//! [`decide`] turns a job as it was read and an [`Event`] into a [`Transition`]: the life that it
//! changes, a [`Guard`] that must still hold, and a [`Patch`]. A store compares and patches in one
//! atomic step. It contains no code about retries, budgets or cancellation, so that stores cannot
//! come to behave differently.
//!
//! Stores that have a record in their own process while they change it share [`apply`], [`admit`]
//! and [`lease`]. Stores that compare on a server express the same rules in its language, and are
//! tested against these functions.
//!
//! ```text
//!              claim                Complete
//!   Queued  ----------> Processing ----------> Completed
//!     ^  \                | |  \                         Redrive
//!     |   \ Cancel,       | |   \ budget spent         .---------.
//!     |    v Expire       | |    `--------> Failed -----         |
//!     |   Cancelled <-----' |                          |         v
//!     |     |    Expire, or | Fail, Lapse,             `-----> Queued
//!     |     |    Cancel was | Release, Interrupt, Snooze
//!     |     |    requested  |
//!     |     '---- Redrive   v
//!     '--------------- Failing (has failed or stalled before)
//! ```

mod admit;
mod amendment;
mod apply;
mod changes;
mod decide;
mod event;
mod gate;
mod guard;
mod lease;
mod partition_front;
mod patch;
mod policy;
mod tracked_job;
mod transition;
mod turn;
mod turn_place;
mod withdrawal;

pub use admit::{Admission, admit};
pub use amendment::Amendment;
pub use apply::{Verdict, apply};
pub use decide::{RESERVED_KIND_WAIT, Rejected, decide};
pub use event::{Cause, Event, OnProcessing, Settle};
pub use gate::{Addressed, CloseGate, Received, Signals, Slips, address, fold, look, raise, receive};
pub use guard::{Flags, Guard, Lapse, Proof};
pub use lease::lease;
pub use partition_front::PartitionFront;
pub use patch::{Amend, BodyPatch, Finish, Patch, Purge, Requeue, RunAt};
pub use policy::{Policy, Unhandled};
pub use tracked_job::{LastSettle, TrackedJob};
pub use transition::Transition;
pub use turn::Turn;
pub use turn_place::{Opening, TurnPlace};
pub use withdrawal::Withdrawal;
