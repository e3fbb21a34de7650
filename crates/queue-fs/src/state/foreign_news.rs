//! Which queues other handles wrote, collected for subscribers of this handle.

use queue_core::QueueName;
use queue_store::{Hub, News};
use std::collections::BTreeMap;

/// The queues that records of other handles changed, until subscribers get their hints. A record
/// that only keeps the time is no news: otherwise two idle handles would wake each other for as
/// long as the clock is behind.
#[derive(Debug, Default)]
pub(crate) struct ForeignNews(BTreeMap<QueueName, News>);

impl ForeignNews {
    pub(super) fn note(&mut self, queue: &QueueName, news: News) {
        if let Some(known) = self.0.get_mut(queue) {
            *known = news.max(*known);
        } else {
            self.0.insert(queue.clone(), news);
        }
    }

    /// Sends the hints to the subscribers. Returns whether there were any.
    pub(crate) fn publish(&mut self, hub: &Hub) -> bool {
        let mut has_notified = false;
        while let Some((queue, news)) = self.0.pop_first() {
            has_notified |= hub.tell(&queue, news);
        }
        has_notified
    }

    /// Drops the news, because subscribers got the hint to read everything again.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
