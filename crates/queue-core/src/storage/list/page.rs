use super::Cursor;
use crate::{JobMeta, Moment, Timestamp};

/// One page of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The jobs found.
    pub jobs: Vec<JobMeta>,
    /// Where to go on; `None` at the end. A page may be empty and yet not be the last.
    pub next: Option<Cursor>,
    /// How many jobs it stepped through to find these.
    pub looked_at: u64,
    /// The store's time.
    pub now: Timestamp,
    /// What its clock says.
    pub clock: Timestamp,
}

impl Page {
    /// Nothing to see, and nothing looked at.
    pub const fn empty(moment: Moment) -> Self {
        Self { jobs: Vec::new(), next: None, looked_at: 0, now: moment.now, clock: moment.clock }
    }
}
