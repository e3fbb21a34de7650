use crate::{fault::Fault, session::Session, verb::Verb};
use queue_core::QueueName;

/// Stops or resumes the claims of a queue, for every process.
#[derive(Debug)]
pub(crate) struct SetPaused<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) paused: bool,
}

impl Verb for SetPaused<'_> {
    type Answer = ();

    const NAME: &'static str = "set_paused";

    async fn run(&self, session: &mut Session<'_>) -> Result<(), Fault> {
        let queue = session.intern_queue(self.queue).await?;
        let (shared, origin) = (session.shared, session.origin());
        session
            .write(&shared.statements.set_paused, |query| {
                let query = query.bind(queue).bind(self.paused);
                query.bind(shared.channel().map(str::to_owned)).bind(origin.clone())
            })
            .await?;
        // Workers that hold jobs ready want to hear of a pause too.
        session.notices.wake(self.queue);
        Ok(())
    }
}
