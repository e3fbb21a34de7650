//! Series: small blobs of bytes by slot and writer, which the store keeps for a while and does not
//! interpret.

use crate::{Error, Result, SeriesName, WorkerId};
use bytes::Bytes;

/// What one writer has to say about one slot of a series.
///
/// The series, the slot and the writer together are the key of the entry. An entry is absolute: one
/// that is written again replaces what its key had, so that a write which is sent twice has the
/// effect of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesEntry {
    /// The series.
    pub series: SeriesName,
    /// The place in the series; any number, such as that of a minute.
    pub slot: i64,
    /// The only one that writes entries under this name. Workers use a fresh name for each run.
    pub writer: WorkerId,
    /// At most [`BYTES_MAX`](Self::BYTES_MAX) bytes in the writer's own format. They may be empty.
    pub bytes: Bytes,
}

/// A request for entries of a series, in the order of their slots and, within one slot, of the
/// bytes of their writers' names.
///
/// ```
/// use queue_core::{SeriesName, SeriesQuery};
///
/// let query = SeriesQuery::new(SeriesName::from_static("load"), 10..20, 1_000_000);
/// assert_eq!(query.limit(), SeriesQuery::LIMIT_MAX);
/// assert_eq!((query.start(), query.end()), ((10, ""), 20));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesQuery {
    series: SeriesName,
    slot: i64,
    /// No writer of the first slot sorts before this text.
    writer: String,
    end: i64,
    limit: usize,
}

/// One page of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesPage {
    /// The entries found, in order.
    pub entries: Vec<SeriesEntry>,
    /// The query for the next page; `None` at the end. The page behind a full one may be empty.
    pub next: Option<SeriesQuery>,
}

/// A suffix that sorts behind a name and before every other name that begins with it, since names
/// have no control characters.
const JUST_BEHIND: char = '\u{1}';

impl SeriesEntry {
    /// Largest entry, in bytes.
    pub const BYTES_MAX: usize = 64 << 10;
    /// The most expired entries that one write removes.
    pub const SWEPT_MAX: usize = 100;

    /// Checks what a store must check before it writes the entry.
    ///
    /// # Errors
    /// `Invalid` if the entry has too many bytes.
    pub fn check(&self) -> Result<()> {
        let (len, max) = (self.bytes.len(), Self::BYTES_MAX);
        if len > max {
            let message = format!("an entry of a series has at most {max} bytes, this one has {len}");
            return Err(Error::invalid("write_series", message));
        }
        Ok(())
    }
}

impl SeriesQuery {
    /// The most entries of a page. A page of the largest entries has 16 MiB.
    pub const LIMIT_MAX: usize = 256;

    /// The first page of these slots, without the last of the range. A page has room for at least
    /// one entry, also with a limit of 0, and for at most [`LIMIT_MAX`](Self::LIMIT_MAX).
    pub fn new(series: SeriesName, slots: std::ops::Range<i64>, limit: usize) -> Self {
        let limit = limit.clamp(1, Self::LIMIT_MAX);
        Self { series, slot: slots.start, writer: String::new(), end: slots.end, limit }
    }

    /// The series.
    pub fn series(&self) -> &SeriesName {
        &self.series
    }

    /// Where the page begins: no entry of it sorts before this slot and this text, which need not
    /// be the name of a writer.
    pub fn start(&self) -> (i64, &str) {
        (self.slot, &self.writer)
    }

    /// The page ends before this slot.
    pub fn end(&self) -> i64 {
        self.end
    }

    /// The page has at most this many entries.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The page that consists of these entries, which are all from the start on, or as many as the
    /// limit.
    pub fn page(&self, entries: Vec<SeriesEntry>) -> SeriesPage {
        let last = entries.last().filter(|_| entries.len() >= self.limit);
        let next = last.map(|last| self.clone().behind(last.slot, &last.writer));
        SeriesPage { entries, next }
    }

    /// The same query, beginning just behind the entry of this slot and writer.
    #[must_use]
    pub fn behind(self, slot: i64, writer: &WorkerId) -> Self {
        Self { slot, writer: format!("{writer}{JUST_BEHIND}"), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn entry(slot: i64, writer: &'static str, len: usize) -> SeriesEntry {
        let series = SeriesName::from_static("a");
        SeriesEntry { series, slot, writer: WorkerId::from_static(writer), bytes: vec![0; len].into() }
    }

    #[test]
    fn an_entry_may_be_as_long_as_is_kept_and_not_a_byte_longer() {
        assert!(entry(1, "w", SeriesEntry::BYTES_MAX).check().is_ok());
        let refused = entry(1, "w", SeriesEntry::BYTES_MAX + 1).check().unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid);
    }

    #[test]
    fn the_next_page_begins_just_behind_the_last_writer() {
        let query = SeriesQuery::new(SeriesName::from_static("a"), 0..9, 2);
        assert_eq!(query.page(vec![entry(1, "w", 0)]).next, None);
        let next = query.page(vec![entry(1, "v", 0), entry(1, "w", 0)]).next.expect("it was full");
        assert!(next.start() > (1, "w") && next.start() < (1, "w "), "{next:?}");
        assert_eq!((next.end(), next.limit()), (9, 2));
    }
}
