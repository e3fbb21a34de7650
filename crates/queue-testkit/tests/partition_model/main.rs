//! The protocol of partitions, walked in all its orders: see `docs/testing/partition-model.md`.
//!
//! It is the form that Postgres has, where callers' transactions stay open and slips say which
//! partitions a claim is to look at. There is no store here, no clock and no chance: a walk visits
//! each state that the steps lead to. The rules as they are break no property, and each broken
//! variant breaks the one that its test names.

mod state;
mod step;

use state::State;
use std::collections::{HashMap, VecDeque};
use step::{Step, successors};

/// What the rules lead to. A change of the rules or bounds changes it: run the walk, see that it
/// finds nothing and that each variant is still found, then write the new number here and in
/// `docs/testing/partition-model.md`.
const STATES: usize = 588_228;
/// A walk that comes to more states is cut: its bounds were lost.
const STATES_MAX: usize = 5_000_000;

/// A way in which the rules may be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    SilentEnqueue,
    SilentEnd,
    SilentRaise,
    SlipsTakenAfterTheLook,
    SnapshotBeforeTheLock,
    NoLock,
    LimitsWithoutTheLock,
    RollbackLosesSlips,
}

/// What holds in every state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Property {
    /// What a claim leases stays within the limit that is in force when it commits.
    NeverAbove,
    /// Where nothing is under way, a job with a free slot is in a partition that the next claim
    /// looks at.
    NeverStuck,
}

#[derive(Debug)]
struct Walk {
    states: usize,
    /// Those in which both partitions are full and jobs wait in each: a walk without them would
    /// find nothing for a poor reason.
    crowded: usize,
    violation: Option<(Property, Vec<Step>)>,
}

/// Looks for a state that breaks a property, or only for one that breaks this one.
fn walk(defect: Option<Defect>, only: Option<Property>) -> Walk {
    let start = State::start();
    // Each state with the one that it came from.
    let mut seen: HashMap<State, Option<(State, Step)>> = HashMap::from([(start, None)]);
    let mut open = VecDeque::from([start]);
    let mut crowded = 0;
    while let Some(state) = open.pop_front() {
        crowded += usize::from(state.is_crowded());
        for (step, after) in successors(&state, defect) {
            let broken = after.check(&step).filter(|broken| only.is_none_or(|only| only == *broken));
            if let Some(property) = broken {
                let mut steps = trace(&seen, state);
                steps.push(step);
                return Walk { states: seen.len(), crowded, violation: Some((property, steps)) };
            }
            if seen.contains_key(&after) {
                continue;
            }
            seen.insert(after, Some((state, step)));
            assert!(seen.len() < STATES_MAX, "the walk has lost its bounds");
            open.push_back(after);
        }
    }
    Walk { states: seen.len(), crowded, violation: None }
}

fn trace(seen: &HashMap<State, Option<(State, Step)>>, last: State) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = last;
    while let Some((from, step)) = seen[&at] {
        steps.push(step);
        at = from;
    }
    steps.reverse();
    steps
}

#[test]
fn the_rules_break_no_property_in_any_order() {
    let walk = walk(None, None);
    assert!(walk.violation.is_none(), "{:#?}", walk.violation);
    println!("{} states, {} with full partitions in which jobs wait", walk.states, walk.crowded);
    assert!(walk.crowded > 0, "the walk does not come far enough");
    assert_eq!(walk.states, STATES);
}

macro_rules! broken {
    ($($name:ident: $defect:ident breaks $property:ident;)*) => {$(
        #[test]
        fn $name() {
            let walk = walk(Some(Defect::$defect), Some(Property::$property));
            let (property, steps) = walk.violation.expect("a broken variant is found");
            println!("{:?} breaks {property:?} after {} states: {steps:?}", Defect::$defect, walk.states);
        }
    )*};
}

broken! {
    an_enqueue_that_leaves_no_slip: SilentEnqueue breaks NeverStuck;
    an_end_that_leaves_no_slip: SilentEnd breaks NeverStuck;
    a_raise_that_leaves_no_slip: SilentRaise breaks NeverStuck;
    slips_that_are_taken_after_the_look: SlipsTakenAfterTheLook breaks NeverStuck;
    slips_that_a_rollback_loses: RollbackLosesSlips breaks NeverStuck;
    a_count_by_a_snapshot_from_before_the_lock: SnapshotBeforeTheLock breaks NeverAbove;
    claims_without_a_lock: NoLock breaks NeverAbove;
    limits_that_are_set_without_the_lock: LimitsWithoutTheLock breaks NeverAbove;
}
