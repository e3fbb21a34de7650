//! The request for one page of a listing.

use super::{Cursor, Direction, ListFilter, Page, PageEnd, Walk};
use crate::{JobMeta, LeaseToken, Moment, QueueName, Result, State, Timestamp, lifecycle::TrackedJob};

/// A request for metadata of many jobs of one queue, a page at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListQuery {
    /// The queue of the jobs.
    pub queue: QueueName,
    /// The index, which sets the order.
    pub walk: Walk,
    /// The jobs to show.
    pub filter: ListFilter,
    /// The cursor of the previous page; `None` for the first page.
    pub after: Option<Cursor>,
    /// The most jobs of a page; a store may stop earlier, to bound how many jobs it steps through.
    pub limit: usize,
}

impl ListQuery {
    /// The most jobs that a page steps through.
    pub const LOOKS_MAX: usize = 10_000;

    /// The first page of all jobs in an index.
    pub fn new(queue: QueueName, walk: Walk, limit: usize) -> Self {
        Self { queue, walk, filter: ListFilter::default(), after: None, limit }
    }

    /// The first page of every job, in the order of their enqueue.
    pub fn all(queue: QueueName, limit: usize) -> Self {
        Self::new(queue, Walk::All(Direction::OldestFirst), limit)
    }

    /// The first page of jobs in any of the states, in the order of their enqueue.
    pub fn in_states(queue: QueueName, states: Vec<State>, limit: usize) -> Self {
        Self::all(queue, limit).matching(ListFilter::in_states(states))
    }

    /// The first page of the jobs that a claim leased and still holds.
    pub fn held(queue: QueueName, token: LeaseToken, limit: usize) -> Self {
        Self::new(queue, Walk::Held { token }, limit)
    }

    /// The first page of lapsed leases.
    pub fn lapsed(queue: QueueName, limit: usize) -> Self {
        Self::new(queue, Walk::Lapsed, limit)
    }

    /// Shows only the jobs that match.
    #[must_use]
    pub fn matching(mut self, filter: ListFilter) -> Self {
        self.filter = filter;
        self
    }

    /// Whether a page steps through a job: the job is in the index and, in an index that is ordered
    /// by time, within the requested time. `held` is the token of its lease.
    pub fn steps_through(&self, job: &JobMeta, held: Option<LeaseToken>, now: Timestamp) -> bool {
        let bounds = self.filter.entered.as_ref().filter(|_| self.walk.is_by_time());
        self.walk.contains(job, held, now) && bounds.is_none_or(|entered| entered.contains(&job.entered_at()))
    }

    /// One page of the jobs of a queue, for stores that look at all jobs, and for tests of other
    /// stores. `store` names the store in its cursors.
    ///
    /// # Errors
    /// `Invalid` for a cursor of another store or another listing.
    pub fn page_of(
        &self,
        jobs: impl IntoIterator<Item = TrackedJob>,
        store: &str,
        moment: Moment,
    ) -> Result<Page> {
        let after = PageEnd::parse(self, store)?;
        let turned =
            |order: std::cmp::Ordering| if self.walk.is_reversed() { order.reverse() } else { order };
        let is_ahead = |place: PageEnd| after.is_none_or(|after| turned(place.order(after)).is_gt());
        let stands = jobs.into_iter().filter(|job| self.steps_through(&job.meta, job.token, moment.now));
        let mut ahead: Vec<(PageEnd, JobMeta)> = stands
            .map(|job| (self.walk.place_of(&job.meta), job.meta))
            .filter(|(place, _)| is_ahead(*place))
            .collect();
        ahead.sort_unstable_by(|one, other| turned(one.0.order(other.0)));
        let mut page = Page::empty(moment);
        let mut end = after;
        for (place, job) in ahead {
            // There is a further job, so the page has a next one, which begins behind the last job
            // looked at.
            if page.jobs.len() == self.limit || page.looked_at == Self::LOOKS_MAX as u64 {
                page.next = end.map(|end: PageEnd| end.cursor(self, store));
                return Ok(page);
            }
            page.looked_at += 1;
            end = Some(place);
            if self.filter.matches(&job) {
                page.jobs.push(job);
            }
        }
        Ok(page)
    }

    /// A hash of everything except the limit and the cursor, by which cursors of different listings
    /// differ. It is the same in every process, so that one process can go on from the page of
    /// another.
    pub(super) fn fingerprint(&self) -> u64 {
        // FNV-1a, by Glenn Fowler, Landon Curt Noll and Kiem-Phong Vo.
        let text = format!("{:?}", (&self.queue, self.walk_key(), &self.filter));
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
    }

    /// The index, with the token that `Debug` hides. The token is used only in the hash.
    fn walk_key(&self) -> (&Walk, Option<&[u8; 16]>) {
        match &self.walk {
            Walk::Held { token } => (&self.walk, Some(token.as_bytes())),
            walk => (walk, None),
        }
    }
}
