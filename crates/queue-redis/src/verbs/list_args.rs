//! What listings tell their scripts, and where these say that a page ended. `lua/part/page.lua`
//! names the parts in the same order.

use crate::{
    handle::arg,
    reader::Reader,
    reply::corrupt,
    row::{NEVER, priority, priority_bytes, six},
};
use queue_core::{
    Kind, ListFilter, ListQuery, PageEnd, Partition, Result, State, Tag, Timestamp, Walk, WorkerId,
};
use std::ops::Range;

/// The arguments of a page that begins where the one before ended.
pub(super) fn args(query: &ListQuery, after: Option<PageEnd>) -> Vec<Vec<u8>> {
    let ListQuery { walk, filter, limit, .. } = query;
    let text = |text: Option<&str>| text.unwrap_or_default().as_bytes().to_vec();
    let entered = filter.entered.as_ref().map(millis);
    let mut args = vec![
        arg(limit),
        arg(state_bits(filter, walk)),
        text(filter.kind.as_ref().map(Kind::as_str)),
        text(filter.worker.as_ref().map(WorkerId::as_str)),
        text(filter.tag.as_ref().map(Tag::as_str)),
        text(filter.id_prefix.as_deref()),
        text(filter.partition.as_ref().map(Partition::as_str)),
        entered.as_ref().map(|entered| arg(entered.start)).unwrap_or_default(),
        entered.as_ref().map(|entered| arg(entered.end)).unwrap_or_default(),
        after.map(|end| place(walk, end)).unwrap_or_default(),
        if walk.is_reversed() { arg(1) } else { Vec::new() },
    ];
    args.append(&mut own_args(walk, entered.unwrap_or(0..NEVER)));
    args
}

/// The arguments that only the script of one walk takes.
fn own_args(walk: &Walk, entered: Range<u64>) -> Vec<Vec<u8>> {
    match walk {
        Walk::State(State::Processing, _) => vec![arg(entered.start), arg(entered.end)],
        Walk::State(state @ (State::Failing | State::Failed | State::Cancelled), _) => {
            // A bound is of the first seq of its millisecond, and no seq is zero.
            let beginning = vec![state.as_code()];
            let bound = |at| [b"[", &beginning[..], &six(at)].concat();
            let (low, high) = (bound(entered.start), bound(entered.end));
            vec![beginning, low, high]
        }
        Walk::Tagged(tag, _) => {
            let ended_by = |end: &[u8]| [tag.as_str().as_bytes(), end].concat();
            let bound = |end| [b"[", &ended_by(end)[..]].concat();
            vec![ended_by(b"\0"), bound(b"\0"), bound(b"\x01")]
        }
        Walk::Held { token } => vec![token.as_bytes().to_vec()],
        Walk::All(_) | Walk::State(..) | Walk::Due | Walk::Scheduled | Walk::Gated | Walk::Lapsed => {
            Vec::new()
        }
    }
}

/// A place as scripts have it: what the walk sorts by.
fn place(walk: &Walk, end: PageEnd) -> Vec<u8> {
    let mut place = Vec::with_capacity(14);
    if *walk == Walk::Due {
        place.extend_from_slice(&priority_bytes(end.priority));
    }
    if has_time(walk) {
        place.extend_from_slice(&six(end.at.as_millis().unsigned_abs()));
    }
    place.extend_from_slice(&six(end.seq));
    place
}

/// The reverse.
pub(super) fn read_place(walk: &Walk, place: &[u8]) -> Result<PageEnd> {
    let mut from = Reader::new(place);
    let mut read = || {
        let priority = if *walk == Walk::Due { priority(from.u16()?) } else { 0 };
        let at = if has_time(walk) { from.time()? } else { Timestamp::default() };
        Some(PageEnd { at, priority, seq: from.six()? })
    };
    read().ok_or_else(|| corrupt("list"))
}

/// Whether it sorts by a time before it does by seq.
fn has_time(walk: &Walk) -> bool {
    walk.is_by_time() || matches!(walk, Walk::Due | Walk::Scheduled | Walk::Gated | Walk::Lapsed)
}

/// No state at all stands for all of them. A walk along all jobs of a queue shows the jobs of one
/// state by this.
fn state_bits(filter: &ListFilter, walk: &Walk) -> u32 {
    let is_asked = |state: &State| filter.states.is_empty() || filter.states.contains(state);
    let is_walked = |state: &State| !matches!(walk, Walk::State(walked, _) if walked != state);
    let shown = State::ALL.into_iter().filter(|state| is_asked(state) && is_walked(state));
    shown.fold(0, |bits, state| bits | 1 << state.as_code())
}

/// Bounds a range to the times that six bytes can hold.
fn millis(entered: &Range<Timestamp>) -> Range<u64> {
    let bound = |at: Timestamp| u64::try_from(at.as_millis()).unwrap_or_default().min(NEVER);
    bound(entered.start)..bound(entered.end)
}
