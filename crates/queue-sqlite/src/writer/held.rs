use crate::row::StoredJob;
use queue_core::Seq;
use std::collections::HashMap;

/// Jobs that are remembered. Beyond it the memory starts afresh: it is only a cache.
const HELD_MAX: usize = 20_000;

/// The jobs that this handle leased, as they were written, so that a settle need not read them again.
///
/// Every write to a record raises its revision, and the next one names the revision it is based on: a job that somebody
/// else changed meanwhile is not overwritten, but read. What is remembered here is forgotten with a transaction that
/// fails, since another may give the same revision to something else.
#[derive(Debug, Default)]
pub(super) struct Held(HashMap<Seq, StoredJob>);

impl Held {
    /// Remembers a job that is leased.
    pub(super) fn remember(&mut self, stored: StoredJob) {
        if self.0.len() >= HELD_MAX {
            self.0.clear();
        }
        self.0.insert(stored.job.meta.seq, StoredJob { has_life: true, ..stored });
    }

    /// Takes a job out: the caller changes it.
    pub(super) fn take(&mut self, seq: Seq) -> Option<StoredJob> {
        self.0.remove(&seq)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        clock::StoreClock,
        connect::connect,
        files::FileGuard,
        options::SqliteOptions,
        own_commits::OwnCommits,
        writer::{Claim, Database, Enqueue, Shared, session::Session},
    };
    use queue_core::{
        ClaimRequest, ContentType, JobId, Kind, NewJob, Payload, QueueName, SeededRng, Span, WorkerId,
    };
    use queue_store::group_commit::Verb;
    use std::sync::Arc;

    /// Runs a verb in a transaction that is left open.
    fn run<V: Verb<Database>>(session: &mut Session<'_>, verb: &V) -> V::Answer {
        session.begin().expect("it begins");
        let answer = verb.run(session).expect("it runs");
        session.flush().expect("it is written");
        answer
    }

    #[test]
    fn a_claim_that_is_rolled_back_is_forgotten() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = SqliteOptions::new(directory.path().join("jobs.db")).checked().expect("they are valid");
        let connection = connect(&options, 0).expect("it opens").writer;
        let clock = StoreClock::new(options.clock.clone());
        let (hub, files) = (Arc::default(), FileGuard::default());
        let shared = Shared { options, clock, hub, files, own_commits: OwnCommits::default() };
        let mut session = Session::new(&connection, &shared).expect("it prepares");
        let queue = QueueName::from_static("q");
        let payload = Payload::new("", ContentType::from_static("text/plain"));
        let job = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload);
        run(&mut session, &Enqueue { queue: queue.clone(), groups: vec![vec![job]] });
        session.commit().expect("it commits");
        let worker = WorkerId::from_static("w");
        let claim = Claim(ClaimRequest::new(queue, worker, 1, Span::from_secs(1), &SeededRng::new(1)));
        for rolls_back in [false, true] {
            let claimed = run(&mut session, &claim);
            if rolls_back {
                session.rollback();
            }
            let known = session.held.take(claimed.jobs[0].record.meta.seq);
            assert_eq!(known.is_none(), rolls_back);
            session.rollback();
        }
    }
}
