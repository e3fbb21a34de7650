//! Reads a page of the queues that fit a filter, in bounded reads of the listing of a store.

use super::{QueueFilter, QueueStatus, QueuesPage, QueuesQuery, name_range::NameRange};

/// The most reads for one page.
const READS_MAX: usize = 128;
/// Up to so many names without a star are read one by one; more are looked for in pages.
const NAMES_APART_MAX: usize = 8;

/// A page of the queues that fit a filter, as far as it has been read.
///
/// A read looks at no more than its range's share of the names that may still be looked at, so that
/// a long list of names that are far from each other is read to its end.
#[derive(Debug)]
pub(super) struct FilteredQueues<'a> {
    filter: &'a QueueFilter,
    ranges: Vec<NameRange>,
    limit: usize,
    found: Vec<QueueStatus>,
    /// Where the next read begins; `None` once no queue behind can fit.
    next: Option<String>,
    names_left: usize,
    reads_left: usize,
}

impl<'a> FilteredQueues<'a> {
    /// The first queues from this text on, at most `limit`.
    pub(super) fn new(filter: &'a QueueFilter, start: &str, limit: usize) -> Self {
        let mut page = Self {
            filter,
            ranges: filter.ranges(),
            limit: limit.max(1),
            found: Vec::new(),
            next: None,
            names_left: QueueFilter::LOOKED_AT_MAX,
            reads_left: READS_MAX,
        };
        page.go_on_at(start.to_owned());
        page
    }

    /// What to read next; `None` once the page is done.
    pub(super) fn next_read(&self) -> Option<QueuesQuery> {
        let is_full = self.found.len() >= self.limit;
        let may_look = self.names_left > 0 && self.reads_left > 0;
        let start = self.next.as_ref().filter(|_| may_look && !is_full)?;
        let missing = self.limit - self.found.len();
        let limit = match self.ranges.as_slice() {
            [range, ..] if range.is_exact && self.ranges.len() <= NAMES_APART_MAX => 1,
            // Mostly the first read fills the page.
            _ if self.reads_left == READS_MAX => missing.min(self.share()),
            _ => self.share(),
        };
        Some(QueuesQuery::starting(start.clone(), limit))
    }

    /// Takes what was read.
    pub(super) fn take(&mut self, page: QueuesPage) {
        self.reads_left = self.reads_left.saturating_sub(1);
        self.names_left = self.names_left.saturating_sub(page.queues.len());
        let mut behind = page.next.map(|next| next.start().to_owned());
        for status in page.queues {
            if self.found.len() >= self.limit {
                break;
            }
            if self.filter.matches(&status.name) {
                self.found.push(status);
            }
        }
        if let Some(last) = self.found.last().filter(|_| self.found.len() >= self.limit) {
            behind = Some(QueuesQuery::after(&last.name, 1).start().to_owned());
        }
        match behind {
            Some(behind) => self.go_on_at(behind),
            None => self.next = None,
        }
    }

    pub(super) fn page(self) -> QueuesPage {
        let limit = self.limit;
        QueuesPage { queues: self.found, next: self.next.map(|start| QueuesQuery::starting(start, limit)) }
    }

    /// How many names the next read may look at.
    fn share(&self) -> usize {
        self.names_left / self.ranges.len()
    }

    /// Goes on at this text, or at the range behind it.
    fn go_on_at(&mut self, text: String) {
        let passed = self.ranges.partition_point(|range| range.is_before(&text));
        self.ranges.drain(..passed);
        self.next = self.ranges.first().map(|range| text.max(range.start.clone()));
    }
}
