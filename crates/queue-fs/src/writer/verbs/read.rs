use crate::{
    FsUsage,
    error::Fault,
    writer::{
        commit::{Files, Need},
        session::Session,
    },
};
use queue_core::{
    Counts, Detail, JobAttempts, JobId, JobRecord, ListQuery, Page, QueueName, QueuesPage, QueuesQuery,
    Stamped, WorkerInfo,
};
use queue_store::group_commit::Verb;

/// Reads jobs by id.
#[derive(Debug)]
pub(crate) struct Get {
    pub(crate) queue: QueueName,
    pub(crate) ids: Vec<JobId>,
    pub(crate) what: Detail,
}

impl Verb<Files> for Get {
    type Answer = Stamped<Vec<Option<JobRecord>>>;

    const NAME: &'static str = "get";
    const NEED: Need = Need::Read;

    fn run(&self, session: &mut Session) -> Result<Self::Answer, Fault> {
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
pub(crate) struct List(pub(crate) ListQuery);

impl Verb<Files> for List {
    type Answer = queue_core::Result<Page>;

    const NAME: &'static str = "list";
    const NEED: Need = Need::Read;

    fn run(&self, session: &mut Session) -> Result<Self::Answer, Fault> {
        Ok(session.state.engine.list(&self.0, session.moment))
    }
}

/// Reads a job with what was charged to it.
#[derive(Debug)]
pub(crate) struct Attempts {
    pub(crate) queue: QueueName,
    pub(crate) id: JobId,
}

impl Verb<Files> for Attempts {
    type Answer = Stamped<Option<JobAttempts>>;

    const NAME: &'static str = "attempts";
    const NEED: Need = Need::Read;

    fn run(&self, session: &mut Session) -> Result<Self::Answer, Fault> {
        let found = session.state.engine.attempts(&self.queue, &self.id, session.moment.now);
        Ok(Stamped::at(session.moment, found))
    }
}

/// Counts jobs by state.
#[derive(Debug)]
pub(crate) struct Count(pub(crate) QueueName);

impl Verb<Files> for Count {
    type Answer = Counts;

    const NAME: &'static str = "counts";
    const NEED: Need = Need::Read;

    fn run(&self, session: &mut Session) -> Result<Counts, Fault> {
        Ok(session.state.engine.counts(&self.0, session.moment))
    }
}

/// Reads a page of the queues.
#[derive(Debug)]
pub(crate) struct Queues(pub(crate) QueuesQuery);

impl Verb<Files> for Queues {
    type Answer = QueuesPage;

    const NAME: &'static str = "queues";
    const NEED: Need = Need::Read;

    fn run(&self, session: &mut Session) -> Result<QueuesPage, Fault> {
        Ok(session.state.engine.queues(&self.0, session.moment))
    }
}

/// The workers that are shown.
#[derive(Debug)]
pub(crate) struct Workers;

impl Verb<Files> for Workers {
    type Answer = Vec<WorkerInfo>;

    const NAME: &'static str = "workers";
    const NEED: Need = Need::Read;

    fn run(&self, session: &mut Session) -> Result<Self::Answer, Fault> {
        Ok(session.state.engine.workers(session.moment.now))
    }
}

/// What all of it takes up.
#[derive(Debug)]
pub(crate) struct Measure;

impl Verb<Files> for Measure {
    type Answer = FsUsage;

    const NAME: &'static str = "usage";
    const NEED: Need = Need::Read;

    fn run(&self, session: &mut Session) -> Result<FsUsage, Fault> {
        Ok(session.state.usage())
    }
}

/// Cross-checks everything.
#[derive(Debug)]
pub(crate) struct Verify;

impl Verb<Files> for Verify {
    type Answer = Vec<String>;

    const NAME: &'static str = "verify";
    const NEED: Need = Need::Read;

    fn run(&self, session: &mut Session) -> Result<Self::Answer, Fault> {
        session.state.verify(session.journal.files(), session.moment.now)
    }
}
