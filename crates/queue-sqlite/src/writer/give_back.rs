//! The verb that gives back leases whose caller has left.

use super::{commit::Database, session::SqliteSession};
use queue_store::{UnheardClaim, group_commit::Verb};

/// Gives back, uncharged, the leases of claims whose callers have left.
#[derive(Debug)]
pub(super) struct SqliteGiveBack(pub(super) UnheardClaim);

impl Verb<Database> for SqliteGiveBack {
    type Answer = ();

    const NAME: &'static str = "claim";

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<()> {
        let one_by_one = |session: &mut SqliteSession<'_>, batch: Vec<_>| {
            batch.iter().map(|transition| session.apply_one(transition)).collect()
        };
        self.0.give_back(|batch| one_by_one(session, batch))
    }
}
