use crate::{QueueName, WorkerId};

/// A worker as it presents itself, for people to look at. Nothing depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerInfo {
    /// Fresh for every start.
    pub id: WorkerId,
    /// What it works on.
    pub queues: Vec<QueueName>,
    /// How many jobs it runs at once.
    pub concurrency: u32,
    /// How many it holds now.
    pub running: u32,
    /// Host and process, as free text.
    pub host: String,
}
