//! `counts` and `queues`: the counters of one queue, or of a page of queues.

use crate::{
    client::{Access, ScriptRun},
    handle::{HandleState, ScriptAnswer, arg},
    kinds::read_paused,
    reply::{Reply, corrupt},
    script,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use queue_core::{Counts, Pause, QueueName, QueueStatus, QueuesPage, QueuesQuery, Result, State};
use std::str;

/// How many queues of a page are asked for at the same time.
const QUEUES_AT_ONCE: usize = 64;

impl HandleState {
    pub(crate) async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        Ok(self.status("counts", queue.clone()).await?.counts)
    }

    /// One page: the names in one script, and then each queue in one of its own, since they may be
    /// on different nodes.
    pub(crate) async fn page_of_queues(&self, query: &QueuesQuery) -> Result<QueuesPage> {
        let names = self.names("queues", query.start(), query.limit()).await?;
        let statuses = stream::iter(names).map(|name| self.status("queues", name)).buffered(QUEUES_AT_ONCE);
        Ok(query.page(statuses.try_collect().await?))
    }

    /// The names from a text on, in order.
    pub(super) async fn names(
        &self,
        operation: &'static str,
        start: &str,
        limit: usize,
    ) -> Result<Vec<QueueName>> {
        let keys = [self.queues.namespace().names()];
        let args = [start.as_bytes().to_vec(), arg(limit)];
        let run =
            ScriptRun { operation, script: &script::NAMES, keys: &keys, args: &args, access: Access::Reads };
        let mut reply = Reply::new(operation, self.client.run(&run).await?)?;
        let mut names = Vec::with_capacity(reply.len());
        while reply.len() > 0 {
            let name = reply.bytes()?;
            let name = str::from_utf8(&name).ok().and_then(|name| QueueName::new(name).ok());
            names.push(name.ok_or_else(|| corrupt(operation))?);
        }
        Ok(names)
    }

    async fn status(&self, operation: &'static str, name: QueueName) -> Result<QueueStatus> {
        let queue = self.queues.get(&name);
        let ScriptAnswer { moment, mut rest, .. } =
            self.call(operation, &script::COUNTS, &queue, Access::Reads, Vec::new()).await?;
        let mut counts = Counts::empty(moment);
        let mut by_state = rest.array()?;
        for state in State::ALL {
            counts.set(state, by_state.count()?);
        }
        counts.scheduled = rest.count()?;
        counts.gated = rest.count()?;
        counts.oldest_due = rest.time()?;
        let pause = Pause::from_millis(rest.integer()?);
        let paused_kinds = read_paused(operation, &mut rest, moment.now)?;
        Ok(QueueStatus { name, pause, paused_kinds, counts })
    }
}
