//! Generates the arguments of random verbs. Values are small and names few, so that verbs meet;
//! shrinking leads to plain and few ones.

use super::op::{CONTENT_TYPES, Doomed, Filter, How, IDS, KINDS, New, Signal, TAGS, WORKERS, What};
use proptest::{
    collection::vec,
    option::{of, weighted},
    prelude::{BoxedStrategy, Just, Strategy, any},
    sample::{select, subsequence},
    strategy::Union,
};
use queue_core::{
    NewGate, OnFailed, OnWaiting, Retention, Span, State,
    lifecycle::{Cause, OnProcessing},
};

/// Around the moments of leases, waits and retentions.
const SPANS_MS: &[i64] = &[0, 1, 999, 1_000, 1_001, 10_000, 30_000, 60_000, 3_600_000];

/// Of few jobs with gates, so that signals come to them: the first of the ids.
const GATED_IDS: usize = 2;

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
        (2, suspend()),
        (2, extend.boxed()),
    ])
    .boxed()
}

fn suspend() -> BoxedStrategy<How> {
    (of(needs()), any::<bool>(), any::<bool>(), of(millis()), then())
        .prop_map(|(needs, seals, heeds_urgent, timeout_ms, then)| How::Suspend {
            needs,
            seals,
            heeds_urgent,
            timeout_ms,
            then,
        })
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
        What::Seal,
        What::Delete,
        What::Expire,
    ]);
    let retyped = (0..CONTENT_TYPES.len()).prop_map(|nth| What::Redrive { as_type: Some(nth) });
    let amend = (of(any::<u8>()), of(-2_i16..3), weighted(0.3, millis()), of(retention()))
        .prop_map(|(payload, priority, delay_ms, keep)| What::Amend { payload, priority, delay_ms, keep });
    Union::new_weighted(vec![
        (9, fixed.boxed()),
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
    let others = (on_waiting(), weighted(0.3, Just(())), weighted(0.8, gate()), signals());
    (names, order, budgets, ending, times, others)
        .prop_map(|(names, order, budgets, ending, times, (on_waiting, mourned, gate, signals))| New {
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
            gate: gate.filter(|_| names.0 < GATED_IDS),
            signals,
        })
        .boxed()
}

fn gate() -> BoxedStrategy<NewGate> {
    (needs(), select(&[true, true, false][..]), of(millis()))
        .prop_map(|(needs, is_sealed, timeout)| NewGate {
            needs,
            is_sealed,
            timeout: timeout.map(Span::from_millis),
        })
        .boxed()
}

/// As many signals as a run sends, and more than any could.
fn needs() -> BoxedStrategy<u64> {
    select(&[1_u64, 1, 1, 2, 0, u64::MAX][..]).boxed()
}

/// Half of the jobs have none.
fn signals() -> BoxedStrategy<Vec<Signal>> {
    Union::new_weighted(vec![(1, Just(Vec::new()).boxed()), (1, vec(signal(), 1..3).boxed())]).boxed()
}

fn signal() -> BoxedStrategy<Signal> {
    (0..=GATED_IDS, any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(to, raises, tolerant, urgent)| Signal { to, raises, tolerant, urgent })
        .boxed()
}

/// A job with a gate, and others that signal their ends to it: by chance alone they seldom meet.
pub(super) fn family() -> BoxedStrategy<Vec<New>> {
    (new(), gate(), vec((new(), signal()), 1..4))
        .prop_map(|(sum, gate, members)| {
            let member = |(new, signal): (New, Signal)| New {
                id: GATED_IDS + new.id % (IDS.len() - GATED_IDS),
                delay_ms: 0,
                gate: None,
                signals: vec![Signal { to: 0, ..signal }],
                ..new
            };
            let sum = New { id: 0, gate: Some(gate), signals: Vec::new(), ..sum };
            [sum].into_iter().chain(members.into_iter().map(member)).collect()
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
