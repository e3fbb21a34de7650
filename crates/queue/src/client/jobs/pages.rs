//! Reads a listing page by page.

use queue_core::{Cursor, Page, Result, Storage};
use queue_view::JobListing;

/// The most jobs on a page that is read for a stream, a count or a change.
const PAGE_MAX: usize = 500;

/// A listing that is read page by page.
#[derive(Debug)]
pub(super) struct Pages {
    pub(super) listing: JobListing,
    /// The most jobs on a page.
    page_max: usize,
    /// Where the next page begins.
    after: Option<Cursor>,
    /// How many jobs may still come.
    left: Option<usize>,
    is_over: bool,
}

impl Pages {
    pub(super) fn new(listing: JobListing, after: Option<Cursor>, limit: Option<usize>) -> Self {
        Self { listing, page_max: PAGE_MAX, after, left: limit, is_over: false }
    }

    /// The same with at most so many jobs on a page.
    pub(super) fn of_at_most(self, jobs: usize) -> Self {
        Self { page_max: self.page_max.min(jobs), ..self }
    }

    /// The next page; `None` at the end. After an error the same page is read again.
    pub(super) async fn next(&mut self, storage: &dyn Storage) -> Result<Option<Page>> {
        if self.is_over {
            return Ok(None);
        }
        let limit = self.left.map_or(self.page_max, |left| left.min(self.page_max));
        let page = self.listing.page(storage, self.after.clone(), limit).await?;
        self.left = self.left.map(|left| left.saturating_sub(page.jobs.len()));
        self.is_over = page.next.is_none() || self.left == Some(0);
        self.after.clone_from(&page.next);
        Ok(Some(page))
    }
}
