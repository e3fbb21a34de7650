//! Verbs that read.

use crate::{
    FsUsage,
    error::FsFault,
    writer::{
        commit::{FsCommitter, TransactionKind},
        session::JournalSession,
    },
};
use queue_core::{
    Counts, Detail, JobAttempts, JobId, JobRecord, Limit, LimitScope, ListQuery, Page, PartitionPage,
    PartitionQuery, QueueName, QueuesPage, QueuesQuery, Stamped, WorkerInfo,
};
use queue_store::group_commit::{Turn, Verb};

/// Reads jobs by id.
#[derive(Debug)]
pub(crate) struct FsGet {
    pub(crate) queue: QueueName,
    pub(crate) ids: Vec<JobId>,
    pub(crate) what: Detail,
}

impl Verb<FsCommitter> for FsGet {
    type Answer = Stamped<Vec<Option<JobRecord>>>;

    const NAME: &'static str = "get";
    const TURN: Turn = Turn::Last;
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        let mut value = session.state.engine.get(&self.queue, &self.ids, self.what, session.moment.now);
        let mut room = session.answer_room();
        for record in value.iter_mut().flatten() {
            record.body.take_if(|body| !room.takes(session.state.body_len(&record.meta, body)));
            if let Some(body) = &mut record.body {
                session.state.fill(session.journal.files(), &record.meta, body)?;
            }
        }
        Ok(Stamped::at(session.moment, value))
    }
}

/// Reads a page of metadata, unless the cursor is not one of this store.
#[derive(Debug)]
pub(crate) struct FsList(pub(crate) ListQuery);

impl Verb<FsCommitter> for FsList {
    type Answer = queue_core::Result<Page>;

    const NAME: &'static str = "list";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        Ok(session.state.engine.list(&self.0, session.moment))
    }
}

/// Reads jobs with what was charged to them.
#[derive(Debug)]
pub(crate) struct FsReadAttempts {
    pub(crate) queue: QueueName,
    pub(crate) ids: Vec<JobId>,
}

impl Verb<FsCommitter> for FsReadAttempts {
    type Answer = Stamped<Vec<Option<JobAttempts>>>;

    const NAME: &'static str = "attempts";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        let one = |id| session.state.engine.attempts(&self.queue, id, session.moment.now);
        Ok(Stamped::at(session.moment, self.ids.iter().map(one).collect()))
    }
}

/// Counts jobs by state.
#[derive(Debug)]
pub(crate) struct FsCountJobs(pub(crate) QueueName);

impl Verb<FsCommitter> for FsCountJobs {
    type Answer = Counts;

    const NAME: &'static str = "counts";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<Counts, FsFault> {
        Ok(session.state.engine.counts(&self.0, session.moment))
    }
}

/// Reads a page of the queues.
#[derive(Debug)]
pub(crate) struct FsListQueues(pub(crate) QueuesQuery);

impl Verb<FsCommitter> for FsListQueues {
    type Answer = QueuesPage;

    const NAME: &'static str = "queues";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<QueuesPage, FsFault> {
        Ok(session.state.engine.queues(&self.0, session.moment))
    }
}

/// Reads the limits of a queue.
#[derive(Debug)]
pub(crate) struct FsReadLimits(pub(crate) QueueName);

impl Verb<FsCommitter> for FsReadLimits {
    type Answer = Vec<(LimitScope, Limit)>;

    const NAME: &'static str = "limits";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        Ok(session.state.engine.limits(&self.0))
    }
}

/// Reads a page of the partitions of a queue.
#[derive(Debug)]
pub(crate) struct FsListPartitions(pub(crate) PartitionQuery);

impl Verb<FsCommitter> for FsListPartitions {
    type Answer = PartitionPage;

    const NAME: &'static str = "partitions";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<PartitionPage, FsFault> {
        Ok(session.state.engine.partitions(&self.0, session.moment))
    }
}

/// The workers that are shown.
#[derive(Debug)]
pub(crate) struct FsListWorkers;

impl Verb<FsCommitter> for FsListWorkers {
    type Answer = Vec<WorkerInfo>;

    const NAME: &'static str = "workers";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        Ok(session.state.engine.workers(session.moment.now))
    }
}

/// What all of it takes up.
#[derive(Debug)]
pub(crate) struct FsMeasure;

impl Verb<FsCommitter> for FsMeasure {
    type Answer = FsUsage;

    const NAME: &'static str = "usage";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<FsUsage, FsFault> {
        Ok(session.state.usage())
    }
}

/// Cross-checks everything.
#[derive(Debug)]
pub(crate) struct FsVerify;

impl Verb<FsCommitter> for FsVerify {
    type Answer = Vec<String>;

    const NAME: &'static str = "verify";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        session.state.verify(session.journal.files(), session.moment.now)
    }
}
