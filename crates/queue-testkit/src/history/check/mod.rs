//! The checker of histories. It shares no code with the state machine or with any store: everything
//! here follows from the invariants and from the recorded calls and answers.
//!
//! The checker reports only what is certain. A call took effect somewhere between its begin and its
//! end; one whose outcome is unknown may take effect at any time after its begin, or never. Within
//! a life, the revisions in answers order the writes; where revisions themselves are wrong, real
//! time orders them.

mod budgets;
mod conservation;
mod finding;
mod gates;
mod item;
mod leases;
mod life;
mod limits;
mod members;
mod order;
mod origin;
mod orphans;
mod outcomes;
mod partitions;
mod presence;
mod results;
mod signals;
mod story;
mod terminal;
mod transactions;
mod waits;

pub use finding::Violation;

use crate::history::History;
use finding::Findings;
use members::Members;
use story::Story;

/// Facts about a run that stand in no event and that verdicts depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// Whether calls may have reached the store twice, as with
    /// [`Fault::Duplicate`](crate::fault::Fault::Duplicate). Each answer is the one to the first
    /// arrival, so no event shows the effect of a second.
    pub echoes: bool,
    /// The most handlers of one worker that run at once (I17); `None` checks nothing.
    pub concurrency_max: Option<usize>,
    /// How far from its deadline a wait may be answered (I14), in nanoseconds.
    pub wait_slack_ns: u64,
}

/// Checks a history against every invariant that a history can show, and returns the violations:
/// none, for a correct store.
pub fn check(history: &History, rules: &Rules) -> Vec<Violation> {
    let items = item::items(history, *rules);
    let story = Story::of(history, &items, *rules);
    let mut findings = Findings::default();
    for life in story.lives() {
        origin::check_life(&story, life, &mut findings);
        leases::check_life(&story, life, &mut findings);
        outcomes::check_life(&story, life, &mut findings);
        terminal::check_life(life, &mut findings);
        budgets::check_life(life, &mut findings);
        results::check_life(&story, life, &mut findings);
        conservation::check_life(&story, life, &mut findings);
        limits::check_life(&story, life, &mut findings);
        orphans::check_life(life, &mut findings);
    }
    let members = Members::of(&story);
    for life in story.lives().filter(|life| life.has_gate()) {
        signals::check_life(&story, life, members.to(life), &mut findings);
        gates::check_life(&story, life, members.to(life), &mut findings);
    }
    orphans::check(&story, &mut findings);
    presence::check(&story, &mut findings);
    origin::check_groups(&story, &mut findings);
    origin::check_followers(&story, &mut findings);
    order::check(&story, &mut findings);
    waits::check(&story, &mut findings);
    limits::check(&story, &mut findings);
    partitions::check(&story, &mut findings);
    transactions::check(&story, &mut findings);
    conservation::check(&story, &mut findings);
    findings.into_violations()
}
