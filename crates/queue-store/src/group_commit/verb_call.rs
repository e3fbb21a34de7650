//! One call of a verb with its caller, and the calls that run together with it.

use super::{
    Committer, Turn, Verb,
    pending_call::{ErasedCall, PendingCall},
};
use queue_core::Result;
use std::any::Any;
use tokio::sync::oneshot;

/// A verb, its answer, and who waits for it; and calls of the same verb that run with it.
pub(super) struct VerbCall<C: Committer, V: Verb<C>> {
    verb: V,
    kept: Option<V::Answer>,
    reply: oneshot::Sender<Result<V::Answer>>,
    others: Vec<Self>,
}

impl<C: Committer, V: Verb<C>> VerbCall<C, V> {
    pub(super) fn new(verb: V, reply: oneshot::Sender<Result<V::Answer>>) -> Self {
        Self { verb, kept: None, reply, others: Vec::new() }
    }

    /// This one, not those that it took along.
    fn is_wanted_itself(&self) -> bool {
        !(V::SKIPS_ABANDONED && self.reply.is_closed())
    }

    fn run_all(&mut self, session: &mut C::Session<'_>) -> Result<(), C::Failure> {
        let mut others = std::mem::take(&mut self.others);
        // A caller that goes while this runs is noticed when it is answered.
        let mut wanted: Vec<&mut Self> =
            std::iter::once(&mut *self).chain(&mut others).filter(|call| call.is_wanted_itself()).collect();
        let verbs: Vec<&V> = wanted.iter().map(|call| &call.verb).collect();
        let ran = V::run_together(&verbs, session).map(|answers| {
            assert_eq!(answers.len(), wanted.len(), "an answer for each call");
            wanted.iter_mut().zip(answers).for_each(|(call, answer)| call.kept = Some(answer));
        });
        self.others = others;
        ran
    }

    fn answer_one(self, left: &mut Vec<PendingCall<C>>) {
        let Some(answer) = self.kept else { return };
        // A caller that leaves gives up knowing the outcome.
        if let Err(Ok(answer)) = self.reply.send(Ok(answer)) {
            left.extend(V::unheard(answer));
        }
    }
}

impl<C: Committer, V: Verb<C>> ErasedCall<C> for VerbCall<C, V> {
    fn name(&self) -> &'static str {
        V::NAME
    }

    fn need(&self) -> C::Need {
        V::NEED
    }

    fn weight(&self) -> usize {
        self.verb.weight()
    }

    fn turn(&self) -> Turn {
        V::TURN
    }

    fn is_wanted(&self) -> bool {
        self.is_wanted_itself() || self.others.iter().any(Self::is_wanted_itself)
    }

    fn may_join(&self) -> bool {
        V::JOINS
    }

    fn is_several(&self) -> bool {
        !self.others.is_empty()
    }

    fn absorb(&mut self, other: Box<dyn ErasedCall<C>>) -> Option<Box<dyn ErasedCall<C>>> {
        let alike = (&*other as &dyn Any).downcast_ref::<Self>();
        let is_alike = alike.is_some_and(|it| self.verb.joins(&it.verb));
        if !is_alike {
            return Some(other);
        }
        if let Ok(other) = (other as Box<dyn Any>).downcast::<Self>() {
            self.others.push(*other);
        }
        None
    }

    fn split(mut self: Box<Self>) -> Vec<Box<dyn ErasedCall<C>>> {
        let mut others = std::mem::take(&mut self.others);
        // Their answers are undone, and calls whose callers have left by now do not run again.
        self.kept = None;
        for call in &mut others {
            call.kept = None;
        }
        let others = others.into_iter().map(|call| -> Box<dyn ErasedCall<C>> { Box::new(call) });
        let first: Box<dyn ErasedCall<C>> = self;
        std::iter::once(first).chain(others).collect()
    }

    fn run(&mut self, session: &mut C::Session<'_>) -> Result<(), C::Failure> {
        if self.is_several() {
            return self.run_all(session);
        }
        self.kept = Some(self.verb.run(session)?);
        Ok(())
    }

    fn answer(mut self: Box<Self>, left: &mut Vec<PendingCall<C>>) {
        let others = std::mem::take(&mut self.others);
        self.answer_one(left);
        for call in others {
            call.answer_one(left);
        }
    }

    fn fail(self: Box<Self>, fault: &C::Fault) {
        let Self { reply, others, .. } = *self;
        let replies = std::iter::once(reply).chain(others.into_iter().map(|call| call.reply));
        replies.for_each(|reply| drop(reply.send(Err(C::explain(fault, V::NAME)))));
    }
}
