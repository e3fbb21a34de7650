//! The whole state machine of a job, as pure functions: no I/O, no clock, no runtime.
//!
//! [`decide`] turns a job as it was seen and an [`Event`] into a [`Transition`]: which life it is
//! about, a [`Guard`] that must still hold, and a [`Patch`]. A store compares and patches in one
//! atomic step and knows nothing of retries, budgets or cancellation, so that stores cannot drift
//! apart.
//!
//! Stores that hold a record in the program's memory while they change it share [`apply`],
//! [`admit`] and [`lease`]; stores that compare on a server say the same in its language and are
//! tested against these.
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
mod apply;
mod changes;
mod decide;
mod event;
mod guard;
mod lease;
mod patch;
mod policy;
mod tracked_job;
mod transition;

pub use admit::{Admission, admit};
pub use apply::{Verdict, apply};
pub use decide::{RESERVED_KIND_WAIT, Rejected, decide};
pub use event::{Cause, Event, OnRunning, Settle};
pub use guard::{Flags, Guard, Lapse, Proof};
pub use lease::lease;
pub use patch::{BodyPatch, Finish, Patch, Purge, Requeue, RunAt};
pub use policy::{Policy, Unhandled};
pub use tracked_job::{LastSettle, TrackedJob};
pub use transition::Transition;
