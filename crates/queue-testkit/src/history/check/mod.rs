//! Judges a history. It shares no code with the state machine or with any store: everything here
//! follows from the words of the invariants and from what was asked and answered.
//!
//! Only what is certain is reported. A call took effect somewhere between its begin and its end;
//! one whose outcome is unknown may take effect at any time after its begin, or never. Within a
//! life the revisions that answers show put the writes in order, and where revisions themselves are
//! wrong, real time does.

mod budgets;
mod conservation;
mod finding;
mod item;
mod leases;
mod life;
mod limits;
mod order;
mod origin;
mod outcomes;
mod presence;
mod results;
mod story;
mod terminal;
mod transactions;
mod waits;

pub use finding::Violation;

use crate::history::History;
use finding::Findings;
use story::Story;

/// What a verdict needs to know about the run that no event says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// Calls may have reached the store twice, as
    /// [`Fault::Duplicate`](crate::fault::Fault::Duplicate) does. The answers are those of the
    /// first, so what a second did is in no event.
    pub echoes: bool,
    /// At most this many handlers of one worker run at once (I17). `None` checks nothing.
    pub concurrency_max: Option<usize>,
    /// How far from its deadline a wait may be answered (I14), in nanoseconds.
    pub wait_slack_ns: u64,
}

/// Checks a history against every invariant that shows in one, and answers what is broken: nothing,
/// for a good store.
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
    }
    presence::check(&story, &mut findings);
    origin::check_groups(&story, &mut findings);
    origin::check_followers(&story, &mut findings);
    order::check(&story, &mut findings);
    waits::check(&story, &mut findings);
    limits::check(&story, &mut findings);
    transactions::check(&story, &mut findings);
    conservation::check(&story, &mut findings);
    findings.into_violations()
}
