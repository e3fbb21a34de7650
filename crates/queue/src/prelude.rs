//! The items that most programs use: `use queue::prelude::*`.

#[cfg(feature = "worker")]
pub use crate::worker::{Context, JobError, Router, second_shutdown_signal, shutdown_signal};
pub use crate::{
    Change, Delivery, Enqueued, FailedJob, Failure, Id, JobKind, JobOptions, Keep, Nack, OnFailed,
    OnProcessing, Outcome, Queue, Settled, State, Status, WaitError, WaitOptions, open,
};
