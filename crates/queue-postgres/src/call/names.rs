//! Numbers of queues and lanes of priorities: looked up, and given where they are missing.
//!
//! What a committed transaction left is remembered in the handle's
//! [`NameCache`](crate::name_cache::NameCache).

use super::{
    connection::{BoundQuery, CallConnection},
    scope::CommitScope,
};
use crate::verb_error::VerbError;
use queue_core::{NewJob, QueueName};
use sqlx::Row;

/// The number of a queue that shall hold these jobs, with a lane for each of their priorities, and
/// marked if one has a partition.
pub(crate) async fn intern_for(
    connection: &mut CallConnection<'_>,
    name: &QueueName,
    jobs: impl Iterator<Item = &NewJob>,
) -> Result<i32, VerbError> {
    let mut has_partitions = false;
    let noted = jobs.inspect(|job| has_partitions |= job.partition.is_some());
    let priorities = noted.map(|job| job.priority).collect();
    let queue = intern_priorities(connection, name, priorities).await?;
    if has_partitions {
        connection.mark_partitions(queue).await?;
    }
    Ok(queue)
}

/// The number of a queue, with a lane for each of these priorities.
pub(crate) async fn intern_priorities(
    connection: &mut CallConnection<'_>,
    name: &QueueName,
    priorities: Vec<i16>,
) -> Result<i32, VerbError> {
    if let Some(queue) = connection.handle.names.queue_with_lanes(name, &priorities) {
        return Ok(queue);
    }
    let queue = connection.intern_queue(name).await?;
    connection.intern_lanes(queue, priorities).await?;
    Ok(queue)
}

impl CallConnection<'_> {
    /// The number of a queue, if it has one.
    pub(crate) async fn find_queue(&mut self, name: &QueueName) -> Result<Option<i32>, VerbError> {
        if let Some(number) = self.handle.names.number(name) {
            return Ok(Some(number));
        }
        let text = vec![name.as_str().to_owned()];
        let rows = self.read(&self.handle.statements.find_queues, |query| query.bind(text)).await?;
        let found = rows.first().map(|row| row.try_get(0)).transpose()?;
        if let Some(number) = found.filter(|_| self.reads_only_committed_names()) {
            self.handle.names.learn(name, number);
        }
        Ok(found)
    }

    /// The number of a queue, given now if it had none.
    pub(crate) async fn intern_queue(&mut self, name: &QueueName) -> Result<i32, VerbError> {
        if let Some(number) = self.find_queue(name).await? {
            return Ok(number);
        }
        let text = name.as_str();
        self.write(&self.handle.statements.add_queue, |query| query.bind(text.to_owned())).await?;
        self.has_interned = true;
        // The queue is looked up once more, since another process may have added it meanwhile.
        self.find_queue(name).await?.ok_or_else(|| sqlx::Error::RowNotFound.into())
    }

    /// Remembers a queue and the priorities that it uses, if it is there.
    pub(crate) async fn learn_queue(&mut self, name: &QueueName) -> Result<(), VerbError> {
        match self.find_queue(name).await? {
            Some(queue) => self.learn_lanes(queue).await,
            None => Ok(()),
        }
    }

    /// Sees to it that claims look at these priorities.
    async fn intern_lanes(&mut self, queue: i32, priorities: Vec<i16>) -> Result<(), VerbError> {
        let handle = self.handle;
        let mut missing = handle.names.unknown_lanes(queue, &priorities);
        // The server may know lanes that the cache does not, and then nothing has to be written.
        if !missing.is_empty() && self.scope == CommitScope::Transaction && !self.has_interned {
            self.learn_lanes(queue).await?;
            missing = handle.names.unknown_lanes(queue, &missing);
        }
        if missing.is_empty() {
            return Ok(());
        }
        self.write(&handle.statements.add_lanes, |query| query.bind(queue).bind(missing.clone())).await?;
        self.has_interned = true;
        // In a transaction the rows may still be rolled back, and the cache must not outlive them.
        if self.scope == CommitScope::Statement {
            handle.names.learn_lanes(queue, &missing);
        }
        Ok(())
    }

    /// Marks a queue as one that has gates, before a job with one can be seen.
    pub(crate) async fn mark_gates(&mut self, queue: i32) -> Result<(), VerbError> {
        let handle = self.handle;
        if handle.names.has_gates(queue) {
            return Ok(());
        }
        self.write(&handle.statements.mark_gates, |query| query.bind(queue)).await?;
        if self.scope == CommitScope::Statement {
            handle.names.learn_gates(queue);
        }
        Ok(())
    }

    /// Marks a queue as one that has partitions or limits, before a job with one can be seen.
    pub(crate) async fn mark_partitions(&mut self, queue: i32) -> Result<(), VerbError> {
        let handle = self.handle;
        if handle.names.has_partitions(queue) {
            return Ok(());
        }
        self.write(&handle.statements.mark_partitions, |query| query.bind(queue)).await?;
        if self.scope == CommitScope::Statement {
            handle.names.learn_partitions(queue);
        }
        Ok(())
    }

    /// Sends other processes the hint that a claim on a queue may find something.
    pub(crate) async fn notify_wake(&mut self, queue: i32) -> Result<(), VerbError> {
        let handle = self.handle;
        let text = format!("{}\nw\t{queue}", self.origin());
        if let Some(channel) = handle.notify_channel() {
            let bind = |query: BoundQuery| query.bind(channel.to_owned()).bind(text.clone());
            self.write(&handle.statements.notify, bind).await?;
        }
        Ok(())
    }

    async fn learn_lanes(&mut self, queue: i32) -> Result<(), VerbError> {
        let rows = self.read(&self.handle.statements.find_lanes, |query| query.bind(queue)).await?;
        let lanes: Vec<i16> = rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>()?;
        self.handle.names.learn_lanes(queue, &lanes);
        Ok(())
    }

    /// False where a transaction may see a name that it gave itself and that goes with it.
    fn reads_only_committed_names(&self) -> bool {
        match self.scope {
            CommitScope::Statement => true,
            CommitScope::Transaction => !self.has_interned,
            CommitScope::CallersTransaction => false,
        }
    }
}
