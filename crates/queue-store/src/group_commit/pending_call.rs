//! A call that waits for its transaction, with the type of its verb erased.

use super::{Committer, Turn, Verb, verb_call::VerbCall};
use queue_core::Result;
use std::{any::Any, fmt};
use tokio::sync::oneshot;

/// A call of any type that waits for its transaction, or several that run as one.
pub struct PendingCall<C: Committer>(Box<dyn ErasedCall<C>>);

impl<C: Committer> fmt::Debug for PendingCall<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PendingCall").field(&self.0.name()).finish()
    }
}

impl<C: Committer> PendingCall<C> {
    pub(super) fn new<V: Verb<C>>(verb: V, reply: oneshot::Sender<Result<V::Answer>>) -> Self {
        Self(Box::new(VerbCall::new(verb, reply)))
    }

    /// A call for which no caller waits.
    pub fn unanswered<V: Verb<C>>(verb: V) -> Self {
        Self::new(verb, oneshot::channel().0)
    }

    /// See [`Verb::NEED`].
    pub fn need(&self) -> C::Need {
        self.0.need()
    }

    /// False if no caller is left for the answer.
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

    /// See [`Verb::TURN`].
    pub(super) fn turn(&self) -> Turn {
        self.0.turn()
    }

    /// See [`Verb::JOINS`].
    pub(super) fn may_join(&self) -> bool {
        self.0.may_join()
    }

    /// Takes another call along, or gives it back if the two do not run as one.
    pub(super) fn absorb(&mut self, other: Self) -> Option<Self> {
        self.0.absorb(other.0).map(Self)
    }

    /// Each of the calls that it took along, and itself.
    pub(super) fn split(self) -> Vec<Self> {
        self.0.split().into_iter().map(Self).collect()
    }

    /// Whether it took others along.
    pub(super) fn is_several(&self) -> bool {
        self.0.is_several()
    }

    /// What it did is durable. Answers what is to be done for callers that have left.
    pub(super) fn answer(self, left: &mut Vec<Self>) {
        self.0.answer(left);
    }

    /// What it did is not durable, or that is unknown.
    pub(super) fn fail(self, fault: &C::Fault) {
        self.0.fail(fault);
    }
}

/// What [`PendingCall`] forgets the type of.
pub(super) trait ErasedCall<C: Committer>: Any + Send {
    fn name(&self) -> &'static str;
    fn need(&self) -> C::Need;
    fn weight(&self) -> usize;
    fn turn(&self) -> Turn;
    fn is_wanted(&self) -> bool;
    fn may_join(&self) -> bool;
    fn is_several(&self) -> bool;
    fn absorb(&mut self, other: Box<dyn ErasedCall<C>>) -> Option<Box<dyn ErasedCall<C>>>;
    fn split(self: Box<Self>) -> Vec<Box<dyn ErasedCall<C>>>;
    fn run(&mut self, session: &mut C::Session<'_>) -> Result<(), C::Failure>;
    fn answer(self: Box<Self>, left: &mut Vec<PendingCall<C>>);
    fn fail(self: Box<Self>, fault: &C::Fault);
}
