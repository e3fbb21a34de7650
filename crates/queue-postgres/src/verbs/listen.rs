//! What listening rests on.

use crate::{fault::Fault, session::Session, verb::Verb};
use queue_core::QueueName;

/// The number of a queue, given now if it had none.
#[derive(Debug)]
pub(crate) struct Intern<'a>(pub(crate) &'a QueueName);

impl Verb for Intern<'_> {
    type Answer = i32;

    const NAME: &'static str = "subscribe";
    const WRITES: bool = false;

    async fn run(&self, session: &mut Session<'_>) -> Result<i32, Fault> {
        session.intern_queue(self.0).await
    }
}

/// Asks every process to tell of each change of these queues, for so many milliseconds.
#[derive(Debug)]
pub(crate) struct Follow<'a> {
    pub(crate) queues: &'a [i32],
    pub(crate) lasts_ms: i64,
}

impl Verb for Follow<'_> {
    type Answer = ();

    const NAME: &'static str = "subscribe";
    const WRITES: bool = false;

    async fn run(&self, session: &mut Session<'_>) -> Result<(), Fault> {
        let (shared, reading) = (session.shared, session.reading());
        for queue in self.queues {
            let follow = &shared.statements.follow;
            session.write(follow, |query| query.bind(reading).bind(*queue).bind(self.lasts_ms)).await?;
        }
        Ok(())
    }
}

/// Sends a text through the server to whoever listens on this store's channel.
#[derive(Debug)]
pub(crate) struct Notify(pub(crate) String);

impl Verb for Notify {
    type Answer = ();

    const NAME: &'static str = "subscribe";
    const WRITES: bool = false;

    async fn run(&self, session: &mut Session<'_>) -> Result<(), Fault> {
        let shared = session.shared;
        let channel = shared.server.channel.clone();
        let notify = &shared.statements.notify;
        session.read(notify, |query| query.bind(channel).bind(self.0.clone())).await.map(drop)
    }
}
