use crate::{Change, Queue, Status};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use queue_core::{ContentType, Cursor, ListFilter, ListQuery, Prune, PruneRequest, Result};
use std::collections::VecDeque;

/// Records read or removed by one call.
const PAGE_MAX: usize = 500;
/// Changes in flight at once, so that the store can write them together.
const IN_FLIGHT_MAX: usize = 64;

/// Where a listing stands.
struct Listing {
    rest: VecDeque<Status>,
    after: Option<Cursor>,
    is_last: bool,
}

impl<P, R> Queue<P, R> {
    /// Every job that the filter finds, oldest first, read page by page as the stream is polled: a job that changes
    /// meanwhile is shown as it was when its page was read, and one that is stored meanwhile may be left out.
    ///
    /// ```
    /// # #[cfg(all(feature = "memory", feature = "json"))] {
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(async {
    /// use futures_util::TryStreamExt;
    /// use queue::{JobOptions, ListFilter, Queue};
    ///
    /// let emails: Queue<String> = Queue::new(queue::open("memory:").await?, "emails")?;
    /// let jobs = [("a", "welcome".to_owned()), ("b", "goodbye".to_owned())];
    /// emails.enqueue_many(jobs, JobOptions::new()).await?;
    /// let all: Vec<_> = emails.list_all(ListFilter::all()).try_collect().await?;
    /// assert_eq!(all.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).expect("lists");
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`list`](Self::list), as an item; what follows goes on from the same page.
    pub fn list_all(&self, filter: ListFilter) -> impl Stream<Item = Result<Status>> + Send + use<P, R> {
        let shared = self.shared.clone();
        let begin = Listing { rest: VecDeque::new(), after: None, is_last: false };
        stream::unfold(begin, move |mut listing| {
            let (shared, filter) = (shared.clone(), filter.clone());
            async move {
                loop {
                    if let Some(status) = listing.rest.pop_front() {
                        return Some((Ok(status), listing));
                    }
                    if listing.is_last {
                        return None;
                    }
                    let (queue, after) = (shared.name.clone(), listing.after.clone());
                    let query = ListQuery { queue, filter: filter.clone(), after, limit: PAGE_MAX };
                    match shared.storage.list(query).await {
                        Ok(page) => listing = Listing::of(page),
                        Err(error) => return Some((Err(error), listing)),
                    }
                }
            }
        })
        .fuse() // asking once more at the end is answered, not a panic
    }

    /// Makes every Failed or Cancelled job that the filter finds run again, as [`redrive`](Self::redrive) does, and
    /// answers how many. Jobs are met once, by age, so one that fails again meanwhile is left.
    ///
    /// # Errors
    /// Of the first call that fails; what was redriven before stays so, as it does if the future is dropped.
    pub async fn redrive_all(&self, filter: ListFilter) -> Result<u64> {
        self.redrive_each(filter, None).await
    }

    /// The same as [`redrive_as`](Self::redrive_as) does: the filter must find no job whose payload is encoded otherwise.
    ///
    /// # Errors
    /// As [`redrive_all`](Self::redrive_all).
    pub async fn redrive_all_as(&self, filter: ListFilter, content_type: ContentType) -> Result<u64> {
        self.redrive_each(filter, Some(content_type)).await
    }

    async fn redrive_each(&self, filter: ListFilter, content_type: Option<ContentType>) -> Result<u64> {
        let redrive = async |status: Status| self.redrive_with(&status.meta.id, content_type.clone()).await;
        let redrives = self.list_all(filter).map_ok(redrive);
        let answers = redrives.try_buffer_unordered(IN_FLIGHT_MAX);
        answers.try_fold(0, async |count, answer| Ok(count + u64::from(answer == Change::Done))).await
    }

    /// Removes every record that is meant, and answers how many. Workers remove what is past its purge time by
    /// themselves.
    ///
    /// # Errors
    /// Of the first call that fails; what was removed before stays so, as it does if the future is dropped.
    pub async fn prune_all(&self, what: Prune) -> Result<u64> {
        let mut removed = 0;
        loop {
            let queue = self.shared.name.clone();
            let request = PruneRequest { queue, what, limit: PAGE_MAX };
            let now = self.shared.storage.prune(request).await?;
            removed += now;
            if now < PAGE_MAX as u64 {
                return Ok(removed);
            }
        }
    }
}

impl Listing {
    fn of(page: queue_core::Page) -> Self {
        let now = page.now;
        let rest = page.jobs.into_iter().map(|meta| Status { meta, now }).collect();
        Self { rest, is_last: page.next.is_none(), after: page.next }
    }
}
