//! The verb that stores new jobs.

use crate::{
    error::FsFault,
    writer::{
        commit::{FsCommitter, TransactionKind},
        session::JournalSession,
    },
};
use queue_core::{Enqueued, NewJob, QueueName, Stamped, payload_bytes};
use queue_store::group_commit::Verb;

/// Stores jobs. Everything is in one record, so every group is whole or absent (I19).
#[derive(Debug)]
pub(crate) struct FsEnqueue {
    pub(crate) queue: QueueName,
    pub(crate) groups: Vec<Vec<NewJob>>,
}

impl Verb<FsCommitter> for FsEnqueue {
    type Answer = Stamped<Vec<Vec<Enqueued>>>;

    const NAME: &'static str = "enqueue";
    const NEED: TransactionKind = TransactionKind::Grow;

    fn weight(&self) -> usize {
        self.groups.iter().map(|group| group.len() + payload_bytes(group) / 1024).sum()
    }

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        let now = session.moment.now;
        let mut value = session.state.engine.enqueue(&self.queue, self.groups.clone(), now);
        let mut room = session.answer_room();
        for enqueued in value.iter_mut().flatten() {
            let Enqueued::Completed { seq, result } = enqueued else { continue };
            result.take_if(|result| !room.takes(session.state.result_len(&self.queue, *seq, result)));
            if let Some(result) = result {
                session.state.fill_result(session.journal.files(), &self.queue, *seq, result)?;
            }
        }
        Ok(Stamped::at(session.moment, value))
    }
}
