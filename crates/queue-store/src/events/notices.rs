//! The hints that a store collects while it writes, and publishes after the commit.

use crate::Hub;
use queue_core::{CompletedJob, JobChange, JobMeta, Payload, QueueName};

/// Hints for subscribers, in order, to be sent once a change is as durable as promised. Stores
/// collect them while they write, and publish them after the commit.
///
/// ```
/// use queue_core::QueueName;
/// use queue_store::{Hub, Notices, NoticeLevel};
///
/// let (hub, queue) = (Hub::default(), QueueName::from_static("emails"));
/// let mut notices = Notices::new(NoticeLevel::by(&hub));
/// notices.wake(&queue);
/// assert!(notices.is_empty(), "nobody listens");
/// notices.publish(&hub);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Notices {
    pending: Vec<Notice>,
    wanted: NoticeLevel,
}

/// Which changes have subscribers, the fewest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoticeLevel {
    /// There is no subscriber.
    Nothing,
    /// Queues alone.
    Wakes,
    /// Queues and jobs.
    #[default]
    Everything,
}

#[derive(Clone, Debug)]
enum Notice {
    Wake(QueueName),
    Changed(QueueName, JobChange),
    Completed(QueueName, Box<CompletedJob>),
}

impl NoticeLevel {
    /// What the subscribers of a hub want by now.
    pub fn by(hub: &Hub) -> Self {
        if hub.has_subscribers() { Self::Everything } else { Self::Nothing }
    }
}

impl Notices {
    /// None yet, and of no more than what is wanted.
    pub fn new(wanted: NoticeLevel) -> Self {
        Self { pending: Vec::new(), wanted }
    }

    /// From now on, of no more than this.
    pub fn want(&mut self, wanted: NoticeLevel) {
        self.wanted = wanted;
    }

    /// A claim on the queue may now find something. One wake-up in a row is enough.
    pub fn wake(&mut self, queue: &QueueName) {
        let is_repeated = matches!(self.pending.last(), Some(Notice::Wake(last)) if last == queue);
        if self.wanted != NoticeLevel::Nothing && !is_repeated {
            self.pending.push(Notice::Wake(queue.clone()));
        }
    }

    /// A job changed. One that now waits is also a reason to wake.
    pub fn changed(&mut self, job: &JobMeta) {
        self.push(job, true);
        if job.state.is_waiting() {
            self.wake(&job.queue);
        }
    }

    /// A job is completed, and the record of this revision has this result: who waits for it need
    /// not read it.
    pub fn completed(&mut self, job: &JobMeta, result: &Payload) {
        if self.wanted == NoticeLevel::Everything {
            let (id, result) = (job.id.clone(), result.clone());
            let completed = CompletedJob { id, seq: job.seq, revision: job.revision, result };
            self.pending.push(Notice::Completed(job.queue.clone(), Box::new(completed)));
        }
    }

    /// A job was removed.
    pub fn removed(&mut self, job: &JobMeta) {
        self.push(job, false);
    }

    /// A job changed, or was removed, of which only this is known.
    pub fn tell(&mut self, queue: &QueueName, change: JobChange) {
        if self.wanted == NoticeLevel::Everything {
            self.pending.push(Notice::Changed(queue.clone(), change));
        }
    }

    /// True if there is nothing to publish.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Forgets them, as a transaction that is rolled back does.
    pub fn clear(&mut self) {
        self.pending.clear();
    }

    /// Takes those that there are; the same is wanted from now on.
    #[must_use]
    pub fn take(&mut self) -> Self {
        Self { pending: std::mem::take(&mut self.pending), wanted: self.wanted }
    }

    /// Sends the notices to the subscribers. If there were none and now there are, they may have
    /// read the state before the change, so they get the hint that they missed something.
    pub fn publish(&self, hub: &Hub) {
        self.publish_by(hub, true);
    }

    /// The same without subscribers to every change: a store with several connections gets these
    /// changes from the server, which sends the changes of a job in their order, over all
    /// connections.
    pub fn publish_to_waiters(&self, hub: &Hub) {
        self.publish_by(hub, false);
    }

    fn publish_by(&self, hub: &Hub, to_followers: bool) {
        if self.wanted == NoticeLevel::Nothing && hub.has_subscribers() {
            return hub.missed();
        }
        for notice in &self.pending {
            match notice {
                Notice::Wake(queue) => hub.wake(queue),
                Notice::Changed(queue, change) if to_followers => hub.changed(queue, change),
                Notice::Changed(queue, change) => hub.ended(queue, change),
                Notice::Completed(queue, job) if to_followers => hub.completed(queue, job),
                Notice::Completed(queue, job) => hub.ended_with(queue, job),
            }
        }
    }

    fn push(&mut self, job: &JobMeta, is_present: bool) {
        if self.wanted == NoticeLevel::Everything {
            let state = is_present.then_some(job.state);
            let change = JobChange { id: job.id.clone(), seq: job.seq, revision: job.revision, state };
            self.tell(&job.queue, change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, StreamExt};
    use queue_core::{ContentType, Hint, Interest, JobId, Kind, NewJob, Seq, State, Timestamp};
    use std::sync::Arc;

    #[test]
    fn waiters_can_be_told_without_those_who_follow_every_change() {
        let hub = Arc::new(Hub::default());
        let queue = QueueName::from_static("q");
        let a = JobId::from_static("a");
        let mut waiter = hub.subscribe(&queue, Interest::Jobs(vec![a.clone()]));
        let mut follower = hub.subscribe(&queue, Interest::All);
        let gone = JobChange { id: a, seq: Seq::new(1), revision: 1, state: None };
        let mut notices = Notices::default();
        notices.tell(&queue, gone.clone());
        notices.publish_to_waiters(&hub);
        assert_eq!(waiter.next().now_or_never(), Some(Some(Hint::Job(gone.clone()))));
        assert_eq!(follower.next().now_or_never(), None);
        notices.publish(&hub);
        assert_eq!(follower.next().now_or_never(), Some(Some(Hint::Job(gone))));
    }

    #[test]
    fn a_result_comes_to_who_waits_and_the_change_alone_to_who_follows() {
        let hub = Arc::new(Hub::default());
        let (queue, id) = (QueueName::from_static("q"), JobId::from_static("a"));
        let result = Payload::new("1", ContentType::from_static("text/plain"));
        let job = NewJob::new(id.clone(), Kind::unnamed(), result.clone());
        let job = JobMeta::begin(queue.clone(), &job, Seq::new(1), Timestamp::default());
        let job = JobMeta { state: State::Completed, ..job };
        let completed = CompletedJob { id: id.clone(), seq: job.seq, revision: job.revision, result };
        let mut waiter = hub.subscribe(&queue, Interest::Jobs(vec![id]));
        let mut follower = hub.subscribe(&queue, Interest::All);
        let mut notices = Notices::default();
        notices.completed(&job, &completed.result);
        notices.publish_to_waiters(&hub);
        let hint = Hint::Completed(Box::new(completed.clone()));
        assert_eq!(waiter.next().now_or_never(), Some(Some(hint)));
        assert_eq!(follower.next().now_or_never(), None);
        notices.publish(&hub);
        assert_eq!(follower.next().now_or_never(), Some(Some(Hint::Job(completed.change()))));
    }
}
