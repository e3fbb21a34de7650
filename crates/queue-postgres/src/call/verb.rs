//! A verb of the contract, as `call` runs it.

use super::{connection::CallConnection, scope::CommitScope};
use crate::{connection::PoolKind, verb_error::VerbError};

/// One verb of the store's contract with its input: the statements that it sends on a connection.
///
/// A verb may run twice, since a transaction that lost against another is rolled back and tried
/// again; so it borrows its input.
pub(crate) trait SqlVerb: Sync {
    /// What the caller gets.
    type Answer: Send;

    /// For error messages.
    const NAME: &'static str;

    /// Whether the verb changes anything that the store's time decides.
    const WRITES: bool = true;

    /// Whether the verb looks at so much that no bound of time is right for it.
    const TAKES_LONG: bool = false;

    /// Which connections the verb may take.
    fn pool(&self) -> PoolKind {
        PoolKind::Calls
    }

    /// How its statements are committed. A verb of one statement needs no transaction around it.
    fn scope(&self) -> CommitScope {
        CommitScope::Statement
    }

    /// Writes what the verb rests on, before it begins.
    fn prepare(
        &self,
        _connection: &mut CallConnection<'_>,
    ) -> impl Future<Output = Result<(), VerbError>> + Send {
        async { Ok(()) }
    }

    /// Sends the statements and reads their answers.
    fn run(
        &self,
        connection: &mut CallConnection<'_>,
    ) -> impl Future<Output = Result<Self::Answer, VerbError>> + Send;
}
