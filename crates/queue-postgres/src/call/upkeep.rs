//! What calls do for the store beside their verb: they raise the mark of store time, and add up the
//! counters.

use super::{begin, connection::BoundQuery};
use crate::{
    connection::PoolKind,
    error::{Effect, explain},
    handle::HandleState,
};
use queue_core::Result;
use sqlx::PgConnection;
use tokio::time::Instant;

/// Writes down the time that a transaction of the caller is decided by, where that may not wait.
/// Counters are folded here on behalf of such transactions, since no fold may run inside them.
pub(crate) async fn before_callers_transaction(handle: &HandleState, operation: &'static str) -> Result<()> {
    let folds = handle.folds.is_due(true);
    if handle.clock.to_mark_before().is_none() && !folds {
        return Ok(());
    }
    let mut connection = handle.acquire(PoolKind::Calls, operation).await?;
    let raised = raise_clock(handle, operation, &mut connection).await;
    if folds && raised.is_ok() {
        fold(handle, &mut connection).await;
    }
    connection.release(raised.is_ok());
    raised
}

/// Raises the mark before a write is decided, where no write may be decided by a time that is not
/// on record.
pub(super) async fn raise_clock(
    handle: &HandleState,
    operation: &'static str,
    driver: &mut PgConnection,
) -> Result<()> {
    let Some(mark) = handle.clock.to_mark_before() else { return Ok(()) };
    raise(handle, mark, driver).await.map_err(|error| explain(operation, error, Effect::None))
}

/// Raises the mark of the schema now and then, and after each write while the server's clock is
/// behind; and adds what changed of counters to their totals now and then. A failure delays either,
/// and the next call tries again.
pub(super) async fn after_call(
    handle: &HandleState,
    driver: &mut PgConnection,
    writes: bool,
    pool: PoolKind,
) {
    if let Some(mark) = handle.clock.to_mark_after(writes) {
        drop(raise(handle, mark, driver).await);
    }
    // A heartbeat never folds: nothing may hold it up.
    if handle.folds.is_due(writes && pool == PoolKind::Calls) {
        fold(handle, driver).await;
    }
}

async fn raise(handle: &HandleState, mark: i64, driver: &mut PgConnection) -> sqlx::Result<()> {
    let slack = handle.clock.slack();
    execute(handle, driver, handle.statements.raise_clock.query().bind(mark).bind(slack)).await?;
    handle.clock.marked(mark, slack);
    Ok(())
}

/// Folds the changes of counters. After a failure, reads go on to add the changes up.
async fn fold(handle: &HandleState, driver: &mut PgConnection) {
    let begun_at = Instant::now();
    drop(execute(handle, driver, handle.statements.fold.query()).await);
    handle.folds.took(begun_at.elapsed());
}

/// Runs a statement on rows that all calls share. It commits by itself where connections keep the
/// store's settings: a transaction takes several turns of the runtime, which may stand still
/// between two of them, and what it holds would hold up the calls of all others.
async fn execute(handle: &HandleState, driver: &mut PgConnection, query: BoundQuery) -> sqlx::Result<()> {
    if handle.keeps_settings {
        return query.execute(driver).await.map(drop);
    }
    let mut transaction = begin(handle, driver).await?;
    query.execute(&mut *transaction).await?;
    transaction.commit().await
}
