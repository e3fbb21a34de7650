//! Stores jobs.

use super::commit::{Commits, Session};
use crate::failure::KvResult;
use queue_core::{Enqueued, NewJob, QueueName, Stamped, payload_bytes};
use queue_store::group_commit::Verb;

/// Stores jobs. All groups of a call are in one transaction, so every group is whole or absent
/// (I19).
#[derive(Debug)]
pub(crate) struct KvEnqueue {
    pub(crate) queue: QueueName,
    pub(crate) groups: Vec<Vec<NewJob>>,
}

impl Verb<Commits> for KvEnqueue {
    type Answer = Stamped<Vec<Vec<Enqueued>>>;

    const NAME: &'static str = "enqueue";

    fn weight(&self) -> usize {
        self.groups.iter().map(|group| group.len() + payload_bytes(group) / 1024).sum()
    }

    fn run(&self, session: &mut Session<'_>) -> KvResult<Self::Answer> {
        let transaction = session.transaction();
        let mut room = transaction.answer_room();
        let mut one = |new| transaction.enqueue(&self.queue, new, None, &mut room);
        let groups = self.groups.iter().map(|group| group.iter().map(&mut one).collect());
        let value = groups.collect::<KvResult<_>>()?;
        Ok(Stamped::at(session.transaction().moment, value))
    }
}
