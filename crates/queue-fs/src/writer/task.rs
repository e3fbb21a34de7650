use super::session::Session;
use crate::error::Fault;
use queue_core::Result;
use tokio::sync::oneshot;

/// What a verb does to the journal; a group needs as much as the most demanding of its verbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Nothing.
    Read,
    /// It writes, but takes up no more room than the jobs that are there: the reserve is for it.
    Change,
    /// It brings new jobs.
    Grow,
}

/// One verb of the store's contract.
///
/// It may run twice, since a failed group is taken back and tried again one by one; so it borrows its input.
pub(crate) trait Verb: Send + 'static {
    /// What the caller gets once it is durable.
    type Answer: Send + 'static;

    /// For error messages.
    const NAME: &'static str;

    /// What it does to the journal.
    const NEED: Need;

    /// Whether it is skipped when its caller is gone before it began.
    const SKIPS_ABANDONED: bool = false;

    /// How much it takes, in jobs touched and KiB brought, to bound records.
    fn weight(&self) -> usize {
        1
    }

    /// Does it. Whatever it changes is durable or taken back with everything else of its group.
    fn run(&self, session: &mut Session) -> Result<Self::Answer, Fault>;
}

/// A verb on its way through the thread, whatever its type.
pub(super) trait Task: Send {
    fn weight(&self) -> usize;

    fn need(&self) -> Need;

    /// False if nobody is left to whom its answer means anything.
    fn is_wanted(&self) -> bool;

    /// Runs and keeps the answer.
    fn run(&mut self, session: &mut Session) -> Result<(), Fault>;

    /// What it did is durable: sends the answer.
    fn answer(self: Box<Self>);

    /// It is not, or nobody knows: says so.
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

    fn need(&self) -> Need {
        V::NEED
    }

    fn is_wanted(&self) -> bool {
        !(V::SKIPS_ABANDONED && self.reply.is_closed())
    }

    fn run(&mut self, session: &mut Session) -> Result<(), Fault> {
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
