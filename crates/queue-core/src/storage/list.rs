use crate::{Error, JobMeta, Kind, LeaseToken, QueueName, Result, State, Timestamp, WorkerId};

/// A request for metadata of many jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListQuery {
    /// Of which queue.
    pub queue: QueueName,
    /// Which jobs.
    pub filter: ListFilter,
    /// Where the last page ended.
    pub after: Option<Cursor>,
    /// A page has at most this many jobs; a store may stop earlier, to bound its scan.
    pub limit: usize,
}

/// Which jobs to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListFilter {
    /// Those that match every part that is given, in the order of their `seq`.
    Match {
        /// Any of these states; empty means all.
        states: Vec<State>,
        /// Held by this worker.
        worker: Option<WorkerId>,
        /// Of this kind.
        kind: Option<Kind>,
    },
    /// Those whose lease has lapsed, the longest lapsed first. Always answered from an index.
    Lapsed,
    /// Those leased under this token, lapsed or not, in the order of their `seq`: what came of a claim whose answer was
    /// lost. Only who made the claim knows the token, and no page shows it.
    Held {
        /// The token of the claim.
        token: LeaseToken,
    },
}

/// One page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The jobs found.
    pub jobs: Vec<JobMeta>,
    /// Where to go on; `None` at the end. A page may be empty and yet not be the last.
    pub next: Option<Cursor>,
    /// The store's time.
    pub now: Timestamp,
    /// What its clock says.
    pub clock: Timestamp,
}

/// A place in a listing: opaque to callers, made and read by one store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// Where a page ended, as a store keeps it in its cursors. What they hold besides says whose they are.
///
/// ```
/// use queue_core::{Cursor, ErrorKind, PageEnd, Timestamp};
///
/// let end = PageEnd { expires_at: Timestamp::from_millis(5), seq: 7 };
/// let cursor = end.cursor("here");
/// assert_eq!(PageEnd::parse(Some(&cursor), "here")?, end);
/// assert_eq!(PageEnd::parse(None, "here")?, PageEnd::START);
/// assert_eq!(PageEnd::parse(Some(&cursor), "elsewhere").unwrap_err().kind(), ErrorKind::Invalid);
/// # Ok::<(), queue_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageEnd {
    /// In a listing of lapsed leases, the lapse of the last job.
    pub expires_at: Timestamp,
    /// The number of the last job, whatever the store counts by. Always below 2^63, so that there is a next one.
    pub seq: u64,
}

impl PageEnd {
    /// Before everything.
    pub const START: Self = Self { expires_at: Timestamp::from_millis(i64::MIN), seq: 0 };

    /// Where a query begins.
    ///
    /// # Errors
    /// `Invalid` for a cursor that the store of this name did not make.
    pub fn parse(cursor: Option<&Cursor>, store: &str) -> Result<Self> {
        let Some(Cursor(text)) = cursor else { return Ok(Self::START) };
        let parsed = text.strip_prefix(store).and_then(|rest| {
            let (expires_at, seq) = rest.strip_prefix(':')?.split_once(':')?;
            let seq = u64::try_from(seq.parse::<i64>().ok()?).ok()?;
            Some(Self { expires_at: Timestamp::from_millis(expires_at.parse().ok()?), seq })
        });
        parsed.ok_or_else(|| Error::invalid("list", "the cursor is not one of this store"))
    }

    /// As the store of this name gives it to callers.
    pub fn cursor(self, store: &str) -> Cursor {
        Cursor(format!("{store}:{}:{}", self.expires_at.as_millis(), self.seq))
    }
}

impl ListQuery {
    /// The first page of every job.
    pub fn all(queue: QueueName, limit: usize) -> Self {
        Self::in_states(queue, Vec::new(), limit)
    }

    /// The first page of jobs in any of the states.
    pub fn in_states(queue: QueueName, states: Vec<State>, limit: usize) -> Self {
        Self { queue, filter: ListFilter::in_states(states), after: None, limit }
    }

    /// The first page of what a claim leased and still holds.
    pub fn held(queue: QueueName, token: LeaseToken, limit: usize) -> Self {
        Self { queue, filter: ListFilter::Held { token }, after: None, limit }
    }

    /// The first page of lapsed leases.
    pub fn lapsed(queue: QueueName, limit: usize) -> Self {
        Self { queue, filter: ListFilter::Lapsed, after: None, limit }
    }
}

impl ListFilter {
    /// Every job.
    pub fn all() -> Self {
        Self::in_states([])
    }

    /// Jobs in any of the states.
    pub fn in_states(states: impl IntoIterator<Item = State>) -> Self {
        Self::Match { states: states.into_iter().collect(), worker: None, kind: None }
    }

    /// Whether a job belongs to the listing, for stores that scan.
    /// `held` is the token of its lease.
    pub fn matches(&self, job: &JobMeta, held: Option<LeaseToken>, now: Timestamp) -> bool {
        match self {
            Self::Lapsed => job.is_lapsed(now),
            Self::Held { token } => held == Some(*token),
            Self::Match { states, worker, kind } => {
                !job.is_purged(now)
                    && (states.is_empty() || states.contains(&job.state))
                    && worker
                        .as_ref()
                        .is_none_or(|w| job.lease.as_ref().is_some_and(|lease| lease.worker == *w))
                    && kind.as_ref().is_none_or(|kind| job.kind == *kind)
            }
        }
    }
}
