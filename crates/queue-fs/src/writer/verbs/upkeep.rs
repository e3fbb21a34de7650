use crate::{
    error::Fault,
    writer::{
        commit::{Files, Need},
        session::Session,
    },
};
use queue_store::group_commit::Verb;

/// Looks at what others wrote; subscribers are told on the way.
#[derive(Debug)]
pub(crate) struct CatchUp;

impl Verb<Files> for CatchUp {
    type Answer = ();

    const NAME: &'static str = "subscribe";
    const NEED: Need = Need::Read;

    fn run(&self, _: &mut Session) -> Result<(), Fault> {
        Ok(())
    }
}

/// Flushes what was answered before it was durable.
#[derive(Debug)]
pub(crate) struct FlushNow;

impl Verb<Files> for FlushNow {
    type Answer = ();

    const NAME: &'static str = "flush";
    const NEED: Need = Need::Read;

    fn run(&self, session: &mut Session) -> Result<(), Fault> {
        session.journal.flush()
    }
}
