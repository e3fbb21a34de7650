//! Reads a listing page by page.

use queue_core::{ListQuery, Page, QueueName, Result, Storage};

/// The most jobs on a page that is read for a stream, a count or a change.
pub(super) const PAGE_MAX: usize = 500;

/// A listing that is read page by page.
#[derive(Debug)]
pub(super) struct Pages {
    /// The next page.
    pub(super) query: ListQuery,
    /// How many jobs may still come.
    left: Option<usize>,
    is_over: bool,
}

impl Pages {
    pub(super) fn new(query: ListQuery, limit: Option<usize>) -> Self {
        Self { query, left: limit, is_over: false }
    }

    /// A listing that is at its end.
    pub(super) fn none() -> Self {
        let query = ListQuery::all(QueueName::from_static("none"), 0);
        Self { query, left: None, is_over: true }
    }

    /// The next page; `None` at the end. After an error the same page is read again.
    pub(super) async fn next(&mut self, storage: &(impl Storage + ?Sized)) -> Result<Option<Page>> {
        if self.is_over {
            return Ok(None);
        }
        let limit = self.left.map_or(self.query.limit, |left| left.min(self.query.limit));
        let page = storage.list(ListQuery { limit, ..self.query.clone() }).await?;
        self.left = self.left.map(|left| left.saturating_sub(page.jobs.len()));
        self.is_over = page.next.is_none() || self.left == Some(0);
        self.query.after.clone_from(&page.next);
        Ok(Some(page))
    }
}
