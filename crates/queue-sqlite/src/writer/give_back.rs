use super::{commit::Database, session::Session};
use queue_store::{UnheardClaim, group_commit::Verb};

/// Gives back, uncharged, what claims leased whose callers are gone.
#[derive(Debug)]
pub(super) struct GiveBack(pub(super) UnheardClaim);

impl Verb<Database> for GiveBack {
    type Answer = ();

    const NAME: &'static str = "claim";

    fn run(&self, session: &mut Session<'_>) -> rusqlite::Result<()> {
        let one_by_one = |session: &mut Session<'_>, batch: Vec<_>| {
            batch.iter().map(|transition| session.apply_one(transition)).collect()
        };
        self.0.give_back(|batch| one_by_one(session, batch))
    }
}
