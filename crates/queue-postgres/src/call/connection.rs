//! A connection for the length of one call: it sends statements, and remembers what they answered.

use super::{answer_watch::AnswerWatch, scope::CommitScope};
use crate::{
    clock::ClockReading, error::is_conflict, handle::HandleState, row::moment, statements::Statement,
    verb_error::VerbError,
};
use queue_core::{Moment, Timestamp};
use queue_store::Notices;
use sqlx::{
    PgConnection, Postgres,
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
pub(crate) type BoundQuery = Query<'static, Postgres, PgArguments>;

/// A connection, and what a verb remembers while it uses it.
#[derive(Debug)]
pub(crate) struct CallConnection<'c> {
    pub(crate) handle: &'c HandleState,
    driver: &'c mut PgConnection,
    pub(super) scope: CommitScope,
    pub(crate) notices: Notices,
    has_written: bool,
    /// Whether a name was given in this transaction, so that what it reads may go with it.
    pub(super) has_interned: bool,
    /// What was known of the time when this call began.
    begun: ClockReading,
    latest: Moment,
    watch: Option<&'c AnswerWatch>,
    /// When the last answer began to arrive.
    first_row_at: Option<Instant>,
}

impl<'c> CallConnection<'c> {
    pub(crate) fn new(handle: &'c HandleState, driver: &'c mut PgConnection, scope: CommitScope) -> Self {
        let notices = Notices::new(handle.wanted_notices());
        Self {
            handle,
            driver,
            scope,
            notices,
            has_written: false,
            has_interned: false,
            begun: handle.clock.reading(),
            latest: Moment::default(),
            watch: None,
            first_row_at: None,
        }
    }

    /// Notes each row of an answer in the watch.
    pub(super) fn watched_by(self, watch: &'c AnswerWatch) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// Whether a statement that fails takes work of the caller with it.
    pub(crate) fn is_in_callers_transaction(&self) -> bool {
        self.scope == CommitScope::CallersTransaction
    }

    /// Whether a lock is held no longer than by the statement that takes it.
    pub(crate) fn commits_each_statement(&self) -> bool {
        self.scope == CommitScope::Statement
    }

    /// Whether something is committed already, before all that comes next.
    pub(super) fn has_written(&self) -> bool {
        self.has_written
    }

    /// What to publish once everything is durable.
    pub(super) fn into_notices(self) -> Notices {
        self.notices
    }

    /// Sends a statement that only reads.
    pub(crate) async fn read(
        &mut self,
        statement: &Statement,
        bind: impl FnOnce(BoundQuery) -> BoundQuery,
    ) -> Result<Vec<PgRow>, VerbError> {
        Ok(self.fetch(bind(statement.query())).await?)
    }

    /// Sends a statement that writes. One that commits by itself is sent again while it loses
    /// against others: nothing of it was written.
    pub(crate) async fn write(
        &mut self,
        statement: &Statement,
        bind: impl Fn(BoundQuery) -> BoundQuery,
    ) -> Result<Vec<PgRow>, VerbError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.fetch(bind(statement.query())).await {
                Err(error) if self.commits_each_statement() && is_conflict(&error) && tries < TRIES_MAX => {
                    tracing::debug!(tries, "a statement lost against another and is sent again");
                }
                Err(error) => return Err(error.into()),
                Ok(rows) => {
                    self.has_written |= self.commits_each_statement();
                    return Ok(rows);
                }
            }
        }
    }

    async fn fetch(&mut self, query: BoundQuery) -> sqlx::Result<Vec<PgRow>> {
        let mut stream = query.fetch(&mut *self.driver);
        let mut rows = Vec::new();
        self.first_row_at = None;
        while let Some(row) = poll_fn(|context| stream.as_mut().poll_next(context)).await {
            rows.push(row?);
            self.first_row_at.get_or_insert_with(Instant::now);
            self.watch.into_iter().for_each(AnswerWatch::heard);
        }
        Ok(rows)
    }

    /// How long after this moment the last answer began to arrive: the server's work, and not that
    /// of the network.
    pub(crate) fn answered_after(&self, begun: Instant) -> Duration {
        self.first_row_at.map_or_else(|| begun.elapsed(), |at| at.saturating_duration_since(begun))
    }

    /// The earliest that store time can be, which a statement is sent as its first argument.
    pub(crate) fn time_floor(&self) -> i64 {
        self.begun.floor.max(self.latest.now.as_millis())
    }

    /// Reads the time in a column of the first row, and binds this handle by it.
    pub(crate) fn note_time(&mut self, rows: &[PgRow], column: usize) -> Result<Moment, VerbError> {
        let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        let moment = moment(row, column, self.begun.clock)?;
        self.handle.clock.note(moment);
        if moment.now >= self.latest.now {
            self.latest = moment;
        }
        Ok(moment)
    }

    /// The latest time that a statement of this call answered; before any did, the beginning of
    /// time.
    pub(crate) fn latest_time(&self) -> Moment {
        self.latest
    }

    /// Whether any statement of this call answered the time.
    pub(crate) fn knows_time(&self) -> bool {
        self.latest.now != Timestamp::default()
    }

    /// What stands in notifications. This handle skips its own, as it sends its subscribers the
    /// hints itself once it has committed; it does not see the commits of callers.
    pub(crate) fn origin(&self) -> String {
        match self.scope {
            CommitScope::Statement | CommitScope::Transaction => self.handle.origin.clone(),
            CommitScope::CallersTransaction => CALLERS_ORIGIN.to_owned(),
        }
    }

    /// Store time, where no other statement answers it.
    pub(crate) async fn now(&mut self) -> Result<Moment, VerbError> {
        let floor = self.time_floor();
        let rows = self.read(&self.handle.statements.now, |query| query.bind(floor)).await?;
        self.note_time(&rows, 0)
    }
}
