//! Enqueueing and settling inside a transaction of the application on the same file: with its data,
//! or not at all (I18).

use crate::{
    files::FileIdentity,
    storage::SqliteStorage,
    writer::{SqliteApply, SqliteEnqueue, SqliteHandle, within},
};
use queue_core::{
    Applied, Changed, Enqueued, Error, ErrorKind, JobMeta, LeaseToken, NewJob, Payload, QueueName,
    RE_DECIDES_MAX, Result, Stamped,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue_store::group_commit::Verb;
use rusqlite::{Connection, MAIN_DB, OptionalExtension, TransactionState};
use std::{fs, path::Path};

const FIND_SHADOW: &str = include_str!("../sql/find_shadow.sql");

impl SqliteStorage {
    /// Stores jobs in a transaction of the application on the same file: they can be seen, and
    /// claimed, if and only if it commits. The commit wakes workers, in this process and in others.
    ///
    /// `connection` is one of the application's with a transaction that has the write lock, such as
    /// a `rusqlite::Transaction` begun as `Immediate`. What is written is as durable as the
    /// `synchronous` of *that* connection. The answers are in the order of the jobs.
    ///
    /// This blocks, as the rest of the transaction does: keep all of it off async threads. While
    /// the transaction is open, all that the store writes waits, heartbeats included: for
    /// [`busy_timeout`](crate::SqliteOptions::busy_timeout), then calls are `Unavailable`.
    ///
    /// # Errors
    /// `Invalid`, with nothing written, as for [`Storage::enqueue`](queue_core::Storage::enqueue),
    /// for a connection to another file, and for one that does not have the write lock. After any
    /// error nothing of the call is left in the transaction.
    ///
    /// ```
    /// use queue_core::{ContentType, JobId, Kind, NewJob, Payload, QueueName};
    /// use queue_sqlite::{SqliteOptions, SqliteStorage, rusqlite};
    /// use rusqlite::{Connection, TransactionBehavior};
    ///
    /// fn sign_up(store: &SqliteStorage, connection: &mut Connection) -> Result<(), Box<dyn std::error::Error>> {
    ///     let payload = Payload::new("{}", ContentType::from_static("application/json"));
    ///     let job = NewJob::new(JobId::new("welcome-42")?, Kind::from_static("email"), payload);
    ///
    ///     let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    ///     transaction.execute("INSERT INTO person (id) VALUES (42)", [])?;
    ///     store.enqueue_in(&transaction, &QueueName::new("emails")?, &[job])?;
    ///     transaction.commit()?; // now there is a person, and an e-mail to be sent
    ///     Ok(())
    /// }
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("app.db");
    /// # let store = runtime.block_on(SqliteStorage::open(SqliteOptions::new(&path)))?;
    /// # let mut connection = Connection::open(&path)?;
    /// # connection.execute_batch("CREATE TABLE person (id INTEGER)")?;
    /// # sign_up(&store, &mut connection)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn enqueue_in(
        &self,
        connection: &Connection,
        queue: &QueueName,
        jobs: &[NewJob],
    ) -> Result<Stamped<Vec<Enqueued>>> {
        const NAME: &str = "enqueue_in";
        let groups = vec![jobs.to_vec()];
        self.shared.options.limits.check_enqueue(&groups)?;
        let answers = self.join(NAME, connection, &SqliteEnqueue { queue: queue.clone(), groups })?;
        let moment = answers.moment();
        let mut value = answers.value;
        Ok(Stamped::at(moment, value.pop().unwrap_or_default()))
    }

    /// Completes a job in a transaction of its handler, so that the job's completion and the
    /// handler's writes commit together. `job` and `token` come from the claim.
    ///
    /// Roll back unless the answer is [`Changed::Done`]: a [`Changed::LeaseLost`] or
    /// [`Changed::Missing`] means that the job runs elsewhere, or ran. After the commit, settling
    /// the job once more with the same token and event, as a worker does, is answered as done and
    /// writes nothing.
    ///
    /// # Errors
    /// As for [`enqueue_in`](Self::enqueue_in).
    pub fn complete_in(
        &self,
        connection: &Connection,
        job: &JobMeta,
        token: LeaseToken,
        result: Payload,
    ) -> Result<Changed> {
        let complete = Event::Complete { token, result, retention: None, then: Vec::new() };
        self.settle_in(connection, job, &complete, &Policy::default())
    }

    /// Settles a job in a transaction of its handler by any event, with what follows it. See
    /// [`complete_in`](Self::complete_in).
    ///
    /// # Errors
    /// As for [`enqueue_in`](Self::enqueue_in).
    pub fn settle_in(
        &self,
        connection: &Connection,
        job: &JobMeta,
        event: &Event,
        policy: &Policy,
    ) -> Result<Changed> {
        let mut seen = job.clone();
        for _ in 0..RE_DECIDES_MAX {
            let transition = match decide(&seen, event.clone(), policy) {
                Ok(transition) => transition,
                Err(rejected) => return Ok(Changed::Rejected(rejected)),
            };
            match self.apply_in(connection, &[transition])?.value.pop() {
                Some(Applied::Done(meta)) => return Ok(Changed::Done(meta)),
                Some(Applied::LeaseLost(meta)) => return Ok(Changed::LeaseLost(meta)),
                // The write lock keeps other writers out, so the next decision is final.
                Some(Applied::Stale(meta)) => seen = meta,
                Some(Applied::Missing) | None => return Ok(Changed::Missing),
            }
        }
        let message = "the record kept moving; roll back, and handle the job anew";
        Err(Error::new(ErrorKind::Conflict, "settle_in", message))
    }

    /// Applies transitions in a transaction of the application. See
    /// [`Storage::apply`](queue_core::Storage::apply).
    ///
    /// # Errors
    /// As for [`enqueue_in`](Self::enqueue_in).
    pub fn apply_in(&self, connection: &Connection, batch: &[Transition]) -> Result<Stamped<Vec<Applied>>> {
        self.shared.options.limits.check_apply(batch)?;
        self.join("apply_in", connection, &SqliteApply(batch.to_vec()))
    }

    fn join<V: Verb<crate::writer::Database>>(
        &self,
        operation: &'static str,
        connection: &Connection,
        verb: &V,
    ) -> Result<V::Answer> {
        self.check_open(operation)?;
        check_connection(&self.shared, connection).map_err(|why| match why {
            UnfitConnection::For(reason) => Error::invalid(operation, reason),
            UnfitConnection::Failed(error) => self.shared.fault(error).of(operation),
        })?;
        within(&self.shared, connection, verb).map_err(|fault| fault.of(operation))
    }
}

/// Why a connection cannot be used.
enum UnfitConnection {
    For(&'static str),
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for UnfitConnection {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error)
    }
}

/// Refuses a connection on which the store's statements would wait for a lock, or meet other tables
/// than the store's.
fn check_connection(shared: &SqliteHandle, connection: &Connection) -> Result<(), UnfitConnection> {
    if !leads_to(shared, connection.path().map(Path::new)) {
        return Err(UnfitConnection::For(
            "the transaction is on another file than the queue; open the connection on the queue's own file, as its main \
             database",
        ));
    }
    if connection.transaction_state(Some(MAIN_DB))? != TransactionState::Write {
        return Err(UnfitConnection::For(
            "the transaction does not have the write lock; begin it as IMMEDIATE, with \
             `transaction_with_behavior(TransactionBehavior::Immediate)`",
        ));
    }
    let shadow = connection.query_row(FIND_SHADOW, [], |_| Ok(())).optional()?;
    if shadow.is_some() {
        return Err(UnfitConnection::For(
            "the connection has a temporary table or view by the name of one of the queue's, which would be written instead; \
             drop it, or use another connection",
        ));
    }
    Ok(())
}

/// Whether a path leads to the store's file, by the file's identity where the system has one.
fn leads_to(shared: &SqliteHandle, path: Option<&Path>) -> bool {
    let Some(path) = path.filter(|path| !path.as_os_str().is_empty()) else { return false };
    let is_same = || Some(FileIdentity::of(&fs::metadata(path).ok()?) == shared.files.database()?);
    let same_path = || Some(path.canonicalize().ok()? == shared.options.path.canonicalize().ok()?);
    is_same() == Some(true) && (cfg!(unix) || same_path() == Some(true))
}
