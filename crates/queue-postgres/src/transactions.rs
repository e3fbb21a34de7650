//! Enqueueing and settling inside the caller's own transaction: with the caller's data, or not at
//! all (I18).

use crate::{
    call::{CallConnection, CommitScope, before_callers_transaction, intern_for, note_lost_connection},
    error::Effect,
    storage::PostgresStorage,
    verb_error::VerbError,
    verbs::{apply_all, are_orphans, enqueue_jobs},
};
use queue_core::{
    AnswerRoom, Applied, Changed, Enqueued, Error, ErrorKind, JobMeta, LeaseToken, NewJob, Payload,
    QueueName, RE_DECIDES_MAX, Result, Stamped,
    lifecycle::{Event, Policy, Transition, decide},
};
use sqlx::PgConnection;
use std::time::Duration;
use tokio::time::timeout;

/// How long a caller's transaction is held up by what would only be of use to the next one.
const LEARN_TIMEOUT: Duration = Duration::from_secs(1);

impl PostgresStorage {
    /// Stores jobs in a transaction of the caller: they can be seen, and claimed, if and only if it
    /// commits. Workers are woken by the commit.
    ///
    /// `connection` is one to this store's database with a transaction open; a `sqlx::Transaction`
    /// can be handed over as `&mut *transaction`. The answers are in the order of the jobs. Keep
    /// the transaction short: another enqueue of the same id waits for its end.
    ///
    /// # Errors
    /// `Invalid`, with nothing written, as for [`Storage::enqueue`](queue_core::Storage::enqueue),
    /// and for a connection to another server or database. Any other error leaves the transaction
    /// in a state from which it can only be rolled back. A dropped future leaves it to the caller
    /// to roll back.
    ///
    /// ```no_run
    /// use queue_core::{ContentType, JobId, Kind, NewJob, Payload, QueueName};
    /// use queue_postgres::PostgresStorage;
    ///
    /// async fn sign_up(store: &PostgresStorage, pool: &sqlx::PgPool) -> Result<(), Box<dyn std::error::Error>> {
    ///     let payload = Payload::new("{}", ContentType::from_static("application/json"));
    ///     let job = NewJob::new(JobId::new("welcome-42")?, Kind::from_static("email"), payload);
    ///
    ///     let mut transaction = pool.begin().await?;
    ///     sqlx::query("INSERT INTO person (id) VALUES (42)").execute(&mut *transaction).await?;
    ///     store.enqueue_in(&mut transaction, &QueueName::new("emails")?, &[job]).await?;
    ///     transaction.commit().await?; // now there is a person, and an e-mail to be sent
    ///     Ok(())
    /// }
    /// ```
    pub async fn enqueue_in(
        &self,
        connection: &mut PgConnection,
        queue: &QueueName,
        jobs: &[NewJob],
    ) -> Result<Stamped<Vec<Enqueued>>> {
        const NAME: &str = "enqueue_in";
        self.handle.check_open(NAME)?;
        self.handle.options.limits.check_enqueue(&[jobs.to_vec()])?;
        self.expect_same_tables(connection, NAME).await?;
        self.learn(queue, NAME).await?;
        let mut call = CallConnection::new(&self.handle, connection, CommitScope::CallersTransaction);
        let stored = async {
            let jobs: Vec<&NewJob> = jobs.iter().collect();
            let value = if are_orphans(&mut call, queue, &jobs).await? {
                call.now().await?;
                vec![Enqueued::Orphaned; jobs.len()]
            } else {
                let number = intern_for(&mut call, queue, jobs.iter().copied()).await?;
                enqueue_jobs(&mut call, number, queue, &jobs, None).await?
            };
            let mut value = vec![value];
            AnswerRoom::new(self.handle.options.limits.answer_bytes_max).trim_results(&mut value);
            Ok(Stamped::at(call.latest_time(), value.pop().unwrap_or_default()))
        };
        stored.await.map_err(|error: VerbError| error.explain(NAME, Effect::None))
    }

    /// Completes a job in a transaction of its handler, so that the job's completion and the
    /// handler's writes commit together. `job` and `token` come from the claim.
    ///
    /// Commit soon: while the transaction is open no heartbeat of the job is stored, so its lease
    /// goes on to its end, and the handler is then cancelled, since the lease was lost.
    ///
    /// In a transaction that is `REPEATABLE READ` or `SERIALIZABLE` call this first: from then on
    /// heartbeats leave the row alone. Later on, a heartbeat since the transaction's first
    /// statement has changed what the transaction may not see changed, and the answer is a
    /// `Conflict`, however often it is tried with as long a start.
    ///
    /// Roll back unless the answer is [`Changed::Done`]: a [`Changed::LeaseLost`] or
    /// [`Changed::Missing`] means that the job runs elsewhere, or ran. After the commit, settling
    /// the job once more with the same token and event, as a worker does, is answered as done and
    /// writes nothing.
    ///
    /// # Errors
    /// As for [`enqueue_in`](Self::enqueue_in), and `Conflict` if the job's flags kept moving.
    ///
    /// ```no_run
    /// use queue_core::{Changed, ClaimedJob, ContentType, Payload};
    /// use queue_postgres::PostgresStorage;
    ///
    /// async fn charge(store: &PostgresStorage, pool: &sqlx::PgPool, job: &ClaimedJob) -> Result<(), Box<dyn std::error::Error>> {
    ///     let mut transaction = pool.begin().await?;
    ///     sqlx::query("UPDATE account SET balance = balance - 7 WHERE id = 42").execute(&mut *transaction).await?;
    ///     let result = Payload::new("null", ContentType::from_static("application/json"));
    ///     match store.complete_in(&mut transaction, &job.record.meta, job.token, result).await? {
    ///         Changed::Done(_) => transaction.commit().await?,
    ///         _ => transaction.rollback().await?, // somebody else holds the job now, and will charge
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub async fn complete_in(
        &self,
        connection: &mut PgConnection,
        job: &JobMeta,
        token: LeaseToken,
        result: Payload,
    ) -> Result<Changed> {
        let complete = Event::Complete { token, result, retention: None, then: Vec::new() };
        self.settle_in(connection, job, complete, &Policy::default()).await
    }

    /// Settles a job in a transaction of its handler by any event, with what follows it. See
    /// [`complete_in`](Self::complete_in).
    ///
    /// # Errors
    /// As for [`complete_in`](Self::complete_in).
    pub async fn settle_in(
        &self,
        connection: &mut PgConnection,
        job: &JobMeta,
        event: Event,
        policy: &Policy,
    ) -> Result<Changed> {
        let mut seen = job.clone();
        for _ in 0..RE_DECIDES_MAX {
            let transition = match decide(&seen, event.clone(), policy) {
                Ok(transition) => transition,
                Err(rejected) => return Ok(Changed::Rejected(rejected)),
            };
            match self.apply_in(&mut *connection, &[transition]).await?.value.pop() {
                Some(Applied::Done(meta)) => return Ok(Changed::Done(meta)),
                Some(Applied::LeaseLost(meta)) => return Ok(Changed::LeaseLost(meta)),
                Some(Applied::Stale(meta)) => seen = meta,
                Some(Applied::Missing) | None => return Ok(Changed::Missing),
            }
        }
        let message = "the record kept moving; roll back, and handle the job anew";
        Err(Error::new(ErrorKind::Conflict, "settle_in", message))
    }

    /// Applies transitions in a transaction of the caller. See
    /// [`Storage::apply`](queue_core::Storage::apply).
    ///
    /// # Errors
    /// As for [`enqueue_in`](Self::enqueue_in).
    pub async fn apply_in(
        &self,
        connection: &mut PgConnection,
        batch: &[Transition],
    ) -> Result<Stamped<Vec<Applied>>> {
        const NAME: &str = "apply_in";
        self.handle.check_open(NAME)?;
        self.handle.options.limits.check_apply(batch)?;
        for sent in batch {
            self.learn(&sent.queue, NAME).await?;
        }
        let mut call = CallConnection::new(&self.handle, connection, CommitScope::CallersTransaction);
        let applied = apply_all(&mut call, batch).await;
        let applied = applied.map_err(|error| {
            if error.is_outdated() { outdated(NAME, error) } else { error.explain(NAME, Effect::None) }
        })?;
        // Asked afterwards, since the first statement of a stricter transaction shall be the one
        // that writes; what is not found, or is another's, wrote nothing.
        if applied.value.iter().any(|applied| !matches!(applied, Applied::Done(_))) {
            self.expect_same_tables(connection, NAME).await?;
        }
        Ok(applied)
    }

    /// Refuses a connection to another server or database, where a schema of the same name may
    /// stand.
    async fn expect_same_tables(&self, connection: &mut PgConnection, operation: &'static str) -> Result<()> {
        match self.handle.identity.is_of(connection).await {
            Ok(true) => Ok(()),
            Ok(false) => {
                let message = "the transaction is in another database than the queue, or on another server; begin it on a \
                    connection to the queue's own";
                Err(Error::invalid(operation, message))
            }
            Err(error) => Err(VerbError::from(error).explain(operation, Effect::None)),
        }
    }

    /// Looks up what the caller's transaction needs by an idle connection of the pool, if there is
    /// one, so that it can be remembered. It waits for none, since callers may hold them all (but
    /// with an injected clock, whose mark is written down first); and it adds nothing, since the
    /// caller's own transaction may have begun to. If it fails, the caller's transaction looks for
    /// itself. Behind a pooler a statement alone may meet two servers.
    async fn learn(&self, queue: &QueueName, operation: &'static str) -> Result<()> {
        before_callers_transaction(&self.handle, operation).await?;
        let is_known = self.handle.names.number(queue).is_some();
        if is_known || !self.handle.keeps_settings {
            return Ok(());
        }
        if let Some(mut connection) = self.handle.pools.try_acquire() {
            let mut call = CallConnection::new(&self.handle, &mut connection, CommitScope::Statement);
            match timeout(LEARN_TIMEOUT, call.learn_queue(queue)).await {
                Ok(Ok(())) => connection.release(true),
                Ok(Err(error)) => note_lost_connection(&self.handle, &error),
                Err(_) => self.handle.connection_lost(),
            }
        }
        Ok(())
    }
}

/// The transaction cannot see a heartbeat or another change that the job had since.
fn outdated(operation: &'static str, cause: VerbError) -> Error {
    let message = "the job changed since this transaction first looked at the database, such as by a heartbeat, and at this \
        isolation it may not go on: begin it as READ COMMITTED, or settle the job in its first statement";
    let error = Error::new(ErrorKind::Conflict, operation, message);
    match cause {
        VerbError::Driver(source) => error.with_source(source),
        VerbError::Own(_) => error,
    }
}
