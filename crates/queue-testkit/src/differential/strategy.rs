//! Generates the arguments of random verbs. Values are small and names few, so that verbs meet;
//! shrinking leads to plain and few ones.

use super::op::{CONTENT_TYPES, Doomed, Filter, How, IDS, KINDS, New, TAGS, WORKERS, What};
use proptest::{
    collection::vec,
    option::{of, weighted},
    prelude::{BoxedStrategy, Just, Strategy, any},
    sample::{select, subsequence},
    strategy::Union,
};
use queue_core::{
    OnFailed, OnWaiting, Retention, Span, State,
    lifecycle::{Cause, OnProcessing},
};

/// Around the moments of leases, waits and retentions.
const SPANS_MS: &[i64] = &[0, 1, 999, 1_000, 1_001, 10_000, 30_000, 60_000, 3_600_000];

pub(super) fn how() -> BoxedStrategy<How> {
    let complete = (bytes(), weighted(0.3, retention()), then())
        .prop_map(|(result, keep, then)| How::Complete { result, keep, then });
    let fail = (cause(), weighted(0.3, millis()), weighted(0.3, retention()), of(bytes()), then()).prop_map(
        |(cause, delay_ms, keep, details, then)| How::Fail { cause, delay_ms, keep, details, then },
    );
    let interrupt = (of(bytes()), then()).prop_map(|(progress, then)| How::Interrupt { progress, then });
    let snooze = (millis(), of(bytes()), then()).prop_map(|(delay_ms, progress, then)| How::Snooze {
        delay_ms,
        progress,
        then,
    });
    let extend = (select(&[1_i64, 1_000, 60_000][..]), of(bytes()))
        .prop_map(|(by_ms, progress)| How::Extend { by_ms, progress });
    Union::new_weighted(vec![
        (2, then().prop_map(|then| How::Release { then }).boxed()),
        (1, interrupt.boxed()),
        (2, Just(How::Expire).boxed()),
        (3, complete.boxed()),
        (4, fail.boxed()),
        (2, snooze.boxed()),
        (2, extend.boxed()),
    ])
    .boxed()
}

pub(super) fn what() -> BoxedStrategy<What> {
    let fixed = select(vec![
        What::Cancel(OnProcessing::Request),
        What::Cancel(OnProcessing::Request),
        What::Cancel(OnProcessing::Leave),
        What::Await,
        What::Redrive { as_type: None },
        What::Promote,
        What::Delete,
        What::Expire,
    ]);
    let retyped = (0..CONTENT_TYPES.len()).prop_map(|nth| What::Redrive { as_type: Some(nth) });
    let amend = (of(any::<u8>()), of(-2_i16..3), weighted(0.3, millis()), of(retention()))
        .prop_map(|(payload, priority, delay_ms, keep)| What::Amend { payload, priority, delay_ms, keep });
    Union::new_weighted(vec![
        (8, fixed.boxed()),
        (1, retention().prop_map(What::Retain).boxed()),
        (1, retyped.boxed()),
        (1, millis().prop_map(|delay_ms| What::Reschedule { delay_ms }).boxed()),
        (2, amend.boxed()),
    ])
    .boxed()
}

pub(super) fn doomed() -> BoxedStrategy<Doomed> {
    let finished = millis().prop_map(|age_ms| Doomed::FinishedBefore { age_ms });
    Union::new_weighted(vec![
        (2, Just(Doomed::Expired).boxed()),
        (3, finished.boxed()),
        (1, Just(Doomed::Everything).boxed()),
    ])
    .boxed()
}

/// Which jobs are listed, and how many to a page.
pub(super) fn listing() -> impl Strategy<Value = (Filter, usize)> {
    let matching = (vec(select(&State::ALL[..]), 0..3), of(0..WORKERS.len()), of(0..KINDS.len()))
        .prop_map(|(states, worker, kind)| Filter::Match { states, worker, kind });
    let filter = Union::new_weighted(vec![(1, Just(Filter::Lapsed).boxed()), (3, matching.boxed())]);
    (filter, 1..4_usize)
}

pub(super) fn new() -> BoxedStrategy<New> {
    let delay = Union::new_weighted(vec![(2, Just(0).boxed()), (1, millis())]);
    let labels = (weighted(0.3, select(&["", "7", "é"][..])), subsequence(TAGS.to_vec(), 0..=TAGS.len()));
    let names = (0..IDS.len(), 0..KINDS.len(), bytes(), labels);
    let order = (select(&[0_i16, 0, 0, -1, 1, i16::MIN, i16::MAX][..]), delay);
    let budgets = (select(&[3_u32, 0, 1, 2][..]), select(&[3_u32, 0, 1, 2][..]));
    let ending = (retention(), retention(), select(&[OnFailed::Block, OnFailed::Replace][..]), any::<bool>());
    // Half of the jobs are plain, and so is what a run shrinks to.
    let times = (weighted(0.4, later()), weighted(0.2, later()));
    let others = (on_waiting(), weighted(0.3, Just(())));
    (names, order, budgets, ending, times, others)
        .prop_map(|(names, order, budgets, ending, times, (on_waiting, mourned))| New {
            id: names.0,
            kind: names.1,
            payload: names.2,
            header: names.3.0.map(str::to_owned),
            tags: names.3.1,
            priority: order.0,
            delay_ms: order.1,
            // A job that may replace another cannot expire.
            expires_after_ms: times.0.filter(|_| on_waiting == OnWaiting::Block),
            time_limit_ms: times.1,
            max_attempts: budgets.0,
            max_stalls: budgets.1,
            keep_completed: ending.0,
            keep_failed: ending.1,
            on_failed: ending.2,
            on_waiting,
            is_mourned: mourned.is_some(),
            awaited: ending.3,
        })
        .boxed()
}

/// The followers of a settle.
pub(super) fn then() -> BoxedStrategy<Vec<New>> {
    vec(new(), 0..3).boxed()
}

fn on_waiting() -> BoxedStrategy<OnWaiting> {
    let replace =
        of(millis()).prop_map(|max_wait| OnWaiting::Replace { max_wait: max_wait.map(Span::from_millis) });
    Union::new_weighted(vec![(3, Just(OnWaiting::Block).boxed()), (2, replace.boxed())]).boxed()
}

fn retention() -> BoxedStrategy<Retention> {
    let keep = millis().prop_map(|ms| Retention::Keep(Span::from_millis(ms)));
    Union::new_weighted(vec![
        (1, Just(Retention::Forever).boxed()),
        (1, Just(Retention::Remove).boxed()),
        (2, keep.boxed()),
    ])
    .boxed()
}

fn cause() -> impl Strategy<Value = Cause> {
    use Cause::{Retryable, Terminal, Undecodable, UnknownKind};
    select(&[Retryable, Retryable, Retryable, Terminal, UnknownKind, Undecodable][..])
}

pub(super) fn millis() -> BoxedStrategy<i64> {
    select(SPANS_MS).boxed()
}

/// A time that is not zero.
fn later() -> BoxedStrategy<i64> {
    select(&SPANS_MS[1..]).boxed()
}

fn bytes() -> BoxedStrategy<Vec<u8>> {
    vec(any::<u8>(), 0..4).boxed()
}
