//! The protocol of gates, walked in all its orders: see `docs/testing/gates.md`.
//!
//! It is the form that Postgres has, where callers' transactions stay open and end signals are
//! slips; a store that changes the gate in the step itself leaves steps out. There is no store
//! here, no clock and no chance: a walk visits each state that the steps lead to. The rules as
//! they are break no property, and each broken variant breaks the one that its test names.

mod coordinator;
mod fold;
mod member;
mod rules;
mod state;
mod step;
mod walk;

use rules::{Defect, Property};
use walk::walk;

/// What the rules lead to. A change of the rules or bounds changes it: run the walk, see that it
/// finds nothing and that each variant is still found, then write the new number here and in
/// `docs/testing/gates.md`. A number that changes where no rule did is a defect of the walk.
const STATES: usize = 685_034;

#[test]
fn the_rules_break_no_property_in_any_order() {
    let walk = walk(None);
    if let Some((property, trace)) = walk.violation {
        panic!("{property:?} is broken:\n{trace}");
    }
    println!("{} states, {} with all members in a gate that has opened", walk.states, walk.with_all);
    assert!(walk.with_all > 0, "the walk does not come far enough");
    assert_eq!(walk.states, STATES);
}

macro_rules! broken {
    ($($name:ident: $defect:ident breaks $property:ident;)*) => {$(
        #[test]
        fn $name() {
            let walk = walk(Some(Defect::$defect));
            let (property, trace) = walk.violation.expect("a broken variant is found");
            println!("{:?} breaks {property:?} after {} states:\n{trace}", Defect::$defect, walk.states);
            assert_eq!(property, Property::$property, "by these steps:\n{trace}");
        }
    )*};
}

broken! {
    a_signal_on_a_requeue: SignalsOnRequeue breaks EachEndCountsOnce;
    no_signal_on_a_lapse: SilentLapse breaks EachEndCountsOnce;
    no_signal_on_an_expiry: SilentExpiry breaks EachEndCountsOnce;
    no_signal_on_a_delete: SilentDelete breaks EachEndCountsOnce;
    a_signal_again_on_a_replay: ReplaySignals breaks EachEndCountsOnce;
    a_signal_with_a_stale_decision: StaleDecisionSignals breaks EachEndCountsOnce;
    a_signal_again_after_a_redrive: RedriveSignalsAgain breaks EachEndCountsOnce;
    a_raise_by_a_duplicate: DuplicateRaises breaks EachMemberRaisesOnce;
    signals_before_raises: SignalsBeforeRaises breaks NeverEarly;
    a_partial_fold_that_opens: PartialFoldOpens breaks NeverEarly;
    a_partial_fold_that_loses_an_urgent_signal: PartialFoldLosesUrgent breaks NoUrgentSignalLost;
    a_fold_beside_an_open_raise: FoldBesideOpenRaise breaks NeverRaisedAfterItOpened;
    a_locked_fold_that_takes_slips: LockedFoldTakesSlips breaks NeverStuck;
    a_seal_that_leaves_no_slip: SealLeavesNoSlip breaks NeverStuck;
    a_seal_that_opens_by_the_row_alone: SealOpensByTheRow breaks NeverEarly;
    a_suspend_that_leaves_no_slip: SuspendLeavesNoSlip breaks NeverStuck;
    a_complete_gate_that_is_raised: CompleteGateRaised breaks NeverRaisedWhenComplete;
    a_raise_judged_by_the_row_alone: RaiseJudgedByTheRow breaks NeverRaisedWhenComplete;
    a_holders_raise_that_is_refused: HoldersRaiseRefused breaks HoldersMayRaise;
    an_ended_member_that_is_replaced: EndedMemberReplaced breaks EachMemberRaisesOnce;
    an_orphan_that_is_stored: OrphanStored breaks OrphansLeaveNothing;
    a_release_that_closes: ReleaseCloses breaks NoBackOffCutShort;
    a_late_signal_that_ends_a_back_off: LateSignalEndsBackOff breaks NoBackOffCutShort;
}
