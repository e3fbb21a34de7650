use crate::{
    clock::Reading, error::is_conflict, fault::Fault, pulse::Pulse, row::moment, shared::Shared,
    sql::Statement,
};
use queue_core::{Moment, QueueName, Timestamp};
use queue_store::{Notices, Wanted};
use sqlx::{
    PgConnection, Postgres, Row,
    postgres::{PgArguments, PgRow},
    query::Query,
};
use std::{future::poll_fn, time::Duration};
use tokio::time::Instant;

/// How often a statement that commits by itself is sent if it keeps losing against others.
const TRIES_MAX: usize = 8;

/// The origin of what callers commit.
const CALLERS_ORIGIN: &str = "caller";

/// A query with its arguments. It owns what it sends.
pub(crate) type Bound = Query<'static, Postgres, PgArguments>;

/// What commits with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Each statement by itself.
    Alone,
    /// All of them at the end, here.
    Together,
    /// All of them at the end, by a caller who opened the transaction and may roll it back.
    Callers,
}

/// A connection, and what a verb remembers while it uses it.
#[derive(Debug)]
pub(crate) struct Session<'c> {
    pub(crate) shared: &'c Shared,
    connection: &'c mut PgConnection,
    scope: Scope,
    pub(crate) notices: Notices,
    has_written: bool,
    /// A name was given in this transaction, so that what it reads may go with it.
    has_interned: bool,
    /// What was known of the time when this began.
    sent: Reading,
    last_told: Moment,
    pulse: Option<&'c Pulse>,
    /// When the last answer began to arrive.
    first_row_at: Option<Instant>,
}

impl<'c> Session<'c> {
    /// Then a statement that fails takes work of the caller with it.
    pub(crate) fn is_in_callers_transaction(&self) -> bool {
        matches!(self.scope, Scope::Callers)
    }

    /// Then a lock is held no longer than by the statement that takes it.
    pub(crate) fn commits_each(&self) -> bool {
        self.scope == Scope::Alone
    }

    pub(crate) fn new(shared: &'c Shared, connection: &'c mut PgConnection, scope: Scope) -> Self {
        let notices = Notices::new(Wanted::by(&shared.hub));
        Self {
            shared,
            connection,
            scope,
            notices,
            has_written: false,
            has_interned: false,
            sent: shared.clock.reading(),
            last_told: Moment::default(),
            pulse: None,
            first_row_at: None,
        }
    }

    /// Each row of an answer is a sign of life.
    pub(crate) fn heard_by(self, pulse: &'c Pulse) -> Self {
        Self { pulse: Some(pulse), ..self }
    }

    /// Whether something is committed already, whatever comes next.
    pub(crate) fn has_written(&self) -> bool {
        self.has_written
    }

    /// What to publish once everything is durable.
    pub(crate) fn into_notices(self) -> Notices {
        self.notices
    }

    /// Sends a statement that only reads.
    pub(crate) async fn read(
        &mut self,
        statement: &Statement,
        bind: impl FnOnce(Bound) -> Bound,
    ) -> Result<Vec<PgRow>, Fault> {
        Ok(self.fetch(bind(statement.query())).await?)
    }

    /// Sends a statement that writes. One that commits by itself is sent again while it loses against others: nothing
    /// of it was written.
    pub(crate) async fn write(
        &mut self,
        statement: &Statement,
        bind: impl Fn(Bound) -> Bound,
    ) -> Result<Vec<PgRow>, Fault> {
        let mut tries = 0;
        loop {
            tries += 1;
            let outcome = self.fetch(bind(statement.query())).await;
            match outcome {
                Err(error) if self.scope == Scope::Alone && is_conflict(&error) && tries < TRIES_MAX => {
                    tracing::debug!(tries, "a statement lost against another and is sent again");
                }
                Err(error) => return Err(error.into()),
                Ok(rows) => {
                    self.has_written |= self.scope == Scope::Alone;
                    return Ok(rows);
                }
            }
        }
    }

    async fn fetch(&mut self, query: Bound) -> sqlx::Result<Vec<PgRow>> {
        let mut stream = query.fetch(&mut *self.connection);
        let mut rows = Vec::new();
        self.first_row_at = None;
        while let Some(row) = poll_fn(|context| stream.as_mut().poll_next(context)).await {
            rows.push(row?);
            self.first_row_at.get_or_insert_with(Instant::now);
            self.pulse.into_iter().for_each(Pulse::beat);
        }
        Ok(rows)
    }

    /// How long after this moment the last answer began to arrive: the server's work, and not that of the link.
    pub(crate) fn answered_after(&self, begun: Instant) -> Duration {
        self.first_row_at.map_or_else(|| begun.elapsed(), |at| at.saturating_duration_since(begun))
    }

    /// What a statement is sent as its first argument.
    pub(crate) fn reading(&self) -> i64 {
        self.sent.bound.max(self.last_told.now.as_millis())
    }

    /// The time in a column of the first row, which binds this handle.
    pub(crate) fn told(&mut self, rows: &[PgRow], column: usize) -> Result<Moment, Fault> {
        let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        let moment = moment(row, column, self.sent.clock)?;
        self.shared.clock.note(moment);
        if moment.now >= self.last_told.now {
            self.last_told = moment;
        }
        Ok(moment)
    }

    /// The latest time that this session was told; of one that was told none, the beginning of time.
    pub(crate) fn last_told(&self) -> Moment {
        self.last_told
    }

    /// Whether any statement told the time.
    pub(crate) fn was_told(&self) -> bool {
        self.last_told.now != Timestamp::default()
    }

    /// What stands in notifications. This handle skips its own, as it tells its subscribers itself once it has committed;
    /// the commits of callers it does not see.
    pub(crate) fn origin(&self) -> String {
        match self.scope {
            Scope::Alone | Scope::Together => self.shared.origin.clone(),
            Scope::Callers => CALLERS_ORIGIN.to_owned(),
        }
    }

    /// Store time, where no other statement tells it.
    pub(crate) async fn now(&mut self) -> Result<Moment, Fault> {
        let (shared, reading) = (self.shared, self.reading());
        let rows = self.read(&shared.statements.now, |query| query.bind(reading)).await?;
        self.told(&rows, 0)
    }

    /// The number of a queue, if it has one.
    pub(crate) async fn find_queue(&mut self, name: &QueueName) -> Result<Option<i32>, Fault> {
        if let Some(number) = self.shared.server.directory.number(name) {
            return Ok(Some(number));
        }
        let found = self.look_up(name).await?;
        if let Some(number) = found.filter(|_| self.reads_only_what_lasts()) {
            self.shared.server.directory.learn(name, number);
        }
        Ok(found)
    }

    /// False where a transaction may see a name that it gave itself and that goes with it.
    fn reads_only_what_lasts(&self) -> bool {
        match self.scope {
            Scope::Alone => true,
            Scope::Together => !self.has_interned,
            Scope::Callers => false,
        }
    }

    /// The number of a queue, given now if it had none.
    pub(crate) async fn intern_queue(&mut self, name: &QueueName) -> Result<i32, Fault> {
        if let Some(number) = self.find_queue(name).await? {
            return Ok(number);
        }
        let (shared, text) = (self.shared, name.as_str());
        self.write(&shared.statements.add_queue, |query| query.bind(text.to_owned())).await?;
        self.has_interned = true;
        // A new look, since another process may have added it meanwhile.
        self.find_queue(name).await?.ok_or_else(|| sqlx::Error::RowNotFound.into())
    }

    /// Sees to it that claims look at these priorities.
    pub(crate) async fn intern_lanes(
        &mut self,
        queue: i32,
        priorities: impl Iterator<Item = i16>,
    ) -> Result<(), Fault> {
        let shared = self.shared;
        let mut missing = shared.server.directory.unknown_lanes(queue, priorities);
        if !missing.is_empty() && self.scope == Scope::Together && !self.has_interned {
            self.learn_lanes(queue).await?;
            missing = shared.server.directory.unknown_lanes(queue, missing.into_iter());
        }
        if missing.is_empty() {
            return Ok(());
        }
        self.write(&shared.statements.add_lanes, |query| query.bind(queue).bind(missing.clone())).await?;
        self.has_interned = true;
        if self.scope == Scope::Alone {
            shared.server.directory.learn_lanes(queue, &missing);
        }
        Ok(())
    }

    /// Remembers a queue and the priorities that it uses, if it is there.
    pub(crate) async fn learn_queue(&mut self, name: &QueueName) -> Result<(), Fault> {
        match self.find_queue(name).await? {
            Some(queue) => self.learn_lanes(queue).await,
            None => Ok(()),
        }
    }

    async fn learn_lanes(&mut self, queue: i32) -> Result<(), Fault> {
        let shared = self.shared;
        let rows = self.read(&shared.statements.find_lanes, |query| query.bind(queue)).await?;
        let lanes: Vec<i16> = rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>()?;
        shared.server.directory.learn_lanes(queue, &lanes);
        Ok(())
    }

    async fn look_up(&mut self, name: &QueueName) -> Result<Option<i32>, Fault> {
        let shared = self.shared;
        let names = vec![name.as_str().to_owned()];
        let rows = self.read(&shared.statements.find_queues, |query| query.bind(names)).await?;
        Ok(rows.first().map(|row| row.try_get(0)).transpose()?)
    }
}
