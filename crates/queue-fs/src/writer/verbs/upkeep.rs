//! Calls that the handle's own threads make: catching up and flushing.

use crate::{
    error::FsFault,
    writer::{
        commit::{FsCommitter, TransactionKind},
        session::JournalSession,
    },
};
use queue_store::group_commit::Verb;

/// Reads what other handles wrote. The transaction sends the hints when it begins.
#[derive(Debug)]
pub(crate) struct FsCatchUp;

impl Verb<FsCommitter> for FsCatchUp {
    type Answer = ();

    const NAME: &'static str = "subscribe";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, _: &mut JournalSession) -> Result<(), FsFault> {
        Ok(())
    }
}

/// Flushes records that were answered before they were durable.
#[derive(Debug)]
pub(crate) struct FsFlushNow;

impl Verb<FsCommitter> for FsFlushNow {
    type Answer = ();

    const NAME: &'static str = "flush";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<(), FsFault> {
        session.journal.flush()
    }
}
