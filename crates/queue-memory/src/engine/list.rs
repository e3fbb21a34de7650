//! Reading a page of a listing.

use super::{Engine, packed_job::PackedJob, queue_state::QueueState};
use queue_core::{ListQuery, Moment, Page, PageEnd, Result, Seq, State, Timestamp, Walk};
use std::ops::Range;

/// The name of this store in its cursors.
const CURSORS: &str = "memory";

/// The lives of an index, in the order of a walk.
type Lives<'s> = Box<dyn Iterator<Item = Seq> + 's>;

impl Engine {
    /// One page of a listing.
    ///
    /// # Errors
    /// `Invalid` if the cursor is not one of this store and this listing.
    pub fn list(&mut self, query: &ListQuery, moment: Moment) -> Result<Page> {
        let after = PageEnd::parse(query, CURSORS)?;
        let mut page = Page::empty(moment);
        let Some(state) = self.queues.get_mut(&query.queue) else { return Ok(page) };
        // A job whose time has come is listed as due, and only the ready index has claim order.
        state.promote(moment.now);
        let state = &*state;
        let mut end = after;
        for seq in lives(state, query, after, moment.now) {
            if page.jobs.len() == query.limit || page.looked_at == ListQuery::LOOKS_MAX as u64 {
                page.next = end.map(|end| end.cursor(query, CURSORS));
                return Ok(page);
            }
            let Some(entry) = state.entries.get(&seq) else { continue };
            let meta = entry.meta();
            page.looked_at += 1;
            // The end moves on over jobs that the filter hides, or the next page would read them
            // again.
            end = Some(query.walk.place_of(&meta));
            if query.steps_through(&meta, entry.course().token, moment.now) && query.filter.matches(&meta) {
                page.jobs.push(meta);
            }
        }
        Ok(page)
    }
}

/// What a page steps through, from behind the place where the last one ended.
fn lives<'s>(state: &'s QueueState, query: &ListQuery, after: Option<PageEnd>, now: Timestamp) -> Lives<'s> {
    let indexes = &state.indexes;
    let is_reversed = query.walk.is_reversed();
    let seqs = seqs(after, is_reversed);
    match &query.walk {
        Walk::All(_) | Walk::State(State::Queued | State::Completed, _) => {
            turned(state.entries.range(seqs).map(|(seq, _)| *seq), is_reversed)
        }
        Walk::State(State::Processing, _) => leased(state, query, after, |_| true),
        Walk::State(at @ (State::Failing | State::Failed | State::Cancelled), _) => {
            let bounds = query.filter.entered.clone().unwrap_or(FIRST..LAST);
            let mut keys = (*at, bounds.start, Seq::new(0))..(*at, bounds.end, Seq::new(0));
            match after.map(|after| (*at, after.at, Seq::new(after.seq))) {
                Some(after) if is_reversed => keys.end = keys.end.min(after),
                Some((at, time, seq)) => keys.start = keys.start.max((at, time, Seq::new(seq.get() + 1))),
                None => {}
            }
            if keys.is_empty() {
                return Box::new(std::iter::empty());
            }
            turned(indexes.failures.range(keys).map(|(.., seq)| *seq), is_reversed)
        }
        Walk::Due => {
            let after = after.map(|after| (after.priority, after.at, Seq::new(after.seq)));
            Box::new(indexes.due_behind(after))
        }
        Walk::Scheduled | Walk::Gated => {
            let waiting = if query.walk == Walk::Gated { &indexes.gated } else { &indexes.scheduled };
            // A life stands once at each time, at any priority.
            let begin =
                after.map_or((FIRST, Seq::new(0), 0), |after| (after.at, Seq::new(after.seq + 1), i16::MIN));
            Box::new(waiting.range(begin..).map(|(_, seq, _)| *seq))
        }
        Walk::Tagged(tag, _) => match indexes.tagged.get(tag) {
            Some(tagged) => turned(tagged.range(seqs).copied(), is_reversed),
            None => Box::new(std::iter::empty()),
        },
        Walk::Lapsed => {
            let begin = after.map_or((FIRST, Seq::new(0)), |after| (after.at, Seq::new(after.seq + 1)));
            let lapsed = indexes.leases.range(begin..).take_while(move |(expires_at, _)| *expires_at <= now);
            Box::new(lapsed.map(|(_, seq)| *seq))
        }
        Walk::Held { token } => leased(state, query, after, |entry| entry.course().token == Some(*token)),
    }
}

const FIRST: Timestamp = Timestamp::from_millis(i64::MIN);
const LAST: Timestamp = Timestamp::from_millis(i64::MAX);

/// The lives that are ahead, in an index that goes by them alone.
fn seqs(after: Option<PageEnd>, is_reversed: bool) -> Range<Seq> {
    match after {
        None => Seq::new(0)..Seq::new(u64::MAX),
        Some(after) if is_reversed => Seq::new(0)..Seq::new(after.seq),
        Some(after) => Seq::new(after.seq + 1)..Seq::new(u64::MAX),
    }
}

fn turned<'s>(lives: impl DoubleEndedIterator<Item = Seq> + 's, is_reversed: bool) -> Lives<'s> {
    if is_reversed { Box::new(lives.rev()) } else { Box::new(lives) }
}

/// Those that are leased, which are few, in an order that no index has.
fn leased<'s>(
    state: &'s QueueState,
    query: &ListQuery,
    after: Option<PageEnd>,
    is_wanted: impl Fn(&PackedJob) -> bool,
) -> Lives<'s> {
    let of_leases = state.indexes.leases.iter().filter_map(|(_, seq)| state.entries.get(seq));
    let places = of_leases.filter(|entry| is_wanted(entry)).map(|entry| query.walk.place_of(&entry.meta()));
    let turned = |order: std::cmp::Ordering| if query.walk.is_reversed() { order.reverse() } else { order };
    let mut ahead: Vec<_> =
        places.filter(|place| after.is_none_or(|after| turned(place.order(after)).is_gt())).collect();
    ahead.sort_unstable_by(|one, other| turned(one.order(*other)));
    Box::new(ahead.into_iter().map(|place| Seq::new(place.seq)))
}
