//! The verb that writes an entry of a series.

use super::commit::{Commits, Session};
use crate::{failure::KvResult, keys, values};
use queue_core::{SeriesEntry, Span};
use queue_store::group_commit::Verb;

/// Keeps an entry for a while, or removes it. Some of those that have expired leave on the way.
#[derive(Debug)]
pub(crate) struct KvWriteSeries {
    pub(crate) entry: SeriesEntry,
    pub(crate) ttl: Span,
}

impl Verb<Commits> for KvWriteSeries {
    type Answer = ();

    const NAME: &'static str = "write_series";

    fn run(&self, session: &mut Session<'_>) -> KvResult<()> {
        let transaction = session.transaction();
        let now = transaction.now();
        for (expiry, _) in transaction.view().scan(&keys::series_expired(now), SeriesEntry::SWEPT_MAX)? {
            transaction.delete(&keys::series_of_expiry(&expiry))?;
            transaction.delete(&expiry)?;
        }
        let key = keys::series(&self.entry);
        if let Some(former) = transaction.view().get(&key)? {
            let (until, _) = values::read_kept(&former)?;
            transaction.delete(&keys::series_expiry(&key, until))?;
        }
        if self.ttl == Span::ZERO {
            return transaction.delete(&key);
        }
        let until = now + self.ttl;
        transaction.put(&key, &values::kept(&self.entry.bytes, until))?;
        transaction.put(&keys::series_expiry(&key, until), &[])
    }
}
