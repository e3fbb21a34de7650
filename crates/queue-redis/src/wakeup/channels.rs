//! Which channels have listeners, and for how many streams.

use crate::known_queues::KnownQueue;
use parking_lot::{Mutex, MutexGuard};
use queue_core::Interest;
use std::{collections::HashMap, sync::Arc};

/// What a channel is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Topic {
    Wake,
    Ends,
    Feed,
}

/// A channel that the server sends to us.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) queue: Arc<KnownQueue>,
    pub(super) topic: Topic,
    /// Held by each stream that listens to it.
    user: Arc<()>,
}

/// All channels with listeners, by name.
#[derive(Debug, Default)]
pub(super) struct Channels(HashMap<String, Channel>);

/// The channels of a handle, for subscribers, the listener and its connection. Each locks them for
/// no longer than a look.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedChannels(Arc<Mutex<Channels>>);

impl SharedChannels {
    pub(super) fn lock(&self) -> MutexGuard<'_, Channels> {
        self.0.lock()
    }
}

impl Topic {
    pub(super) fn of(interest: &Interest) -> Self {
        match interest {
            Interest::Wake => Self::Wake,
            Interest::Jobs(_) => Self::Ends,
            Interest::All => Self::Feed,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Wake => "wake",
            Self::Ends => "ends",
            Self::Feed => "feed",
        }
    }
}

impl Channels {
    /// The name, and whether it is not listened to yet.
    pub(super) fn find(&self, queue: &KnownQueue, topic: Topic) -> (String, bool) {
        let name = queue.keys.channel(topic.name());
        let is_new = !self.0.contains_key(&name);
        (name, is_new)
    }

    /// Adds a listener of a channel, for as long as the answer lives.
    pub(super) fn join(&mut self, name: String, queue: Arc<KnownQueue>, topic: Topic) -> Arc<()> {
        let channel = self.0.entry(name).or_insert_with(|| Channel { queue, topic, user: Arc::default() });
        channel.user.clone()
    }

    /// The same where the channel has listeners already, as far as nothing is to be asked of the
    /// server for that. If its connection has just broken, the hint that something was missed
    /// follows.
    pub(super) fn join_heard(&self, queue: &KnownQueue, topic: Topic) -> Option<Arc<()>> {
        let (name, _) = self.find(queue, topic);
        self.0.get(&name).filter(|_| topic != Topic::Feed).map(|channel| channel.user.clone())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Channel> {
        self.0.get(name)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// Takes out the channels without listeners, and answers their names.
    pub(super) fn sweep(&mut self) -> Vec<String> {
        self.0.extract_if(|_, channel| !channel.is_heard()).map(|(name, _)| name).collect()
    }

    /// The queues with a listener of every change.
    pub(super) fn fed(&self) -> Vec<Arc<KnownQueue>> {
        let fed = self.0.values().filter(|channel| channel.topic == Topic::Feed && channel.is_heard());
        fed.map(|channel| channel.queue.clone()).collect()
    }

    /// Whether the feed of a queue has a listener, so that its ends come twice.
    pub(super) fn is_fed(&self, queue: &KnownQueue) -> bool {
        let (name, _) = self.find(queue, Topic::Feed);
        self.0.get(&name).is_some_and(Channel::is_heard)
    }
}

impl Channel {
    fn is_heard(&self) -> bool {
        Arc::strong_count(&self.user) > 1
    }
}
