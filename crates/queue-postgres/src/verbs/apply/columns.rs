//! A batch as columns, one array each, in the order of its statement's parameters.

use super::{
    amendments,
    plan::{Completion, Route, touches_gates},
};
use crate::{
    call::BoundQuery,
    row::{OWES_SIGNALS, flags, integer},
    verbs::short_column::short_column,
};
use bytes::Bytes;
use queue_core::{
    Attempt, ContentType, Failure, Reason,
    lifecycle::{Finish, Lapse, Patch, Proof, Purge, Requeue, RunAt, Transition},
};

/// The number that stands for a length of time without end.
const FOR_EVER: i64 = -1;
/// Marks of a job that waits again.
const FRESH: i16 = 1;
const LIFTS_EXPIRY: i16 = 4;
const CLOSES_GATE: i16 = 16;
/// The mark of a removed job whose end signals go after its followers.
const SENDS_LATER: i16 = 32;
/// The table that a job moves to, as `move.sql` has it.
const TO_READY: i16 = 0;
const TO_FINISHED: i16 = 1;
const TO_NO_TABLE: i16 = 2;
/// When a job that waits again is due: when it was before, at once unless that is sooner, or after
/// a span.
const DUE_AS_BEFORE: i16 = 0;
const DUE_SOONEST: i16 = 1;
const DUE_AFTER: i16 = 2;
/// Which leases a guard asks for.
const ANY_LAPSE: i16 = 0;
const LAPSED: i16 = 1;
const LIVE: i16 = 2;

/// A transition and the number of its queue.
pub(super) type Item<'a> = (i32, &'a Transition);

/// Binds what follows the mark.
pub(super) fn bind(route: Route, query: BoundQuery, items: &[Item<'_>]) -> BoundQuery {
    if route == Route::Complete {
        return bind_completions(query, items);
    }
    let query = query
        .bind(column(items, |(queue, _)| *queue))
        .bind(column(items, |(_, sent)| integer(sent.seq.get())))
        .bind(column(items, |(_, sent)| sent.id.as_str().to_owned()));
    match route {
        Route::Extend => bind_extensions(query, items),
        Route::Mark => bind_marks(query, items),
        Route::Amend => amendments::bind(query, items),
        Route::Move | Route::Complete => bind_moves(bind_guards(query, items), items),
    }
}

/// Binds what stands last: the epochs that lease holders name, and what jobs that wait again carry
/// on; marks and amendments have neither.
pub(super) fn bind_rest(route: Route, query: BoundQuery, items: &[Item<'_>]) -> BoundQuery {
    let epochs = || items.iter().map(|(_, sent)| epoch(sent));
    match route {
        Route::Complete => query.bind(short_column(epochs())),
        Route::Move => {
            query.bind(epochs().collect::<Vec<_>>()).bind(column(items, carried)).bind(column(items, excerpt))
        }
        Route::Extend => query.bind(epochs().collect::<Vec<_>>()),
        Route::Mark | Route::Amend => query,
    }
}

fn epoch(sent: &Transition) -> Option<i64> {
    match sent.guard.proof {
        Proof::Lease { epoch, .. } => Some(integer(epoch)),
        Proof::Revision(_) => None,
    }
}

fn carried((_, sent): &Item<'_>) -> Option<Vec<u8>> {
    match &sent.patch {
        Patch::Requeue(Requeue { progress, .. }) => progress.as_ref().map(|bytes| bytes.to_vec()),
        _ => None,
    }
}

/// The part of an error's message that an attempt keeps.
fn excerpt((_, sent): &Item<'_>) -> Option<String> {
    Move::of(sent).error.map(|error| Attempt::excerpt(error).to_owned())
}

pub(super) fn column<T>(items: &[Item<'_>], value: impl Fn(&Item<'_>) -> T) -> Vec<T> {
    items.iter().map(value).collect()
}

fn bind_guards(query: BoundQuery, items: &[Item<'_>]) -> BoundQuery {
    query
        .bind(column(items, |(_, sent)| token(sent)))
        .bind(column(items, |(_, sent)| match sent.guard.proof {
            Proof::Lease { flags: seen, .. } => seen.map(|seen| flags(seen) + owed(sent)),
            Proof::Revision(_) => None,
        }))
        .bind(column(items, |(_, sent)| revision(sent)))
        .bind(column(items, |(_, sent)| match sent.guard.lapse {
            Lapse::Any => ANY_LAPSE,
            Lapse::Lapsed => LAPSED,
            Lapse::Live => LIVE,
        }))
        .bind(column(items, |(_, sent)| match sent.guard.proof {
            Proof::Lease { settle, .. } => settle.map(|settle| i16::from(settle.as_code())),
            Proof::Revision(_) => None,
        }))
}

/// The mark of a job whose end sends signals.
pub(super) fn owed(sent: &Transition) -> i16 {
    i16::from(sent.signal.is_some()) * OWES_SIGNALS
}

fn token(sent: &Transition) -> Option<Vec<u8>> {
    match sent.guard.proof {
        Proof::Lease { token, .. } => Some(token.as_bytes().to_vec()),
        Proof::Revision(_) => None,
    }
}

pub(super) fn revision(sent: &Transition) -> Option<i64> {
    match sent.guard.proof {
        Proof::Lease { .. } => None,
        Proof::Revision(seen) => Some(integer(seen)),
    }
}

/// Columns that are the same for all items have one element.
fn bind_completions(query: BoundQuery, items: &[Item<'_>]) -> BoundQuery {
    let all = || items.iter().filter_map(|(_, sent)| Completion::of(sent));
    let tokens = short_column(all().map(|to| to.token));
    query
        .bind(short_column(items.iter().map(|(queue, _)| *queue)))
        .bind(column(items, |(_, sent)| integer(sent.seq.get())))
        .bind(items.iter().map(|(_, sent)| sent.id.as_str()).collect::<Vec<_>>())
        .bind(tokens.iter().map(|token| token.as_bytes().to_vec()).collect::<Vec<_>>())
        .bind(short_column(all().map(|to| flags(to.flags) + to.owed)))
        .bind(short_column(all().map(|to| kept(to.finish.purge).unwrap_or(FOR_EVER))))
        .bind(short_column(all().map(|to| i64::from(to.finish.failures))))
        .bind(short_column(all().map(|to| i64::from(to.finish.stalls))))
        .bind(short_column(all().map(|to| to.result.content_type.as_str())))
        .bind(short_column(all().map(|to| &to.result.bytes[..])))
}

/// Until a record counts as absent, in milliseconds; none is never.
fn kept(purge: Purge) -> Option<i64> {
    match purge {
        Purge::After(span) => Some(span.as_millis()),
        Purge::Never => None,
    }
}

fn bind_moves(query: BoundQuery, items: &[Item<'_>]) -> BoundQuery {
    let moves: Vec<Move<'_>> = items.iter().map(|(_, sent)| Move::of(sent)).collect();
    let of = |value: fn(&Move<'_>) -> i16| moves.iter().map(value).collect::<Vec<_>>();
    query
        .bind(of(|to| to.target))
        .bind(of(|to| to.state))
        .bind(of(|to| to.time_rule))
        .bind(moves.iter().map(|to| to.span).collect::<Vec<_>>())
        .bind(moves.iter().map(|to| i64::from(to.failures)).collect::<Vec<_>>())
        .bind(moves.iter().map(|to| i64::from(to.stalls)).collect::<Vec<_>>())
        .bind(moves.iter().map(|to| to.reason.map(|reason| i16::from(reason.as_code()))).collect::<Vec<_>>())
        .bind(moves.iter().map(|to| to.error.map(Failure::name)).collect::<Vec<_>>())
        .bind(moves.iter().map(|to| to.error.map(Failure::message)).collect::<Vec<_>>())
        .bind(
            moves
                .iter()
                .map(|to| to.error.and_then(Failure::details).map(|bytes| &bytes[..]))
                .collect::<Vec<_>>(),
        )
        .bind(of(|to| to.marks))
        .bind(moves.iter().map(|to| to.content_type.map(ContentType::as_str)).collect::<Vec<_>>())
        .bind(moves.iter().map(|to| to.result.map(|result| &result[..])).collect::<Vec<_>>())
}

fn bind_extensions(query: BoundQuery, items: &[Item<'_>]) -> BoundQuery {
    query
        .bind(column(items, |(_, sent)| token(sent)))
        .bind(column(items, |(_, sent)| match &sent.patch {
            Patch::Extend { by, .. } => by.as_millis(),
            _ => 0,
        }))
        .bind(column(items, |(_, sent)| match &sent.patch {
            Patch::Extend { progress, .. } => progress.as_ref().map(|bytes| bytes.to_vec()),
            _ => None,
        }))
}

fn bind_marks(query: BoundQuery, items: &[Item<'_>]) -> BoundQuery {
    query
        .bind(column(items, |(_, sent)| revision(sent)))
        .bind(column(items, |(_, sent)| match sent.patch {
            Patch::Flag(set) => flags(set),
            _ => 0,
        }))
        .bind(column(items, |(_, sent)| match sent.patch {
            Patch::Retain(Purge::After(span)) => Some(span.as_millis()),
            Patch::Retain(Purge::Never) => Some(FOR_EVER),
            _ => None,
        }))
}

/// Where a job goes, and with what.
#[derive(Debug, Default)]
struct Move<'a> {
    /// The table that the job moves to.
    target: i16,
    state: i16,
    /// When the job is due.
    time_rule: i16,
    /// Until it is due, or until it counts as absent.
    span: Option<i64>,
    failures: u32,
    stalls: u32,
    reason: Option<Reason>,
    error: Option<&'a Failure>,
    marks: i16,
    /// The content type of the result, or the payload's where that is amended.
    content_type: Option<&'a ContentType>,
    result: Option<&'a Bytes>,
}

impl<'a> Move<'a> {
    fn of(sent: &'a Transition) -> Self {
        match &sent.patch {
            Patch::Requeue(requeue) => Self::back(requeue),
            Patch::Finish(finish) => Self::to_the_end(finish),
            _ => {
                let marks = i16::from(touches_gates(sent) && sent.sends()) * SENDS_LATER;
                Self { target: TO_NO_TABLE, marks, ..Self::default() }
            }
        }
    }

    fn back(requeue: &'a Requeue) -> Self {
        let (time_rule, span) = match requeue.run_at {
            RunAt::Keep => (DUE_AS_BEFORE, None),
            RunAt::Soonest => (DUE_SOONEST, None),
            RunAt::After(span) => (DUE_AFTER, Some(span.as_millis())),
        };
        Self {
            target: TO_READY,
            state: i16::from(requeue.state.as_code()),
            time_rule,
            span,
            failures: requeue.failures,
            stalls: requeue.stalls,
            error: requeue.error.as_ref(),
            marks: i16::from(requeue.fresh) * FRESH
                + i16::from(requeue.lifts_expiry) * LIFTS_EXPIRY
                + i16::from(requeue.closes.is_some()) * CLOSES_GATE,
            content_type: requeue.content_type.as_ref(),
            ..Self::default()
        }
    }

    fn to_the_end(finish: &'a Finish) -> Self {
        Self {
            target: TO_FINISHED,
            state: i16::from(finish.state.as_code()),
            span: kept(finish.purge),
            failures: finish.failures,
            stalls: finish.stalls,
            reason: finish.reason,
            error: finish.error.as_ref(),
            content_type: finish.result.as_ref().map(|result| &result.content_type),
            result: finish.result.as_ref().map(|result| &result.bytes),
            ..Self::default()
        }
    }
}
