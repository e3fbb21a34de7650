use super::{Committer, Verb};
use crate::Result;
use std::fmt;
use tokio::sync::oneshot;

/// A call that waits for its transaction, whatever its type.
pub struct Pending<C: Committer>(Box<dyn Task<C>>);

impl<C: Committer> fmt::Debug for Pending<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pending").field(&self.0.name()).finish()
    }
}

impl<C: Committer> Pending<C> {
    pub(super) fn new<V: Verb<C>>(verb: V, reply: oneshot::Sender<Result<V::Answer>>) -> Self {
        Self(Box::new(Call { verb, kept: None, reply }))
    }

    /// See [`Verb::NEED`].
    pub fn need(&self) -> C::Need {
        self.0.need()
    }

    /// False if nobody is left to whom its answer means anything.
    pub fn is_wanted(&self) -> bool {
        self.0.is_wanted()
    }

    /// Runs it and keeps the answer until the transaction is durable.
    ///
    /// # Errors
    /// As the verb.
    pub fn run(&mut self, session: &mut C::Session<'_>) -> Result<(), C::Failure> {
        self.0.run(session)
    }

    pub(super) fn weight(&self) -> usize {
        self.0.weight()
    }

    /// What it did is durable.
    pub(super) fn answer(self) {
        self.0.answer();
    }

    /// It is not, or nobody knows.
    pub(super) fn fail(self, fault: &C::Fault) {
        self.0.fail(fault);
    }
}

trait Task<C: Committer>: Send {
    fn name(&self) -> &'static str;
    fn need(&self) -> C::Need;
    fn weight(&self) -> usize;
    fn is_wanted(&self) -> bool;
    fn run(&mut self, session: &mut C::Session<'_>) -> Result<(), C::Failure>;
    fn answer(self: Box<Self>);
    fn fail(self: Box<Self>, fault: &C::Fault);
}

/// A verb, its answer, and who waits for it.
struct Call<C: Committer, V: Verb<C>> {
    verb: V,
    kept: Option<V::Answer>,
    reply: oneshot::Sender<Result<V::Answer>>,
}

impl<C: Committer, V: Verb<C>> Task<C> for Call<C, V> {
    fn name(&self) -> &'static str {
        V::NAME
    }

    fn need(&self) -> C::Need {
        V::NEED
    }

    fn weight(&self) -> usize {
        self.verb.weight()
    }

    fn is_wanted(&self) -> bool {
        !(V::SKIPS_ABANDONED && self.reply.is_closed())
    }

    fn run(&mut self, session: &mut C::Session<'_>) -> Result<(), C::Failure> {
        self.kept = Some(self.verb.run(session)?);
        Ok(())
    }

    fn answer(self: Box<Self>) {
        // A caller that is gone was told that the outcome is then unknown to it.
        if let Some(answer) = self.kept {
            drop(self.reply.send(Ok(answer)));
        }
    }

    fn fail(self: Box<Self>, fault: &C::Fault) {
        drop(self.reply.send(Err(C::explain(fault, V::NAME))));
    }
}
