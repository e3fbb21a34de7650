//! `set_limits`, `limits` and `partitions`.

use crate::{
    client::Access,
    handle::{HandleState, ScriptAnswer, arg},
    limits::{read_limit, read_scope, write_limit},
    reply::{Reply, corrupt},
    script,
};
use bytes::Bytes;
use queue_core::{
    Limit, LimitScope, Partition, PartitionPage, PartitionQuery, PartitionStatus, QueueName, Result,
};

/// Scripts of one call, each of which looks at a thousand partitions, or moves a thousand jobs that
/// became due: more than a server holds.
const STEPS_MAX: usize = 1_000_000;

impl HandleState {
    /// Sets limits in one script, and then looks at all partitions that a limit is new to, in
    /// others of bounded size. Dropping the future leaves the rest of these to claims.
    pub(crate) async fn set_limits(
        &self,
        queue: &QueueName,
        limits: Vec<(LimitScope, Option<Limit>)>,
    ) -> Result<()> {
        let operation = "set_limits";
        self.client.check_open(operation)?;
        let mut args = vec![arg(Limit::SCOPES_MAX)];
        for (scope, limit) in &limits {
            limit.map_or(Ok(()), |limit| limit.check(scope))?;
            args.push(write_limit(scope, *limit)?);
        }
        let queue = self.queues.get(queue);
        // A queue that only has limits is listed too.
        self.number(operation, &queue).await?;
        for _ in 0..STEPS_MAX {
            let ScriptAnswer { mut rest, .. } =
                self.call(operation, &script::SET_LIMITS, &queue, Access::Writes, args.clone()).await?;
            Limit::check_room(usize::try_from(rest.count()?).unwrap_or(usize::MAX))?;
            if rest.count()? == 0 {
                return Ok(());
            }
            args.truncate(1);
        }
        Err(corrupt(operation))
    }

    /// The limits of a queue, in the order of their scopes.
    pub(crate) async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        let operation = "limits";
        let queue = self.queues.get(queue);
        let ScriptAnswer { mut rest, .. } =
            self.call(operation, &script::LIMITS, &queue, Access::Reads, Vec::new()).await?;
        let mut found = rest.array()?;
        let mut limits = Vec::with_capacity(found.len());
        while found.len() > 0 {
            limits.push(read_scope(&found.bytes()?).ok_or_else(|| corrupt(operation))?);
        }
        Ok(limits)
    }

    /// One page of the partitions of a queue.
    pub(crate) async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        let operation = "partitions";
        let queue = self.queues.get(&query.queue);
        let after = query.after.as_ref().map(|after| after.as_str().as_bytes().to_vec());
        let args = vec![after.unwrap_or_default(), arg(query.page_limit())];
        for _ in 0..STEPS_MAX {
            let script = &script::PARTITIONS;
            let ScriptAnswer { moment, mut rest, .. } =
                self.call(operation, script, &queue, Access::WritesLightly, args.clone()).await?;
            // One script moves a bounded number of jobs that became due, and lists only once none
            // is left to move.
            if rest.len() == 0 {
                continue;
            }
            let mut found = rest.array()?;
            let mut partitions = Vec::new();
            while found.len() > 0 {
                partitions.push(status(&mut found)?);
            }
            return Ok(query.page(partitions, moment));
        }
        Err(corrupt(operation))
    }
}

fn status(reply: &mut Reply) -> Result<PartitionStatus> {
    let partition = partition(&reply.bytes()?).ok_or_else(|| corrupt("partitions"))?;
    let (leases, waiting) = (reply.count()?, reply.count()?.min(PartitionStatus::WAITING_MAX));
    let oldest_due = reply.time()?;
    let limit = read_limit(&reply.bytes()?).map_err(|_| corrupt("partitions"))?.unwrap_or_default();
    let has_own_limit = reply.count()? != 0;
    Ok(PartitionStatus { partition, leases, waiting, oldest_due, limit, has_own_limit })
}

fn partition(key: &Bytes) -> Option<Partition> {
    Partition::new(std::str::from_utf8(key).ok()?).ok()
}
