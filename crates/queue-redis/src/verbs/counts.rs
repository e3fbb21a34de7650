use crate::{
    client::Access,
    script,
    session::{Answer, Session},
};
use queue_core::{Counts, QueueName, Result, State};

impl Session {
    pub(crate) async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        let queue = self.queues.get(queue);
        let Answer { moment, mut rest, .. } =
            self.call("counts", &script::COUNTS, &queue, Access::Reads, Vec::new()).await?;
        let mut counts = Counts::empty(moment);
        let mut by_state = rest.array()?;
        for state in State::ALL {
            counts.set(state, by_state.count()?);
        }
        counts.scheduled = rest.count()?;
        counts.oldest_due = rest.time()?;
        Ok(counts)
    }
}
