//! The cursor between two pages of a listing.

use super::ListQuery;
use crate::{Error, Result, Timestamp};

/// A position in a listing: opaque to callers, made and read by one store for one listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// The end of a page, as a store keeps it in its cursors: the position in the [`Walk`](crate::Walk)
/// of the last job that was looked at. Jobs behind it that do not move are found by the next page,
/// however many others move meanwhile.
///
/// A cursor also contains the name of its store and a hash of its listing.
///
/// ```
/// use queue_core::{ErrorKind, ListQuery, PageEnd, QueueName, Timestamp};
///
/// let mut query = ListQuery::lapsed(QueueName::new("q")?, 10);
/// assert_eq!(PageEnd::parse(&query, "here")?, None);
/// let end = PageEnd { at: Timestamp::from_millis(5), priority: -1, seq: 7 };
/// query.after = Some(end.cursor(&query, "here"));
/// assert_eq!(PageEnd::parse(&query, "here")?, Some(end));
/// assert_eq!(PageEnd::parse(&query, "elsewhere").unwrap_err().kind(), ErrorKind::Invalid);
///
/// let other = ListQuery { queue: QueueName::new("r")?, ..query };
/// assert_eq!(PageEnd::parse(&other, "here").unwrap_err().kind(), ErrorKind::Invalid);
/// # Ok::<(), queue_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageEnd {
    /// The time by which the walk is ordered.
    pub at: Timestamp,
    /// The priority, if the walk is ordered by priority first.
    pub priority: i16,
    /// The `seq` of the job. Always below 2^63, so that there is a next one.
    pub seq: u64,
}

impl PageEnd {
    /// The position behind which a query goes on; `None` at its beginning.
    ///
    /// # Errors
    /// `Invalid` for a cursor that the store of this name did not make, or made for another
    /// listing. The limit may differ.
    pub fn parse(query: &ListQuery, store: &str) -> Result<Option<Self>> {
        let Some(Cursor(text)) = &query.after else { return Ok(None) };
        let (place, listing) =
            read(text, store).ok_or_else(|| Error::invalid("list", "the cursor is not one of this store"))?;
        if listing == query.fingerprint() {
            Ok(Some(place))
        } else {
            Err(Error::invalid("list", "the cursor is one of another listing; begin without one"))
        }
    }

    /// The cursor that the store of this name gives to callers.
    pub fn cursor(self, query: &ListQuery, store: &str) -> Cursor {
        let Self { at, priority, seq } = self;
        Cursor(format!("{store}:{:016x}:{}:{priority}:{seq}", query.fingerprint(), at.as_millis()))
    }

    /// The order of a walk from its oldest end: by priority, time and `seq`.
    pub fn order(self, other: Self) -> std::cmp::Ordering {
        let key = |end: Self| (end.priority, end.at, end.seq);
        key(self).cmp(&key(other))
    }
}

/// The position, and the hash of the listing.
fn read(text: &str, store: &str) -> Option<(PageEnd, u64)> {
    let mut parts = text.strip_prefix(store)?.strip_prefix(':')?.split(':');
    let listing = parts.next().filter(|part| part.len() == 16)?;
    let listing = u64::from_str_radix(listing, 16).ok()?;
    let at = Timestamp::from_millis(parts.next()?.parse().ok()?);
    let priority = parts.next()?.parse().ok()?;
    let seq = u64::try_from(parts.next()?.parse::<i64>().ok()?).ok()?;
    parts.next().is_none().then_some((PageEnd { at, priority, seq }, listing))
}

#[cfg(test)]
mod tests {
    use super::{Cursor, PageEnd};
    use crate::{
        Direction, Kind, LeaseToken, ListFilter, ListQuery, Partition, QueueName, State, Tag, Timestamp,
        Walk, WorkerId,
    };
    use std::collections::BTreeSet;

    fn queries() -> Vec<ListQuery> {
        let tag = |text| Tag::new(text).expect("a valid tag");
        let walks = [
            Walk::All(Direction::OldestFirst),
            Walk::All(Direction::NewestFirst),
            Walk::State(State::Failed, Direction::NewestFirst),
            Walk::State(State::Failing, Direction::NewestFirst),
            Walk::Due,
            Walk::Scheduled,
            Walk::Gated,
            Walk::Tagged(tag("a"), Direction::OldestFirst),
            Walk::Tagged(tag("b"), Direction::OldestFirst),
            Walk::Lapsed,
            Walk::Held { token: LeaseToken::from_bytes([1; 16]) },
            Walk::Held { token: LeaseToken::from_bytes([2; 16]) },
        ];
        let time = Timestamp::from_millis;
        let filters = [
            ListFilter::default(),
            ListFilter::in_states([State::Failed]),
            ListFilter::in_states([State::Failed, State::Queued]),
            ListFilter { kind: Some(Kind::from_static("a")), ..ListFilter::default() },
            ListFilter { worker: Some(WorkerId::from_static("a")), ..ListFilter::default() },
            ListFilter { tag: Some(tag("a")), ..ListFilter::default() },
            ListFilter { partition: Some(Partition::from_static("a")), ..ListFilter::default() },
            ListFilter { id_prefix: Some("a".to_owned()), ..ListFilter::default() },
            ListFilter { entered: Some(time(0)..time(1)), ..ListFilter::default() },
            ListFilter { entered: Some(time(0)..time(2)), ..ListFilter::default() },
        ];
        let queues = [QueueName::from_static("q"), QueueName::from_static("r")];
        let mut queries = Vec::new();
        for queue in queues {
            for walk in &walks {
                for filter in &filters {
                    queries.push(ListQuery::new(queue.clone(), walk.clone(), 10).matching(filter.clone()));
                }
            }
        }
        queries
    }

    #[test]
    fn a_cursor_is_of_one_listing_and_of_no_other() {
        let prints: BTreeSet<u64> = queries().iter().map(ListQuery::fingerprint).collect();
        assert_eq!(prints.len(), queries().len(), "every listing has its own");
        let end = PageEnd { at: Timestamp::from_millis(-5), priority: i16::MIN, seq: i64::MAX as u64 };
        for (made_for, asked) in queries().into_iter().zip(queries().into_iter().skip(1)) {
            let after = Some(end.cursor(&made_for, "here"));
            let same = ListQuery { after: after.clone(), limit: 99, ..made_for };
            assert_eq!(PageEnd::parse(&same, "here").expect("its own"), Some(end));
            assert!(PageEnd::parse(&ListQuery { after, ..asked }, "here").is_err());
        }
    }

    #[test]
    fn nothing_else_is_a_cursor() {
        let query = ListQuery::all(QueueName::from_static("q"), 10);
        let whole = PageEnd { at: Timestamp::default(), priority: 0, seq: 1 }.cursor(&query, "here").0;
        let foreign = [
            String::new(),
            "here".to_owned(),
            "here:".to_owned(),
            format!("{whole}:1"),
            whole.replacen("here", "there", 1),
            whole.rsplit_once(':').expect("it has parts").0.to_owned(),
            format!("{whole}9999999999999999999"),
            whole.replace(":1", ":-1"),
            whole.replacen("here:", "here:+", 1),
        ];
        for text in foreign {
            let query = ListQuery { after: Some(Cursor(text.clone())), ..query.clone() };
            assert!(PageEnd::parse(&query, "here").is_err(), "{text:?}");
        }
    }
}
