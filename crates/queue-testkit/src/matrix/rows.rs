//! A row: a job as a scene leaves it, the deed done to it, the version and the token that the deed
//! rests on, and its time.

use super::{
    deed::{DEEDS, Deed, GATE_DEEDS, Over, Signal, follower},
    group::{TwinGroup, batch_max, name},
    scene::{Scene, play},
    shape::{GATE_SHAPES, MARKS, Mark, PARTITION_SHAPES, SHAPES, Shape},
};
use crate::bench::{
    Bench,
    prelude::{job, policy},
};
use queue_core::{
    JobMeta, LeaseToken, State, Timestamp,
    lifecycle::{Event, Transition, decide},
};
use std::collections::{BTreeMap, BTreeSet};

/// A token that no claim was given.
const FOREIGN: LeaseToken = LeaseToken::from_bytes([0xF0; 16]);

/// The most rows in one group.
const ROWS_MAX: usize = 1000;
/// The most rows with partitions, of which a store may look at a bounded number in a claim: after
/// more changes than that it says to come back at once.
const PARTITION_ROWS_MAX: usize = 200;

#[derive(Clone, Copy, Debug)]
struct Row {
    shape: Shape,
    marks: &'static [Mark],
    deed: Deed,
    /// The index of the version that the decision rests on.
    view: usize,
    /// The index of the claim whose token is sent; one past the last is a foreign token.
    token: usize,
}

/// Which shapes and deeds a scene has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SceneKind {
    Plain,
    OfGates,
    OfPartitions,
}

/// Rows by their time, in milliseconds since the scene began.
type Plan = BTreeMap<i64, Vec<Row>>;

/// Plays the scene once to find the rows, and then again for the rows of each moment.
pub(super) async fn check(bench: &Bench, kind: SceneKind, scene: Scene) {
    // A settle may add two more jobs to the batch.
    let rows_max = if kind == SceneKind::OfPartitions { PARTITION_ROWS_MAX } else { ROWS_MAX };
    let at_once = rows_max.min(batch_max(bench) / 3);
    for (moment, rows) in plan(bench, kind, scene).await {
        for (part, rows) in rows.chunks(at_once).enumerate() {
            let queue = format!("{moment}-{part}");
            check_moment(&bench.on_queue(&queue), scene, moment, rows).await;
        }
    }
}

async fn check_moment(bench: &Bench, scene: Scene, moment: i64, rows: &[Row]) {
    let mut group = TwinGroup::new(bench.clone(), rows.iter().map(|row| (row.shape, row.marks)).collect());
    play(&mut group, scene).await;
    group.mark().await;
    group.pass_until(moment);
    let batch: Vec<(usize, Transition)> =
        rows.iter().enumerate().filter_map(|(nth, row)| Some((nth, transition(&group, nth, row)?))).collect();
    group.send(&batch).await;
    group.enqueue_again(|nth| rows.get(nth).and_then(|row| enqueued(row.deed))).await;
    group.signal(|nth| rows.get(nth).and_then(|row| signalled(row.deed))).await;
    group.raise(|nth| rows.get(nth).is_some_and(|row| matches!(row.deed, Deed::Raise))).await;
    group.compare().await;
    // A repeat of each transition is harmless; the lifecycle says how it is answered.
    group.send(&batch).await;
    group.compare().await;
    group.claim_rest().await;
}

fn enqueued(deed: Deed) -> Option<Over> {
    match deed {
        Deed::Enqueue(over) => Some(over),
        _ => None,
    }
}

fn signalled(deed: Deed) -> Option<Signal> {
    match deed {
        Deed::Signal(signal) => Some(signal),
        _ => None,
    }
}

fn transition(group: &TwinGroup, nth: usize, row: &Row) -> Option<Transition> {
    let token = group.tokens.get(row.token).copied().unwrap_or(FOREIGN);
    let event = event(row.deed, token, nth)?;
    let decided = decide(&group.seen[nth][row.view], event, &policy());
    let mut transition = decided.expect("it was planned on the same sight");
    if matches!(row.deed, Deed::ChangeThen(_)) {
        transition.then.insert(0, job(&follower(&name(nth))));
    }
    Some(transition)
}

fn event(deed: Deed, token: LeaseToken, nth: usize) -> Option<Event> {
    match deed {
        Deed::Hold(event) => Some(event(token, &name(nth))),
        Deed::Change(event) | Deed::ChangeThen(event) => Some(event()),
        Deed::Enqueue(_) | Deed::Signal(_) | Deed::Raise | Deed::Nothing => None,
    }
}

/// All rows of the scene.
async fn plan(bench: &Bench, kind: SceneKind, scene: Scene) -> Plan {
    let (shapes, deeds): (&[Shape], Vec<Deed>) = match kind {
        SceneKind::Plain => (&SHAPES, DEEDS.to_vec()),
        SceneKind::OfGates => (&GATE_SHAPES, [DEEDS, GATE_DEEDS].concat()),
        SceneKind::OfPartitions => (&PARTITION_SHAPES, DEEDS.to_vec()),
    };
    let jobs: Vec<_> =
        shapes.iter().flat_map(|shape| MARKS.into_iter().map(move |marks| (*shape, marks))).collect();
    let mut scout = TwinGroup::new(bench.on_queue("scout"), jobs.clone());
    play(&mut scout, scene).await;
    let before: Vec<usize> = scout.seen.iter().map(Vec::len).collect();
    scout.mark().await;
    let mut plan = Plan::new();
    for (nth, (shape, marks)) in jobs.into_iter().enumerate() {
        if scout.seen[nth].len() - before[nth] != marks.len() {
            // A mark that cannot be set makes the same job as no mark.
            continue;
        }
        let rows = rows(&scout, nth, (shape, marks), &deeds);
        for moment in moments(&scout, nth) {
            plan.entry(moment).or_default().extend(rows.iter().copied());
        }
    }
    plan
}

fn rows(scout: &TwinGroup, nth: usize, (shape, marks): (Shape, &'static [Mark]), deeds: &[Deed]) -> Vec<Row> {
    let row = |deed, view, token| Row { shape, marks, deed, view, token };
    let mut rows = Vec::new();
    for deed in deeds.iter().copied() {
        let Some(event) = event(deed, FOREIGN, nth) else {
            rows.push(row(deed, 0, 0));
            continue;
        };
        for (view, seen) in scout.seen[nth].iter().enumerate() {
            if decide(seen, event.clone(), &policy()).is_ok() {
                rows.extend(tokens(scout, deed, shape).into_iter().map(|token| row(deed, view, token)));
            }
        }
    }
    rows
}

/// The latest token for every shape; older and foreign tokens, which are refused for every shape,
/// for one shape only.
fn tokens(scout: &TwinGroup, deed: Deed, shape: Shape) -> Vec<usize> {
    let last = scout.tokens.len().saturating_sub(1);
    match deed {
        Deed::Hold(_) if matches!(shape, Shape::Plain | Shape::Gated | Shape::Alone) => {
            (0..=scout.tokens.len()).collect()
        }
        _ => vec![last],
    }
}

/// A millisecond before, at, and after each future moment at which the job changes by itself; now,
/// if there is none.
fn moments(scout: &TwinGroup, nth: usize) -> BTreeSet<i64> {
    let now = scout.now();
    let since_start = |at: Timestamp| at.as_millis() - scout.start.as_millis();
    let ahead = scout.twins[nth].meta(now).into_iter().flat_map(edges).filter(|at| *at > now);
    let mut moments: BTreeSet<i64> =
        ahead.flat_map(|at| (-1..=1).map(move |off| since_start(at) + off)).collect();
    if moments.is_empty() {
        moments.insert(since_start(now));
    }
    moments
}

fn edges(meta: &JobMeta) -> impl Iterator<Item = Timestamp> {
    let lapse = meta.lease.as_ref().map(|lease| lease.expires_at);
    let expiry = meta.expires_at().filter(|_| meta.state == State::Queued);
    let due = meta.state.is_waiting().then_some(meta.run_at);
    [due, lapse, meta.purge_at, expiry].into_iter().flatten()
}
