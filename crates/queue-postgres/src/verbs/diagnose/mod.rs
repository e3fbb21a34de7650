//! `diagnose`: what the server reports of itself, judged.

mod judge;
mod server_health;

use crate::{
    call::{CallConnection, SqlVerb},
    options::Pooler,
    verb_error::VerbError,
    wakeup::ListenerState,
};
use queue_core::Finding;
use server_health::{OldestSnapshot, ServerHealth, TableHealth};

/// Looks at the health of the server and of the tables; one finding for each check.
#[derive(Debug)]
pub(crate) struct PostgresDiagnose {
    pub(crate) listener: ListenerState,
}

impl SqlVerb for PostgresDiagnose {
    type Answer = Vec<Finding>;

    const NAME: &'static str = "diagnose";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Vec<Finding>, VerbError> {
        let handle = connection.handle;
        let (statements, options) = (&handle.statements, &handle.options);
        let channel = handle.channel.clone();
        let rows = connection.read(&statements.diagnose, |query| query.bind(channel)).await?;
        let server = ServerHealth::read(rows.first().ok_or(sqlx::Error::RowNotFound)?)?;
        let rows = connection.read(&statements.diagnose_snapshot, |query| query).await?;
        let snapshot = rows.first().map(OldestSnapshot::read).transpose()?;
        let schema = options.schema.plain().to_owned();
        let rows = connection.read(&statements.diagnose_tables, |query| query.bind(schema)).await?;
        let tables = rows.iter().map(TableHealth::read).collect::<sqlx::Result<Vec<_>>>()?;
        let is_behind_pooler = options.pooler == Pooler::Transactions;
        Ok(vec![
            judge::layout(&server),
            judge::durability(&server),
            judge::old_snapshot(snapshot.as_ref(), server.hidden),
            judge::dead_rows(&tables),
            judge::autovacuum(&server, &tables),
            judge::connections(&server),
            judge::pooler(is_behind_pooler, handle.keeps_settings),
            judge::listener(options.is_listening(), self.listener, &server),
        ])
    }
}
