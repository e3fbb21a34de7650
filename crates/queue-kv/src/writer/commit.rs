//! How groups of calls become commits of the database.

use super::transaction::Transaction;
use crate::{KvDatabase, failure::KvFailure};
use queue_core::Error;
use queue_store::{
    Hub,
    group_commit::{Committer, GroupFailure, PendingCall, Writer},
};
use std::sync::Arc;

/// The committer of a database: each group is one transaction.
#[derive(Debug)]
pub(crate) struct Commits;

/// The database of the writing thread, and its transaction while there is one.
pub(crate) struct Session<'a> {
    pub(super) database: &'a KvDatabase,
    transaction: Option<Transaction<'a>>,
}

impl<'a> Session<'a> {
    /// The present transaction.
    pub(super) fn transaction(&mut self) -> &mut Transaction<'a> {
        self.transaction.as_mut().expect("calls run between begin and commit")
    }
}

impl Committer for Commits {
    type Session<'a> = Session<'a>;
    type Need = ();
    type Failure = KvFailure;
    type Fault = KvFailure;

    const USUAL_NEED: () = ();

    /// Hints are published between the commit and the answers, before another handle commits. On a
    /// failure the transaction is dropped, and dropping it undoes its writes.
    fn transact(
        session: &mut Session<'_>,
        group: &mut [PendingCall<Self>],
    ) -> Result<(), GroupFailure<KvFailure>> {
        let database = session.database;
        let turn = database.turn();
        session.transaction =
            Some(Transaction::begin(database, turn.wanted()).map_err(GroupFailure::Together)?);
        let ran = group.iter_mut().filter(|call| call.is_wanted()).try_for_each(|call| call.run(session));
        let transaction = session.transaction.take().expect("it began above");
        let (moment, notices) = match ran.and_then(|()| transaction.flush()) {
            Ok(flushed) => flushed.commit().map_err(|failure| GroupFailure::Together(failure.in_commit()))?,
            Err(failure) => return Err(GroupFailure::Within(failure)),
        };
        database.clock.tell(moment);
        turn.publish(&notices);
        Ok(())
    }

    fn explain(fault: &KvFailure, operation: &'static str) -> Error {
        fault.of(operation)
    }
}

/// Starts the writing thread of a handle; returns the handle's hub too.
pub(crate) async fn start(database: Arc<KvDatabase>) -> queue_core::Result<(Writer<Commits>, Arc<Hub>)> {
    Writer::start("queue-kv-writer", move |inbox, opened| {
        if opened.send(Ok(database.new_hub())).is_ok() {
            inbox.serve(&mut Session { database: &database, transaction: None });
        }
    })
    .await
}
