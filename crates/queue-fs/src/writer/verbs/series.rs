//! The verbs that write and read entries of series.

use crate::{
    error::FsFault,
    writer::{
        commit::{FsCommitter, TransactionKind},
        session::JournalSession,
    },
};
use queue_core::{SeriesEntry, SeriesPage, SeriesQuery, Span, Stamped};
use queue_store::group_commit::Verb;

/// Keeps an entry for a while, or removes it.
#[derive(Debug)]
pub(crate) struct FsWriteSeries {
    pub(crate) entry: SeriesEntry,
    pub(crate) ttl: Span,
}

impl Verb<FsCommitter> for FsWriteSeries {
    type Answer = ();

    const NAME: &'static str = "write_series";

    fn run(&self, session: &mut JournalSession) -> Result<(), FsFault> {
        session.state.engine.write_series(self.entry.clone(), self.ttl, session.moment.now);
        Ok(())
    }
}

/// One page of the entries that have not expired.
#[derive(Debug)]
pub(crate) struct FsReadSeries(pub(crate) SeriesQuery);

impl Verb<FsCommitter> for FsReadSeries {
    type Answer = Stamped<SeriesPage>;

    const NAME: &'static str = "read_series";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        let page = session.state.engine.read_series(&self.0, session.moment.now);
        Ok(Stamped::at(session.moment, page))
    }
}
