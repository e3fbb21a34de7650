//! The contract of a durable job queue: what a job is, what may happen to it, and what a store must
//! do.
//!
//! Delivery is at least once. At any moment a job has at most one live lease, a worker that has
//! lost its lease can change nothing, and no acknowledged job is lost.
//!
//! Read it in this order:
//! 1. [`NewJob`], [`JobMeta`], [`State`]: the job;
//! 2. [`lifecycle::decide`]: the state machine, one pure function;
//! 3. [`Storage`]: the verbs of a store, and [`StorageExt`] for calls that are built from them;
//! 4. [`StorageLayer`]: a layer in front of any store;
//! 5. [`asking`]: when a caller that waits asks the store again;
//! 6. [`series`]: what workers count by the minute and by the hour, encoded and merged;
//! 7. [`wire`]: the byte form of what crosses a boundary.
//!
//! The crate has, on purpose, no runtime, no serialization format and no driver. Parts that stores
//! share are in the crate `queue-store`.
//!
//! ```
//! use queue_core::{ContentType, JobId, Kind, NewJob, Payload};
//!
//! let payload = Payload::new(&b"{\"to\":\"ada@example.org\"}"[..], ContentType::from_static("application/json"));
//! let job = NewJob::new(JobId::new("welcome-ada")?, Kind::from_static("email"), payload);
//! assert_eq!(job.terms.max_attempts.as_raw(), 25);
//! # Ok::<(), queue_core::Error>(())
//! ```

pub mod asking;
mod error;
mod job;
pub mod lifecycle;
mod limits;
mod names;
mod random;
mod retry;
pub mod series;
mod storage;
mod time;
pub mod wire;

pub use error::{Certainty, Error, ErrorKind, Result};
pub use job::*;
pub use limits::{Limits, payload_bytes};
pub use names::{
    ContentType, InvalidName, JobId, JobKind, Kind, NAME_BYTES_MAX, NamesKind, Partition, QueueGlob,
    QueueName, ReservedQueue, SeriesName, WorkerId,
};
pub use random::{IdSource, Rng, SeededRng, SystemRng, TimeOrderedIds};
pub use retry::{Exponential, RetryPolicy};
pub use storage::*;
pub use time::{Clock, ClockBound, ClockLeap, ManualClock, Moment, Span, StoreTime, SystemClock, Timestamp};
