use super::session::Session;
use crate::error::Fault;
use queue_core::Result;
use tokio::sync::oneshot;

/// One write of the store's contract: what it does within a transaction.
///
/// It may run twice, since a failed group is rolled back and tried again one by one; so it borrows its input.
pub(crate) trait Verb: Send + 'static {
    /// What the caller gets once it is durable.
    type Answer: Send + 'static;

    /// For error messages.
    const NAME: &'static str;

    /// Whether it is skipped when its caller is gone before it began.
    const SKIPS_ABANDONED: bool = false;

    /// How many jobs it touches at most, to bound transactions.
    fn weight(&self) -> usize;

    /// Does it. Whatever it writes is durable or undone with everything else in the transaction.
    fn run(&self, session: &mut Session<'_>) -> rusqlite::Result<Self::Answer>;
}

/// A verb on its way through the writer, whatever its type.
pub(super) trait Task: Send {
    fn weight(&self) -> usize;

    /// False if nobody is left to whom its answer means anything.
    fn is_wanted(&self) -> bool;

    /// Runs within a transaction and keeps the answer.
    fn run(&mut self, session: &mut Session<'_>) -> rusqlite::Result<()>;

    /// The transaction is durable: sends the answer.
    fn answer(self: Box<Self>);

    /// The transaction is not, or nobody knows: says so.
    fn fail(self: Box<Self>, fault: &Fault);
}

/// A verb, its answer, and who waits for it.
pub(super) struct Call<V: Verb> {
    pub(super) verb: V,
    pub(super) kept: Option<V::Answer>,
    pub(super) reply: oneshot::Sender<Result<V::Answer>>,
}

impl<V: Verb> Task for Call<V> {
    fn weight(&self) -> usize {
        self.verb.weight()
    }

    fn is_wanted(&self) -> bool {
        !(V::SKIPS_ABANDONED && self.reply.is_closed())
    }

    fn run(&mut self, session: &mut Session<'_>) -> rusqlite::Result<()> {
        self.kept = Some(self.verb.run(session)?);
        Ok(())
    }

    fn answer(self: Box<Self>) {
        // A caller that is gone was told that the outcome is then unknown to it.
        if let Some(answer) = self.kept {
            drop(self.reply.send(Ok(answer)));
        }
    }

    fn fail(self: Box<Self>, fault: &Fault) {
        drop(self.reply.send(Err(fault.of(V::NAME))));
    }
}
