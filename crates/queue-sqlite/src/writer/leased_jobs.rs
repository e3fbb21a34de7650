//! A cache of the jobs that this handle leased.

use crate::row::SqliteRecord;
use queue_core::Seq;
use std::collections::HashMap;

/// How many jobs are cached. At this limit the cache starts over.
const LEASED_MAX: usize = 20_000;

/// The jobs that this handle leased, as they were written, so that a settle need not read them
/// again.
///
/// Every write to a record raises its revision, and the next one names the revision it is based on:
/// a job that another handle changed meanwhile is not overwritten, but read. A transaction that
/// fails clears the cache, since another one may give the same revision to a different record.
#[derive(Debug, Default)]
pub(super) struct LeasedJobs(HashMap<Seq, SqliteRecord>);

impl LeasedJobs {
    /// Caches a job that was just leased.
    pub(super) fn remember(&mut self, stored: SqliteRecord) {
        if self.0.len() >= LEASED_MAX {
            self.0.clear();
        }
        self.0.insert(stored.job.meta.seq, SqliteRecord { has_life: true, ..stored });
    }

    /// Removes and returns a job, which the caller is about to change.
    pub(super) fn take(&mut self, seq: Seq) -> Option<SqliteRecord> {
        self.0.remove(&seq)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::writer::{
        Database, SqliteClaim, SqliteEnqueue, session::SqliteSession, statement_costs::with_session,
    };
    use queue_core::{
        ClaimRequest, ContentType, JobId, Kind, NewJob, Payload, QueueName, SeededRng, Span, WorkerId,
    };
    use queue_store::group_commit::Verb;

    /// Runs a verb in a transaction that is left open.
    fn run<V: Verb<Database>>(session: &mut SqliteSession<'_>, verb: &V) -> V::Answer {
        session.begin().expect("it begins");
        let answer = verb.run(session).expect("it runs");
        session.flush().expect("it is written");
        answer
    }

    #[test]
    fn a_claim_that_is_rolled_back_is_forgotten() {
        with_session(a_claim_is_rolled_back);
    }

    fn a_claim_is_rolled_back(session: &mut SqliteSession<'_>) {
        let queue = QueueName::from_static("q");
        let payload = Payload::new("", ContentType::from_static("text/plain"));
        let job = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload);
        run(session, &SqliteEnqueue { queue: queue.clone(), groups: vec![vec![job]] });
        session.commit().expect("it commits");
        let worker = WorkerId::from_static("w");
        let claim = SqliteClaim(ClaimRequest::new(queue, worker, 1, Span::from_secs(1), &SeededRng::new(1)));
        for rolls_back in [false, true] {
            let claimed = run(session, &claim);
            if rolls_back {
                session.rollback();
            }
            let known = session.leased.take(claimed.jobs[0].record.meta.seq);
            assert_eq!(known.is_none(), rolls_back);
            session.rollback();
        }
    }
}
