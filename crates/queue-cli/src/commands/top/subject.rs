//! What a row or a view is about, which a person opens or changes.

use super::place::Place;
use queue::{JobId, Kind, WorkerId, queue_core::QueueName, view::JobFilter};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Subject {
    /// Something that can only be read.
    #[default]
    None,
    Queue(QueueName),
    /// The jobs of a kind.
    JobKind(QueueName, Kind),
    Job(QueueName, JobId),
    Schedule(QueueName, String),
    Worker(WorkerId),
}

impl Subject {
    /// The view with the details of the subject.
    pub(super) fn opens(&self) -> Option<Place> {
        match self {
            Self::None | Self::Schedule(..) => None,
            Self::Queue(queue) => Some(Place::Queue(queue.clone())),
            Self::JobKind(queue, kind) => Some(Place::jobs(
                queue.clone(),
                JobFilter { kind: Some(kind.clone()), ..JobFilter::default() },
            )),
            Self::Job(queue, id) => Some(Place::Job { queue: queue.clone(), id: id.clone(), is_open: false }),
            Self::Worker(id) => Some(Place::Worker(id.clone())),
        }
    }
}
