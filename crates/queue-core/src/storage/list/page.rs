//! One page of a listing.

use super::Cursor;
use crate::{JobMeta, Moment, Timestamp};

/// One page of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The jobs that match.
    pub jobs: Vec<JobMeta>,
    /// The cursor of the next page; `None` at the end. A page may be empty and still not be the
    /// last.
    pub next: Option<Cursor>,
    /// How many jobs the page stepped through.
    pub looked_at: u64,
    /// The store's time.
    pub now: Timestamp,
    /// The reading of the store's clock.
    pub clock: Timestamp,
}

impl Page {
    /// A page without jobs that stepped through none.
    pub const fn empty(moment: Moment) -> Self {
        Self { jobs: Vec::new(), next: None, looked_at: 0, now: moment.now, clock: moment.clock }
    }
}
