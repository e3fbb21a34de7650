//! The cases: one file per subject, each with a table of its cases and the invariants that they
//! check.

mod amend;
mod attempts;
mod attempts_of_many;
mod batch;
mod binary;
mod bounds;
mod cancel;
mod case;
mod claim;
mod clock_bound;
mod concurrency;
mod counts;
mod dedup;
mod diagnose;
mod enqueue;
mod events;
mod expiry;
mod extend;
mod fencing;
mod gates;
mod handles;
mod ids;
mod import;
mod kind_pause;
mod labels;
mod lease;
mod limits;
mod list;
mod lives;
mod next_due;
mod on_failure;
mod order;
pub(crate) mod partitions;
mod pause;
mod presence;
mod priority;
mod progress;
mod prune;
mod queues;
mod redrive;
mod release;
mod reopen;
mod replace;
mod replay;
mod reschedule;
mod reserved;
mod results;
mod retention;
mod retry;
mod runtimes;
mod schedule;
mod series;
mod settle;
mod snooze;
mod stall;
mod terms;
mod then;
mod time;
mod together;
mod transaction;
mod verify;
mod walks;

use case::cases;
pub(crate) use case::{Case, Need};
pub(crate) use concurrency::changes::asked_for as changes_asked_for;
pub(crate) use partitions::assert_adds_up;

/// The group whose cases need a runtime of several threads.
pub(crate) const RACES: &str = "concurrency";

/// The groups, in the order in which the author of a new store best works through them.
const GROUPS: &[&[Case]] = &[
    enqueue::CASES,
    claim::CASES,
    next_due::CASES,
    order::CASES,
    priority::CASES,
    schedule::CASES,
    reschedule::CASES,
    amend::CASES,
    time::CASES,
    clock_bound::CASES,
    lease::CASES,
    settle::CASES,
    fencing::CASES,
    replay::CASES,
    retry::CASES,
    stall::CASES,
    release::CASES,
    snooze::CASES,
    progress::CASES,
    extend::CASES,
    cancel::CASES,
    expiry::kept::CASES,
    expiry::ends::CASES,
    expiry::ids::CASES,
    redrive::CASES,
    dedup::CASES,
    replace::over::CASES,
    replace::bounds::CASES,
    replace::calls::CASES,
    replace::remains::CASES,
    lives::CASES,
    results::CASES,
    retention::kept::CASES,
    retention::awaited::CASES,
    retention::purged::CASES,
    then::completions::CASES,
    then::settles::CASES,
    then::once::CASES,
    then::changes::CASES,
    on_failure::asked::CASES,
    on_failure::once::CASES,
    reserved::CASES,
    gates::opening::CASES,
    gates::dropped::CASES,
    gates::moved::CASES,
    gates::one_call::CASES,
    gates::signals::CASES,
    gates::raises::CASES,
    gates::suspend::CASES,
    gates::refused::CASES,
    partitions::slots::CASES,
    partitions::walks::CASES,
    partitions::limits::CASES,
    partitions::turns::CASES,
    partitions::passed_over::CASES,
    partitions::kept::CASES,
    partitions::listed::CASES,
    batch::CASES,
    labels::CASES,
    terms::CASES,
    attempts::CASES,
    attempts_of_many::CASES,
    import::kept::CASES,
    import::going_on::CASES,
    import::refused::CASES,
    list::CASES,
    walks::order::CASES,
    walks::filters::CASES,
    walks::pages::CASES,
    counts::CASES,
    queues::listed::CASES,
    queues::counted::CASES,
    prune::CASES,
    pause::CASES,
    kind_pause::claims::CASES,
    kind_pause::aside::CASES,
    presence::CASES,
    series::CASES,
    events::wakes::CASES,
    events::waits::CASES,
    events::streams::CASES,
    limits::CASES,
    bounds::CASES,
    together::CASES,
    ids::CASES,
    binary::CASES,
    verify::CASES,
    diagnose::CASES,
    handles::CASES,
    runtimes::CASES,
    reopen::data::CASES,
    reopen::going_on::CASES,
    transaction::CASES,
    concurrency::claims::CASES,
    concurrency::enqueues::CASES,
    concurrency::handles::CASES,
    concurrency::hints::CASES,
    concurrency::partitions::CASES,
    concurrency::settles::CASES,
    concurrency::replaces::CASES,
    concurrency::changes::CASES,
    concurrency::dropped::CASES,
    crate::matrix::CASES,
    crate::matrix::GATE_CASES,
    crate::matrix::PARTITION_CASES,
    crate::differential::CASES,
    crate::history::CASES,
];

pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    GROUPS.iter().copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::all;
    use crate::Invariant;
    use std::collections::HashSet;

    #[test]
    fn no_name_stands_for_two_cases() {
        let mut names = HashSet::new();
        all().for_each(|case| assert!(names.insert(case.full_name()), "{} twice", case.full_name()));
    }

    #[test]
    fn each_invariant_of_a_store_has_a_case() {
        let cited: HashSet<Invariant> = all().flat_map(|case| case.invariants).copied().collect();
        let missing: Vec<_> = Invariant::ALL.iter().filter(|i| !cited.contains(i)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
