//! The statements of listings: one for each index and end, all of one frame, `sql/list.sql`.

use super::{Renderer, Statement};
use queue_core::{State, Walk};

/// The ways through the jobs that listings take, each a fragment under `sql/walks/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListingWalk {
    All,
    Waiting,
    Leased,
    Failing,
    Finished,
    Failed,
    Due,
    Scheduled,
    Tagged,
    Lapsed,
    Held,
    Gated,
}

impl ListingWalk {
    /// In the order of their numbers.
    const ALL: [(Self, &'static str); 12] = [
        (Self::All, include_str!("../../sql/walks/all.sql")),
        (Self::Waiting, include_str!("../../sql/walks/waiting.sql")),
        (Self::Leased, include_str!("../../sql/walks/leased.sql")),
        (Self::Failing, include_str!("../../sql/walks/failing.sql")),
        (Self::Finished, include_str!("../../sql/walks/finished.sql")),
        (Self::Failed, include_str!("../../sql/walks/failed.sql")),
        (Self::Due, include_str!("../../sql/walks/due.sql")),
        (Self::Scheduled, include_str!("../../sql/walks/scheduled.sql")),
        (Self::Tagged, include_str!("../../sql/walks/tagged.sql")),
        (Self::Lapsed, include_str!("../../sql/walks/lapsed.sql")),
        (Self::Held, include_str!("../../sql/walks/held.sql")),
        (Self::Gated, include_str!("../../sql/walks/gated.sql")),
    ];

    fn of(walk: &Walk) -> Self {
        match walk {
            Walk::All(_) => Self::All,
            Walk::State(State::Queued, _) => Self::Waiting,
            Walk::State(State::Processing, _) => Self::Leased,
            Walk::State(State::Failing, _) => Self::Failing,
            Walk::State(State::Completed, _) => Self::Finished,
            Walk::State(State::Failed | State::Cancelled, _) => Self::Failed,
            Walk::Due => Self::Due,
            Walk::Scheduled => Self::Scheduled,
            Walk::Gated => Self::Gated,
            Walk::Tagged(..) => Self::Tagged,
            Walk::Lapsed => Self::Lapsed,
            Walk::Held { .. } => Self::Held,
        }
    }
}

/// The statement of each way, from either end.
#[derive(Debug)]
pub(crate) struct Listings([[Statement; 2]; 12]);

impl Listings {
    pub(crate) fn new(renderer: &mut Renderer) -> Self {
        Self(
            ListingWalk::ALL
                .map(|(_, walk)| [false, true].map(|is_reversed| renderer.listing(walk, is_reversed))),
        )
    }

    /// The statement of a listing.
    pub(crate) fn of(&self, walk: &Walk) -> &Statement {
        &self.0[ListingWalk::of(walk) as usize][usize::from(walk.is_reversed())]
    }
}

#[cfg(test)]
mod tests {
    use super::ListingWalk;

    #[test]
    fn each_walk_has_the_number_of_its_place() {
        assert!(ListingWalk::ALL.iter().enumerate().all(|(at, (source, _))| *source as usize == at));
    }
}
