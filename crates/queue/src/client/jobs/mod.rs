//! Lists, counts and changes many jobs of a queue at once.

mod bulk;
mod invalid_listing;
mod pages;

pub use bulk::BulkChange;
pub use invalid_listing::InvalidListing;

use crate::{Queue, Status, client::Shared};
use futures_util::{Stream, StreamExt, stream};
use pages::Pages;
use queue_core::{
    Cursor, Direction, InvalidName, Kind, Page, Partition, Result, State, Tag, Timestamp, WorkerId,
};
use queue_view::{JobFilter, Standing};
use std::{collections::VecDeque, sync::Arc};

/// The number of jobs on a page if no limit is set.
const PAGE: usize = 100;

/// A selection of the jobs of a queue; [`Queue::jobs`] begins with all of them.
///
/// The selection decides which index the store walks, and so the order and the cost:
/// [`JobFilter::listing`](queue_view::JobFilter::listing) has the table. The cost does not depend
/// on other queues.
///
#[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
#[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
/// use futures_util::TryStreamExt;
/// use queue::{JobOptions, prelude::*};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
/// let emails: Queue<String> = Queue::new(open("memory:").await?, "emails")?;
/// let options = JobOptions::new().tag("tenant-7");
/// emails.enqueue_many([("a", "welcome".to_owned()), ("b", "goodbye".to_owned())], options).await?;
///
/// let page = emails.jobs().tag("tenant-7").newest_first().limit(1).page().await?;
/// assert_eq!(page.jobs[0].id.as_str(), "b");
/// let all: Vec<_> = emails.jobs().queued().all().try_collect().await?;
/// assert_eq!(all.len(), 2);
/// let cancelled = emails.jobs().tag("tenant-7").id_prefix("a").cancel_all().await?;
/// assert_eq!((cancelled.done, cancelled.skipped, cancelled.failed), (1, 0, 0));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Jobs {
    shared: Arc<Shared>,
    filter: JobFilter,
    order: Option<Direction>,
    invalid: Option<InvalidName>,
    after: Option<Cursor>,
    limit: Option<usize>,
}

/// How many jobs a selection has, and how many were read to count them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobCount {
    /// How many jobs the selection has.
    pub jobs: u64,
    /// How many jobs were read.
    pub looked_at: u64,
}

impl<P, R> Queue<P, R> {
    /// All jobs of this queue. Narrow the selection down, and then list, count or change its jobs.
    pub fn jobs(&self) -> Jobs {
        Jobs {
            shared: self.shared.clone(),
            filter: JobFilter::default(),
            order: None,
            invalid: None,
            after: None,
            limit: None,
        }
    }
}

impl Jobs {
    /// Selects the jobs of a filter, in place of what was selected before.
    pub fn filter(mut self, filter: JobFilter) -> Self {
        self.filter = filter;
        self
    }

    /// Selects jobs that stand so, or in any way that is added by a further call.
    pub fn standing(mut self, standing: Standing) -> Self {
        self.filter.states.push(standing);
        self
    }

    /// Selects jobs in this state, or in any state that is added by a further call.
    pub fn in_state(self, state: State) -> Self {
        self.standing(state.into())
    }

    /// Selects jobs that wait for their first run, or were given back, due or not.
    pub fn queued(self) -> Self {
        self.in_state(State::Queued)
    }

    /// Selects jobs that run.
    pub fn processing(self) -> Self {
        self.in_state(State::Processing)
    }

    /// Selects jobs that failed or stalled and will run again.
    pub fn failing(self) -> Self {
        self.in_state(State::Failing)
    }

    /// Selects jobs that are Completed.
    pub fn completed(self) -> Self {
        self.in_state(State::Completed)
    }

    /// Selects jobs that failed for good.
    pub fn failed(self) -> Self {
        self.in_state(State::Failed)
    }

    /// Selects jobs that were cancelled or expired.
    pub fn cancelled(self) -> Self {
        self.in_state(State::Cancelled)
    }

    /// Selects jobs that could be claimed now. Alone they come in the order of claims.
    pub fn due(self) -> Self {
        self.standing(Standing::Due)
    }

    /// Selects jobs that wait for their due time. Alone they come in its order.
    pub fn scheduled(self) -> Self {
        self.standing(Standing::Scheduled)
    }

    /// Selects jobs of this kind.
    pub fn kind(mut self, kind: impl AsRef<str>) -> Self {
        self.filter.kind = self.checked(Kind::new(kind));
        self
    }

    /// Selects jobs with this [tag](crate::JobOptions::tag).
    pub fn tag(mut self, tag: impl AsRef<str>) -> Self {
        self.filter.tag = self.checked(Tag::new(tag));
        self
    }

    /// Selects jobs that this worker holds.
    pub fn worker(mut self, worker: impl AsRef<str>) -> Self {
        self.filter.worker = self.checked(WorkerId::new(worker));
        self
    }

    /// Selects jobs of this [partition](crate::JobOptions::partition).
    pub fn partition(mut self, partition: impl AsRef<str>) -> Self {
        self.filter.partition = self.checked(Partition::new(partition));
        self
    }

    /// Selects jobs whose id begins with this text.
    pub fn id_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.filter.id_prefix = Some(prefix.into());
        self
    }

    /// Selects jobs that [came into their state](queue_core::JobMeta::entered_at) at this store
    /// time or later.
    pub fn since(mut self, time: Timestamp) -> Self {
        self.filter.since = Some(time);
        self
    }

    /// Selects jobs that [came into their state](queue_core::JobMeta::entered_at) before this store
    /// time.
    pub fn until(mut self, time: Timestamp) -> Self {
        self.filter.until = Some(time);
        self
    }

    /// Begins with the newest jobs. By default the oldest come first.
    pub fn newest_first(mut self) -> Self {
        self.order = Some(Direction::NewestFirst);
        self
    }

    /// Sets the most jobs of a [page](Self::page), of [all](Self::all), of a count or of a change.
    /// By default a page has at most a hundred, and the others have no limit.
    pub fn limit(mut self, jobs: usize) -> Self {
        self.limit = Some(jobs);
        self
    }

    /// Begins behind a page: pass [`Page::next`] of the same listing.
    pub fn after(mut self, cursor: Option<Cursor>) -> Self {
        self.after = cursor;
        self
    }

    /// Checks the selection, as every call does.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn validate(&self) -> Result<(), InvalidListing> {
        self.pages().map(drop)
    }

    /// Reads one page. A page may be empty and still not be the last: go on [after](Self::after)
    /// its [`next`](Page::next) until that is `None`.
    ///
    /// # Errors
    /// [`InvalidListing`], and `Invalid` for a cursor of another listing or store.
    pub async fn page(&self) -> Result<Page> {
        let listing = self.pages()?.listing;
        listing.page(&*self.shared.storage, self.after.clone(), self.limit.unwrap_or(PAGE)).await
    }

    /// Reads all selected jobs, page by page as the stream is polled. A job that changes meanwhile
    /// is shown as it was when its page was read, and a job that is stored meanwhile may be left
    /// out.
    ///
    /// # Errors
    /// The errors of [`page`](Self::page), as an item of the stream; the next item reads the same
    /// page again.
    pub fn all(&self) -> impl Stream<Item = Result<Status>> + Send + use<> {
        let begin = (self.shared.clone(), Some(self.pages()), VecDeque::new());
        stream::unfold(begin, |(shared, mut pages, mut rest)| async move {
            loop {
                if let Some(status) = rest.pop_front() {
                    return Some((Ok(status), (shared, pages, rest)));
                }
                let read = match pages.as_mut()? {
                    Ok(pages) => pages.next(&*shared.storage).await,
                    Err(invalid) => return Some((Err(invalid.clone().into()), (shared, None, rest))),
                };
                match read {
                    Ok(Some(Page { jobs, now, .. })) => {
                        rest.extend(jobs.into_iter().map(|meta| Status { meta, now }));
                    }
                    Ok(None) => return None,
                    Err(error) => return Some((Err(error), (shared, pages, rest))),
                }
            }
        })
        .fuse() // asking once more at the end is answered, not a panic
    }

    /// Counts the selected jobs, by reading each job that the store steps through.
    /// [`Queue::counts`] is the cheap way to count the jobs in a state.
    ///
    /// # Errors
    /// The errors of [`page`](Self::page).
    pub async fn count(&self) -> Result<JobCount> {
        let mut pages = self.pages()?;
        let mut count = JobCount::default();
        while let Some(page) = pages.next(&*self.shared.storage).await? {
            count.jobs += page.jobs.len() as u64;
            count.looked_at += page.looked_at;
        }
        Ok(count)
    }

    fn pages(&self) -> Result<Pages, InvalidListing> {
        if self.limit == Some(0) {
            return Err(InvalidListing::NoLimit);
        }
        if let Some(invalid) = &self.invalid {
            return Err(invalid.clone().into());
        }
        let listing = self.filter.listing(self.shared.name.clone(), self.order)?;
        Ok(Pages::new(listing, self.after.clone(), self.limit))
    }

    fn checked<T>(&mut self, name: Result<T, InvalidName>) -> Option<T> {
        name.map_err(|invalid| self.invalid = Some(invalid)).ok()
    }
}
