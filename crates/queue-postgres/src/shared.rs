use crate::{
    clock::StoreClock,
    connect::{BEGIN_WITH_SETTINGS, Server},
    error::{Effect, explain},
    fault::Fault,
    fronts::Fronts,
    lent::Lent,
    options::{Pooler, PostgresOptions},
    pools::Lane,
    pulse::Pulse,
    session::{Scope, Session},
    sql::{Renderer, Statements},
    tally::Tally,
    verb::Verb,
};
use queue_core::{Error, ErrorKind, Result, Rng, SystemRng};
use queue_store::{Hub, Notices};
use sqlx::{Connection, PgConnection, Postgres, Transaction};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;
use tracing::debug;

/// How often a transaction is run that keeps losing against others.
const TRIES_MAX: usize = 8;

/// What the parts of one handle share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: PostgresOptions,
    pub(crate) server: Server,
    pub(crate) statements: Statements,
    pub(crate) clock: StoreClock,
    pub(crate) hub: Arc<Hub>,
    pub(crate) fronts: Fronts,
    pub(crate) tally: Tally,
    /// Stands in every notification of this handle, so that it knows its own.
    pub(crate) origin: String,
    is_closed: AtomicBool,
}

impl Shared {
    pub(crate) fn new(options: PostgresOptions, server: Server) -> Self {
        let renderer = Renderer::new(&options.schema, &options.time, options.pooler == Pooler::None);
        Self {
            statements: Statements::new(renderer),
            clock: StoreClock::new(options.time.clone()),
            hub: Arc::default(),
            fronts: Fronts::default(),
            tally: Tally::new(&SystemRng),
            origin: format!("{:032x}", SystemRng.next_u128()),
            is_closed: AtomicBool::new(false),
            options,
            server,
        }
    }

    /// Where statements send their notifications, if anywhere.
    pub(crate) fn channel(&self) -> Option<&str> {
        self.options.is_listening().then_some(&*self.server.channel)
    }

    /// Refuses calls of a closed handle.
    pub(crate) fn check_open(&self, operation: &'static str) -> Result<()> {
        if self.is_closed.load(Ordering::SeqCst) { Err(Error::closed(operation)) } else { Ok(()) }
    }

    /// From here on calls are refused.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }

    /// Runs a verb on a connection of the pool, to its commit. One of which nothing is heard for too long is given up with its
    /// connection: a server that vanished says nothing, and others may wait behind this call.
    pub(crate) async fn call<V: Verb>(&self, verb: &V) -> Result<V::Answer> {
        let mut connection = self.acquire_in(verb.lane(), V::NAME).await?;
        let pulse = Pulse::new();
        let calling = self.call_on(verb, &mut connection, &pulse);
        let limit = if V::TAKES_LONG { Duration::MAX } else { self.options.call_timeout };
        let Some(outcome) = pulse.watch(limit, calling).await else { return Err(self.unanswered::<V>()) };
        connection.done(outcome.is_ok());
        outcome
    }

    fn unanswered<V: Verb>(&self) -> Error {
        self.lose();
        let message = "PostgreSQL did not answer in time; is it overloaded, or does a transaction hold what this is about?";
        let error = Error::new(ErrorKind::Unavailable, V::NAME, message);
        if V::WRITES { error.unknown() } else { error }
    }

    async fn call_on<V: Verb>(
        &self,
        verb: &V,
        connection: &mut PgConnection,
        pulse: &Pulse,
    ) -> Result<V::Answer> {
        self.prepare(verb, connection).await?;
        let answer = match self.scope_of(verb) {
            Scope::Alone => self.call_alone(verb, connection, pulse).await?,
            Scope::Together | Scope::Callers => self.call_together(verb, connection, pulse).await?,
        };
        self.mark_after(connection, V::WRITES).await;
        self.fold_after(connection, V::WRITES && verb.lane() == Lane::Calls).await;
        Ok(answer)
    }

    /// A pooler may give the next statement to another server, even the two halves of one that is not prepared; so behind it
    /// everything is a transaction. So is everything where the connection keeps no settings, since a transaction brings them.
    fn scope_of<V: Verb>(&self, verb: &V) -> Scope {
        if self.server.keeps_settings { verb.scope() } else { Scope::Together }
    }

    /// A connection for calls; nothing was sent if there is none.
    pub(crate) async fn acquire(&self, operation: &'static str) -> Result<Lent> {
        self.acquire_in(Lane::Calls, operation).await
    }

    async fn acquire_in(&self, lane: Lane, operation: &'static str) -> Result<Lent> {
        self.check_open(operation)?;
        let acquired = self.server.pools.acquire(lane, &self.options).await;
        acquired.map_err(|unserved| unserved.explain(operation, lane))
    }

    /// Writes down the time that a transaction of the caller is decided by, where that may not wait. What becomes of counters in
    /// such transactions is folded here, since in them it must not be.
    pub(crate) async fn mark_before(&self, operation: &'static str) -> Result<()> {
        let folds = self.tally.is_due(true);
        if self.clock.to_mark_before().is_none() && !folds {
            return Ok(());
        }
        let mut connection = self.acquire(operation).await?;
        let raised = self.raise_clock(operation, &mut connection).await;
        if folds && raised.is_ok() {
            self.fold(&mut connection).await;
        }
        connection.done(raised.is_ok());
        raised
    }

    async fn raise_clock(&self, operation: &'static str, connection: &mut PgConnection) -> Result<()> {
        let Some(mark) = self.clock.to_mark_before() else { return Ok(()) };
        self.raise(mark, connection).await.map_err(|error| explain(operation, error, Effect::None))
    }

    async fn raise(&self, mark: i64, connection: &mut PgConnection) -> sqlx::Result<()> {
        let mut transaction = self.begin(connection).await?;
        let slack = self.clock.slack();
        let raise = self.statements.raise_clock.query().bind(mark).bind(slack);
        raise.execute(&mut *transaction).await?;
        transaction.commit().await?;
        self.clock.marked(mark, slack);
        Ok(())
    }

    /// Writes what a verb rests on, each in a transaction of its own: that repeats no harm, and holds up nobody.
    async fn prepare<V: Verb>(&self, verb: &V, connection: &mut PgConnection) -> Result<()> {
        if V::WRITES {
            self.raise_clock(V::NAME, &mut *connection).await?;
        }
        let prepared = if self.server.keeps_settings {
            verb.prepare(&mut Session::new(self, connection, Scope::Alone)).await
        } else {
            self.prepare_together(verb, connection).await
        };
        prepared.map_err(|fault| {
            self.note(&fault);
            fault.explain(V::NAME, Effect::None)
        })
    }

    async fn prepare_together<V: Verb>(&self, verb: &V, connection: &mut PgConnection) -> Result<(), Fault> {
        let mut transaction = self.begin(connection).await?;
        verb.prepare(&mut Session::new(self, &mut transaction, Scope::Together)).await?;
        Ok(transaction.commit().await?)
    }

    /// Each statement commits by itself.
    async fn call_alone<V: Verb>(
        &self,
        verb: &V,
        connection: &mut PgConnection,
        pulse: &Pulse,
    ) -> Result<V::Answer> {
        let mut session = Session::new(self, connection, Scope::Alone).heard_by(pulse);
        let outcome = verb.run(&mut session).await;
        let effect = if V::WRITES { Effect::Possible } else { Effect::None };
        let has_written = session.has_written();
        self.publish(&session.into_notices());
        outcome.map_err(|fault| {
            self.note(&fault);
            let error = fault.explain(V::NAME, effect);
            if has_written { error.unknown() } else { error }
        })
    }

    /// All statements commit together. What lost against others is tried again, a bounded number of times.
    async fn call_together<V: Verb>(
        &self,
        verb: &V,
        connection: &mut PgConnection,
        pulse: &Pulse,
    ) -> Result<V::Answer> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.try_together(verb, connection, pulse).await {
                Err((fault, _)) if fault.is_conflict() && tries < TRIES_MAX => {
                    debug!(verb = V::NAME, tries, "a transaction lost against another and is run again");
                }
                outcome => {
                    return outcome.map_err(|(fault, effect)| {
                        self.note(&fault);
                        fault.explain(V::NAME, effect)
                    });
                }
            }
        }
    }

    pub(crate) fn note(&self, fault: &Fault) {
        if fault.is_broken() {
            debug!("a connection is lost; those that idle are looked at before they are used");
            self.lose();
        }
    }

    /// A broken connection casts doubt on those that idle, and on what was learnt by them.
    pub(crate) fn lose(&self) {
        self.server.trust.lose();
        self.server.directory.forget();
    }

    async fn begin<'c>(&self, connection: &'c mut PgConnection) -> sqlx::Result<Transaction<'c, Postgres>> {
        if self.server.keeps_settings {
            connection.begin().await
        } else {
            connection.begin_with(&**BEGIN_WITH_SETTINGS).await
        }
    }

    async fn try_together<V: Verb>(
        &self,
        verb: &V,
        connection: &mut PgConnection,
        pulse: &Pulse,
    ) -> Result<V::Answer, (Fault, Effect)> {
        let untouched = |fault: Fault| (fault, Effect::None);
        let mut transaction = self.begin(connection).await.map_err(|error| untouched(error.into()))?;
        let mut session = Session::new(self, &mut transaction, Scope::Together).heard_by(pulse);
        let answer = verb.run(&mut session).await.map_err(untouched)?;
        let notices = session.into_notices();
        transaction.commit().await.map_err(|error| (error.into(), Effect::Possible))?;
        self.publish(&notices);
        Ok(answer)
    }

    /// Tells the subscribers of this handle what it wrote. Two connections come here in any order,
    /// so who follows every change hears of it from the server, in the order of the commits, as
    /// other handles do.
    fn publish(&self, notices: &Notices) {
        if self.options.is_listening() {
            notices.publish_to_waiters(&self.hub);
        } else {
            notices.publish(&self.hub);
        }
    }

    /// Raises the mark of the schema now and then, and after each write while the server's clock is behind. A failure delays it,
    /// and the next call tries again.
    async fn mark_after(&self, connection: &mut PgConnection, writes: bool) {
        if let Some(mark) = self.clock.to_mark_after(writes) {
            drop(self.raise(mark, connection).await);
        }
    }

    /// Adds what changed of counters to their totals now and then.
    async fn fold_after(&self, connection: &mut PgConnection, writes: bool) {
        if self.tally.is_due(writes) {
            self.fold(connection).await;
        }
    }

    /// A failure delays it, and leaves the changes where they are summed up all the same.
    async fn fold(&self, connection: &mut PgConnection) {
        let begun_at = Instant::now();
        drop(self.try_fold(connection).await);
        self.tally.took(begun_at.elapsed());
    }

    async fn try_fold(&self, connection: &mut PgConnection) -> sqlx::Result<()> {
        let mut transaction = self.begin(connection).await?;
        self.statements.fold.query().execute(&mut *transaction).await?;
        transaction.commit().await
    }
}
