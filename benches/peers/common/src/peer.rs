//! What a peer has to offer to be measured.

use std::fmt;
use std::ops::Range;

use anyhow::Result;

use crate::setup::{Profile, Setup};

/// A queue on an empty store. One task calls it; producers are called by many.
pub trait Peer: Sized + Send + Sync + 'static {
    type Producer: Producer;

    /// Opens the store. The driver has emptied it, so a peer only makes its tables.
    fn open(setup: &Setup) -> impl Future<Output = Result<Self>>;

    /// One more producer. It may share the connection of the others where the library does so.
    fn producer(&self) -> Self::Producer;

    /// Starts one worker, on connections of its own where the library allows it, and returns once
    /// it runs. Its handler calls [`handled`](crate::handled) and returns the number of the job.
    fn start_worker(&self, profile: Profile) -> impl Future<Output = Result<()>>;

    /// How many jobs the store shows as not finished. A job that its worker holds is not finished.
    fn unfinished(&self) -> impl Future<Output = Result<u64>>;

    /// The settings of a profile in words, and what an acknowledged job survives if that is less
    /// than others of the same store promise.
    fn settings(&self, profile: Profile) -> String;
}

/// One that enqueues jobs. What a library does not offer keeps its default body.
pub trait Producer: Send + 'static {
    /// Stores one job and returns once the library says that it is stored.
    fn enqueue(&mut self, n: u64) -> impl Future<Output = Result<()>> + Send;

    /// Stores many jobs by one call of the library.
    fn enqueue_many(&mut self, numbers: Range<u64>) -> impl Future<Output = Result<()>> + Send {
        drop(numbers);
        async { Err(NotOffered.into()) }
    }

    /// Stores one job, and waits for its result.
    fn call(&mut self, n: u64) -> impl Future<Output = Result<()>> + Send {
        let _ = n;
        async { Err(NotOffered.into()) }
    }
}

/// The library has no such operation.
#[derive(Clone, Copy, Debug)]
pub struct NotOffered;

impl fmt::Display for NotOffered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not offered")
    }
}

impl std::error::Error for NotOffered {}
