//! Calls: a verb on a connection, from the pool to the commit.
//!
//! The order of dependence is one way: [`call`] runs a [`SqlVerb`], a verb sends statements through
//! a [`CallConnection`], and that knows the handle and the driver's connection, and no verb.

mod answer_watch;
mod connection;
mod names;
mod scope;
mod upkeep;
mod verb;

pub(crate) use connection::{BoundQuery, CallConnection};
pub(crate) use names::{intern_for, intern_priorities};
pub(crate) use scope::CommitScope;
pub(crate) use upkeep::before_callers_transaction;
pub(crate) use verb::SqlVerb;

use crate::{connection::BEGIN_WITH_SETTINGS, error::Effect, handle::HandleState, verb_error::VerbError};
use answer_watch::AnswerWatch;
use queue_core::{Error, ErrorKind, Result};
use sqlx::{Connection, PgConnection, Postgres, Transaction};
use std::time::Duration;
use tracing::debug;

/// How often a transaction is run that keeps losing against others.
const TRIES_MAX: usize = 8;

/// Runs a verb on a connection of the pool, to its commit, and sends subscribers of this handle the
/// hints of what it changed.
///
/// A call that gets nothing from the server for too long is given up with its connection: a server
/// that vanished says nothing, and others may wait behind this call.
pub(crate) async fn call<V: SqlVerb>(handle: &HandleState, verb: &V) -> Result<V::Answer> {
    let mut connection = handle.acquire(verb.pool(), V::NAME).await?;
    let watch = AnswerWatch::new();
    let running = run(handle, verb, &mut connection, &watch);
    let limit = if V::TAKES_LONG { Duration::MAX } else { handle.options.call_timeout };
    let Some(outcome) = watch.until_silent(limit, running).await else {
        return Err(unanswered::<V>(handle));
    };
    connection.release(outcome.is_ok());
    outcome
}

/// Records that a verb lost its connection, if that is what its error says.
pub(crate) fn note_lost_connection(handle: &HandleState, error: &VerbError) {
    if error.is_broken() {
        debug!("a connection is lost; those that idle are looked at before they are used");
        handle.connection_lost();
    }
}

async fn run<V: SqlVerb>(
    handle: &HandleState,
    verb: &V,
    driver: &mut PgConnection,
    watch: &AnswerWatch,
) -> Result<V::Answer> {
    prepare(handle, verb, driver).await?;
    // A pooler may give the next statement to another server, even the two halves of one that is
    // not prepared; so behind it everything is a transaction. So is everything where connections
    // keep no settings, since a transaction brings them.
    let scope = if handle.keeps_settings { verb.scope() } else { CommitScope::Transaction };
    let answer = match scope {
        CommitScope::Statement => run_statements(handle, verb, driver, watch).await?,
        CommitScope::Transaction | CommitScope::CallersTransaction => {
            run_transaction(handle, verb, driver, watch).await?
        }
    };
    upkeep::after_call(handle, driver, V::WRITES, verb.pool()).await;
    Ok(answer)
}

/// Writes what a verb rests on, each in a transaction of its own: to repeat that does no harm, and
/// no other call waits for it.
async fn prepare<V: SqlVerb>(handle: &HandleState, verb: &V, driver: &mut PgConnection) -> Result<()> {
    if V::WRITES {
        upkeep::raise_clock(handle, V::NAME, driver).await?;
    }
    let prepared = if handle.keeps_settings {
        verb.prepare(&mut CallConnection::new(handle, driver, CommitScope::Statement)).await
    } else {
        prepare_in_transaction(handle, verb, driver).await
    };
    prepared.map_err(|error| {
        note_lost_connection(handle, &error);
        error.explain(V::NAME, Effect::None)
    })
}

async fn prepare_in_transaction<V: SqlVerb>(
    handle: &HandleState,
    verb: &V,
    driver: &mut PgConnection,
) -> Result<(), VerbError> {
    let mut transaction = begin(handle, driver).await?;
    verb.prepare(&mut CallConnection::new(handle, &mut transaction, CommitScope::Transaction)).await?;
    Ok(transaction.commit().await?)
}

/// Runs a verb whose statements each commit by themselves.
async fn run_statements<V: SqlVerb>(
    handle: &HandleState,
    verb: &V,
    driver: &mut PgConnection,
    watch: &AnswerWatch,
) -> Result<V::Answer> {
    let mut connection = CallConnection::new(handle, driver, CommitScope::Statement).watched_by(watch);
    let outcome = verb.run(&mut connection).await;
    let effect = if V::WRITES { Effect::Possible } else { Effect::None };
    let has_written = connection.has_written();
    // Hints of what was committed are sent even if a later statement failed.
    handle.publish(&connection.into_notices());
    outcome.map_err(|error| {
        note_lost_connection(handle, &error);
        let error = error.explain(V::NAME, effect);
        if has_written { error.unknown() } else { error }
    })
}

/// Runs a verb whose statements commit together. A transaction that lost against others is run
/// again, a bounded number of times.
async fn run_transaction<V: SqlVerb>(
    handle: &HandleState,
    verb: &V,
    driver: &mut PgConnection,
    watch: &AnswerWatch,
) -> Result<V::Answer> {
    let mut tries = 0;
    loop {
        tries += 1;
        match try_transaction(handle, verb, driver, watch).await {
            Err((error, _)) if error.is_conflict() && tries < TRIES_MAX => {
                debug!(verb = V::NAME, tries, "a transaction lost against another and is run again");
            }
            outcome => {
                return outcome.map_err(|(error, effect)| {
                    note_lost_connection(handle, &error);
                    error.explain(V::NAME, effect)
                });
            }
        }
    }
}

async fn try_transaction<V: SqlVerb>(
    handle: &HandleState,
    verb: &V,
    driver: &mut PgConnection,
    watch: &AnswerWatch,
) -> Result<V::Answer, (VerbError, Effect)> {
    let untouched = |error: VerbError| (error, Effect::None);
    let mut transaction = begin(handle, driver).await.map_err(|error| untouched(error.into()))?;
    let mut connection =
        CallConnection::new(handle, &mut transaction, CommitScope::Transaction).watched_by(watch);
    let answer = verb.run(&mut connection).await.map_err(untouched)?;
    let notices = connection.into_notices();
    // Only here is the outcome in doubt: a connection that breaks now may have committed.
    transaction.commit().await.map_err(|error| (error.into(), Effect::Possible))?;
    handle.publish(&notices);
    Ok(answer)
}

async fn begin<'c>(
    handle: &HandleState,
    driver: &'c mut PgConnection,
) -> sqlx::Result<Transaction<'c, Postgres>> {
    if handle.keeps_settings { driver.begin().await } else { driver.begin_with(&**BEGIN_WITH_SETTINGS).await }
}

/// The error of a call that was given up.
fn unanswered<V: SqlVerb>(handle: &HandleState) -> Error {
    handle.connection_lost();
    let message =
        "PostgreSQL did not answer in time; is it overloaded, or does a transaction hold what this is about?";
    let error = Error::new(ErrorKind::Unavailable, V::NAME, message);
    if V::WRITES { error.unknown() } else { error }
}
