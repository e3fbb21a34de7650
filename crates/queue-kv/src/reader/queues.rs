//! Reads the list of queues, and the workers that are present.

use crate::{
    failure::{KvFailure, KvResult},
    keys::{self, Family},
    values,
    view::View,
};
use queue_core::{PausedKind, QueueName, QueueStatus, QueuesPage, QueuesQuery, WorkerInfo};

impl View<'_> {
    /// One page of the queues, all at the same moment.
    pub(crate) fn queues(&self, query: &QueuesQuery) -> KvResult<QueuesPage> {
        let mut queues = Vec::new();
        for (key, _) in self.scan(&keys::names_from(query.start()), query.limit())? {
            let name =
                std::str::from_utf8(keys::name_of(&key)).ok().and_then(|text| QueueName::new(text).ok());
            let name = name.ok_or_else(|| KvFailure::corrupt("a queue has no name"))?;
            let (pause, marks) = self.pauses(&name)?;
            let kinds = if marks.kinds { self.kinds(&name)? } else { Vec::new() };
            let kinds = kinds.into_iter().filter(|(_, pause)| pause.is_on());
            let paused_kinds = kinds.map(|(kind, pause)| PausedKind { kind, pause }).collect();
            let counts = self.counts(&name)?;
            queues.push(QueueStatus { name, pause, paused_kinds, counts });
        }
        Ok(query.page(queues))
    }
}

/// The workers that have not expired, by id.
pub(crate) fn workers(view: &View<'_>) -> KvResult<Vec<WorkerInfo>> {
    let mut workers = Vec::new();
    view.each(keys::family(Family::Worker), |(_, value)| {
        let (worker, until) = values::read_worker(value)?;
        if until > view.now() {
            workers.push(worker);
        }
        Ok(())
    })?;
    Ok(workers)
}
