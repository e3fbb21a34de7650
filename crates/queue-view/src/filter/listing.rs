//! The jobs that a filter means, page by page.

use super::JobFilter;
use queue_core::{Cursor, ListFilter, ListQuery, Page, QueueName, Result, Storage, Walk};

/// The jobs of a queue that a filter means, in an order; see [`JobFilter::listing`].
#[derive(Clone, Debug)]
pub struct JobListing {
    filter: JobFilter,
    query: ListQuery,
}

impl JobListing {
    pub(super) fn new(filter: JobFilter, queue: QueueName, walk: Walk) -> Self {
        let mut matching = filter.list_filter();
        // What the index has by itself need not be compared.
        match &walk {
            Walk::State(..) | Walk::Due | Walk::Scheduled | Walk::Gated | Walk::Lapsed => {
                matching.states.clear();
            }
            Walk::Tagged(..) => matching.tag = None,
            Walk::All(_) | Walk::Held { .. } => {}
        }
        Self { filter, query: ListQuery::new(queue, walk, 0).matching(matching) }
    }

    /// The filter.
    pub const fn filter(&self) -> &JobFilter {
        &self.filter
    }

    /// The index that the store walks, which sets the order.
    pub const fn walk(&self) -> &Walk {
        &self.query.walk
    }

    /// What the store compares with the jobs of the index.
    pub const fn list_filter(&self) -> &ListFilter {
        &self.query.filter
    }

    /// The order in words, as a page of people says it.
    pub const fn order_words(&self) -> &'static str {
        match self.query.walk {
            Walk::Due => "in the order in which workers get them",
            Walk::Scheduled => "in the order in which they fall due",
            Walk::Gated => "those whose time-out comes first come first",
            Walk::Lapsed => "those whose lease ended first come first",
            _ if self.query.walk.is_reversed() => "newest first",
            _ => "oldest first",
        }
    }

    /// Reads one page of at most `limit` jobs behind the page that ended with `after`. A page may
    /// be empty and still not be the last: its [`next`](Page::next) says so.
    ///
    /// # Errors
    /// The errors of [`Storage::list`], such as `Invalid` for a cursor of another listing.
    pub async fn page(&self, store: &dyn Storage, after: Option<Cursor>, limit: usize) -> Result<Page> {
        let mut page = store.list(ListQuery { after, limit, ..self.query.clone() }).await?;
        // The store has compared all parts but one: it knows states, which time divides further.
        let now = page.now;
        page.jobs.retain(|job| self.filter.stands(job, now));
        Ok(page)
    }
}
