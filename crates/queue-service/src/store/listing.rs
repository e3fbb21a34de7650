//! A page of a listing as a call: the index and the filter as the service takes them.

use super::{
    call_error::unreadable,
    job_json::{JobJson, at},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use queue_core::{Cursor, Direction, ListFilter, ListQuery, Page, Result, Walk};
use serde::Deserialize;

/// A page of jobs.
#[derive(Debug, Deserialize)]
pub(super) struct PageJson {
    now_ms: i64,
    jobs: Vec<JobJson>,
    next: Option<String>,
    looked_at: u64,
}

impl PageJson {
    /// The page as a store would answer it.
    ///
    /// # Errors
    /// `Invalid` and `Corrupt` for a job that no service of this version writes.
    pub(super) fn page(self) -> Result<Page> {
        let now = at(self.now_ms);
        Ok(Page {
            jobs: self.jobs.iter().map(JobJson::meta).collect::<Result<_>>()?,
            next: self.next.map(Cursor),
            looked_at: self.looked_at,
            now,
            clock: now,
        })
    }
}

/// The parameters of a page of at most `limit` jobs. The service chooses the index by the filter,
/// by the same rules as the [`JobFilter`](queue_view::JobFilter) that made the query.
///
/// # Errors
/// `Corrupt` for an index that only a store has.
pub(super) fn parameters(query: &ListQuery, limit: usize) -> Result<String> {
    let ListFilter { states, kind, worker, tag, partition, id_prefix, entered } = &query.filter;
    let mut pairs: Vec<(&str, String)> = vec![("limit", query.limit.min(limit).to_string())];
    let states = states.iter().map(|state| state.as_str());
    pairs.extend(states.map(|state| ("state", state.to_owned())));
    match &query.walk {
        Walk::All(direction) => pairs.push(order(*direction)),
        Walk::State(state, direction) => {
            pairs.extend([("state", state.as_str().to_owned()), order(*direction)]);
        }
        Walk::Tagged(tag, direction) => pairs.extend([("tag", tag.to_string()), order(*direction)]),
        Walk::Due => pairs.push(("state", "due".to_owned())),
        Walk::Scheduled => pairs.push(("state", "scheduled".to_owned())),
        Walk::Gated => pairs.push(("state", "gated".to_owned())),
        Walk::Lapsed => pairs.push(("state", "lapsed".to_owned())),
        Walk::Held { .. } => return Err(unreadable("list", "no jobs by the token of their claim")),
    }
    pairs.extend(kind.as_ref().map(|kind| ("kind", kind.to_string())));
    pairs.extend(tag.as_ref().map(|tag| ("tag", tag.to_string())));
    pairs.extend(worker.as_ref().map(|worker| ("worker", worker.to_string())));
    pairs.extend(partition.as_ref().map(|partition| ("partition", partition.to_string())));
    pairs.extend(id_prefix.as_ref().map(|prefix| ("id_prefix", prefix.clone())));
    if let Some(entered) = entered {
        let since = Some(entered.start.as_millis()).filter(|millis| *millis != i64::MIN);
        let until = Some(entered.end.as_millis()).filter(|millis| *millis != i64::MAX);
        pairs.extend(since.map(|millis| ("since_ms", millis.to_string())));
        pairs.extend(until.map(|millis| ("until_ms", millis.to_string())));
    }
    pairs.extend(query.after.as_ref().map(|Cursor(after)| ("after", after.clone())));
    let written = pairs.iter().map(|(name, value)| format!("{name}={}", escaped(value)));
    Ok(written.collect::<Vec<_>>().join("&"))
}

fn order(direction: Direction) -> (&'static str, String) {
    let word = match direction {
        Direction::OldestFirst => "oldest",
        Direction::NewestFirst => "newest",
    };
    ("order", word.to_owned())
}

/// A text as a part of a path or of a query.
pub(super) fn escaped(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use percent_encoding::percent_decode_str;
    use queue_core::QueueName;
    use queue_view::{JobFilter, Standing};

    /// What the service reads from the parameters: the filter, and the order.
    fn read(parameters: &str) -> (JobFilter, Option<Direction>) {
        let mut parts = Vec::new();
        let mut order = None;
        for pair in parameters.split('&') {
            let (name, value) = pair.split_once('=').unwrap();
            let value = percent_decode_str(value).decode_utf8().unwrap().into_owned();
            match (name, value.as_str()) {
                ("limit", "7") => {}
                ("order", "newest") => order = Some(Direction::NewestFirst),
                ("order", _) => order = Some(Direction::OldestFirst),
                _ => parts.push((name.to_owned(), value)),
            }
        }
        let parts = parts.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        (JobFilter::from_parts(parts).unwrap(), order)
    }

    #[test]
    fn the_service_walks_the_index_that_the_caller_meant_and_compares_the_same() {
        let queue = QueueName::new("q").unwrap();
        let texts: [&[(&str, &str)]; 12] = [
            &[],
            &[("state", "failed")],
            &[("state", "queued"), ("state", "failing")],
            &[("state", "due")],
            &[("state", "scheduled")],
            &[("state", "gated")],
            &[("state", "lapsed")],
            &[("state", "completed"), ("tag", "a b&c=d"), ("kind", "k")],
            &[("state", "failed"), ("tag", "t"), ("since_ms", "5")],
            &[("worker", "w"), ("id_prefix", "ä/")],
            &[("since_ms", "5"), ("until_ms", "9")],
            &[("until_ms", "9"), ("state", "cancelled")],
        ];
        for parts in texts {
            let filter = JobFilter::from_parts(parts.iter().copied()).unwrap();
            let listing = filter.newest_first(queue.clone()).unwrap();
            let query = ListQuery::new(queue.clone(), listing.walk().clone(), 7);
            let asked = parameters(&query.matching(listing.list_filter().clone()), 1_000).unwrap();
            let (read, order) = read(&asked);
            let again = read.listing(queue.clone(), order).unwrap();
            assert_eq!(again.walk(), listing.walk(), "{parts:?} {asked}");
            assert_eq!(again.list_filter(), listing.list_filter(), "{parts:?} {asked}");
        }
        assert!(Standing::ALL.len() == 11, "a new standing may need an index of its own here");
    }
}
