//! Which statement lists a page, and between which keys.

use crate::{
    key::{SEQ_END, key},
    row::integer,
    sql,
};
use queue_core::{Kind, ListQuery, PageEnd, Seq, State, Timestamp, Walk};
use rusqlite::types::Value;

/// A bound after every seq.
const LAST: i64 = i64::MAX;

/// A range of an index: the statement that lists it, and its bounds.
#[derive(Debug)]
pub(super) struct IndexRange {
    pub(super) sql: &'static str,
    pub(super) bounds: Vec<Value>,
}

impl IndexRange {
    /// Of a walk that has an index in its order, from behind the place where the last page ended.
    /// `None` for the others.
    pub(super) fn of(query: &ListQuery, queue: i64, after: Option<PageEnd>, now: Timestamp) -> Option<Self> {
        let is_back = query.walk.is_reversed();
        let either = |ahead, back| if is_back { back } else { ahead };
        let (sql, bounds) = match &query.walk {
            Walk::All(_) | Walk::State(State::Queued | State::Completed, _) => {
                let [low, high] = by_seq(after, is_back).map(|seq| key(queue, Seq::new(seq)));
                (either(sql::LIST_JOBS, sql::LIST_JOBS_BACK), values([low, high]))
            }
            Walk::State(state @ (State::Failing | State::Failed | State::Cancelled), _) => {
                let [low, high] = by_time(query, after, is_back);
                let bounds = values([queue, state.as_code().into(), low.0, low.1, high.0, high.1]);
                (either(sql::LIST_FAILURES, sql::LIST_FAILURES_BACK), bounds)
            }
            Walk::Tagged(tag, _) => {
                let [low, high] = by_seq(after, is_back).map(|seq| Value::from(integer(seq)));
                let bounds = vec![queue.into(), tag.as_str().to_owned().into(), low, high];
                (either(sql::LIST_TAGGED, sql::LIST_TAGGED_BACK), bounds)
            }
            Walk::Due => (sql::LIST_READY, claim_order(queue, after)),
            Walk::Scheduled | Walk::Gated => {
                // A job whose time has come stays in this index until a claim moves it, and is not
                // listed there any more.
                let place = after.map(place).max(Some((now.as_millis(), LAST))).unwrap_or_default();
                let is_gated = query.walk == Walk::Gated;
                let sql = if is_gated { sql::LIST_GATED } else { sql::LIST_SCHEDULED };
                (sql, values([queue, place.0, place.1]))
            }
            Walk::Lapsed => {
                let place = after.map_or((i64::MIN, 0), place);
                (sql::LIST_LAPSED, values([queue, place.0, place.1, now.as_millis()]))
            }
            // No index has leases by the time of their claim or by token (ADR 0022, ADR 0040), so
            // these walks read all leases of the queue.
            Walk::State(State::Processing, _) | Walk::Held { .. } => return None,
        };
        Some(Self { sql, bounds })
    }

    /// The due jobs of partitions in claim order.
    pub(super) fn in_turn(queue: i64, after: Option<PageEnd>) -> Self {
        Self { sql: sql::LIST_PARTITION_DUE, bounds: claim_order(queue, after) }
    }

    /// The first of the jobs of a kind that were set aside, in claim order.
    pub(super) fn aside(queue: i64, after: Option<PageEnd>, limit: usize, kind: &Kind) -> Self {
        let mut bounds = claim_order(queue, after);
        bounds.extend([integer(limit as u64).into(), kind.as_str().to_owned().into()]);
        Self { sql: sql::LIST_ASIDE, bounds }
    }

    /// The first of the scheduled jobs whose time has come, and of the gated ones whose gate has
    /// timed out, in claim order.
    pub(super) fn came_due(queue: i64, after: Option<PageEnd>, now: Timestamp, limit: usize) -> [Self; 2] {
        [sql::LIST_CAME_DUE, sql::LIST_TIMED_OUT].map(|sql| {
            let mut bounds = claim_order(queue, after);
            bounds.extend([now.as_millis().into(), integer(limit as u64).into()]);
            Self { sql, bounds }
        })
    }
}

fn values<const N: usize>(bounds: [i64; N]) -> Vec<Value> {
    bounds.map(Value::from).into()
}

/// The queue, and a place in claim order.
fn claim_order(queue: i64, after: Option<PageEnd>) -> Vec<Value> {
    let place = after.map(|end| [queue, end.priority.into(), end.at.as_millis(), integer(end.seq)]);
    values(place.unwrap_or([queue, i64::MIN, 0, 0]))
}

fn place(end: PageEnd) -> (i64, i64) {
    (end.at.as_millis(), integer(end.seq))
}

/// The exclusive bounds of a page, as seqs.
fn by_seq(after: Option<PageEnd>, is_back: bool) -> [u64; 2] {
    match after {
        None => [0, SEQ_END],
        Some(after) if is_back => [0, after.seq],
        Some(after) => [after.seq, SEQ_END],
    }
}

/// The exclusive bounds of a page, as times and seqs. Seqs count up from one, so one below
/// zero is before all of a time.
fn by_time(query: &ListQuery, after: Option<PageEnd>, is_back: bool) -> [(i64, i64); 2] {
    let (mut low, mut high) = match &query.filter.entered {
        Some(entered) => ((entered.start.as_millis(), -1), (entered.end.as_millis(), -1)),
        None => ((i64::MIN, -1), (i64::MAX, LAST)),
    };
    match after.map(place) {
        Some(after) if is_back => high = high.min(after),
        Some(after) => low = low.max(after),
        None => {}
    }
    [low, high]
}
