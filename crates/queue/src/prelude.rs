//! What most programs use: `use queue::prelude::*`.

pub use crate::{
    Change, Delivery, Enqueued, ErrorKind, Failure, Id, JobId, JobOptions, Keep, Nack, OnFailed, OnRunning,
    Outcome, Queue, Settled, State, Status, Storage, WaitError, WaitOptions, open,
};
