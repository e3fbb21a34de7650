//! The state and its operations: no lock, no clock of its own, no I/O.

mod apply;
mod claim;
mod course;
mod enqueue;
mod import;
mod indexes;
mod limits;
mod list;
mod load;
mod next_job;
mod packed_job;
mod partitions;
mod pauses;
mod presence;
mod prune;
mod queue_state;
mod queues;
mod read;
mod ready_index;
mod series;
mod signals;
mod traits_pool;
mod transaction;
mod undo_log;
mod verify;

pub use course::{Course, Rare};
pub use limits::LimitChanges;
pub use packed_job::{PackedJob, Traits};
pub use pauses::Pauses;
pub use transaction::Edit;

use presence::Presence;
use queue_core::{QueueName, Timestamp};
use queue_state::QueueState;
use queue_store::{NoticeLevel, Notices};
use queues::Queues;
use series::SeriesEntries;
use undo_log::UndoLog;

/// Every queue of one store. Operations take the moment at which they happen, as
/// [`Moment::decide`](queue_core::Moment::decide) made it of [`mark`](Self::mark), and leave
/// notices of what they changed.
#[derive(Debug, Default)]
pub struct Engine {
    queues: Queues,
    last_seq: u64,
    /// The highest time that a write was decided by.
    mark: Timestamp,
    presence: Presence,
    series: SeriesEntries,
    notices: Notices,
    undo: UndoLog,
    /// The indexes are built when everything is loaded.
    is_loading: bool,
}

impl Engine {
    /// Takes what changed since the last call, in order.
    pub fn take_notices(&mut self) -> Notices {
        self.notices.take()
    }

    /// Leaves notices of single jobs or not, from now on; the default is yes. Queues are woken in
    /// any case.
    pub fn notice_jobs(&mut self, wanted: bool) {
        self.notices.want(if wanted { NoticeLevel::Everything } else { NoticeLevel::Wakes });
    }

    fn state_mut(&mut self, queue: &QueueName) -> &mut QueueState {
        self.queues.open(queue, &mut self.undo)
    }
}
