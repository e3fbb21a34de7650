use crate::{
    fault::Fault,
    pools::Lane,
    session::{Scope, Session},
};

/// One call of the store's contract: what it does on a connection.
///
/// It may run twice, since a transaction that lost against another is rolled back and tried again; so it borrows its
/// input.
pub(crate) trait Verb: Sync {
    /// What the caller gets.
    type Answer: Send;

    /// For error messages.
    const NAME: &'static str;

    /// Whether it changes anything that the store's time decides.
    const WRITES: bool = true;

    /// Whether it looks at so much that nobody can say how long is too long.
    const TAKES_LONG: bool = false;

    /// Which connections it may take.
    fn lane(&self) -> Lane {
        Lane::Calls
    }

    /// Whether its statements commit one by one or together. One statement alone needs no transaction around it.
    fn scope(&self) -> Scope {
        Scope::Alone
    }

    /// Writes what it rests on, before it begins.
    fn prepare(&self, _session: &mut Session<'_>) -> impl Future<Output = Result<(), Fault>> + Send {
        async { Ok(()) }
    }

    /// Does it.
    fn run(&self, session: &mut Session<'_>) -> impl Future<Output = Result<Self::Answer, Fault>> + Send;
}
