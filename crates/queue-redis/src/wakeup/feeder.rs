//! Asks the server to publish every change of the queues that a subscriber follows.

use super::channels::SharedChannels;
use crate::{
    client::Access,
    handle::{HandleState, arg},
    known_queues::KnownQueue,
    script,
};
use futures_util::future::join_all;
use queue_core::{QueueName, Result};
use queue_store::Hub;
use std::{collections::HashSet, convert::Infallible, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// A request for every change stands this long on the server, and is renewed three times in it.
const FEED_LASTS: Duration = Duration::from_secs(60);
const RENEW_EVERY: Duration = Duration::from_secs(20);
/// The pause after a renewal that failed: until one succeeds, changes may go unheard.
const RETRY_EVERY: Duration = Duration::from_secs(1);

/// Asks the server for every change of the queues that have a listener of them.
pub(super) struct Feeder {
    handle: Arc<HandleState>,
    hub: Arc<Hub>,
    channels: SharedChannels,
}

impl Feeder {
    pub(super) fn new(handle: Arc<HandleState>, hub: Arc<Hub>, channels: SharedChannels) -> Self {
        Self { handle, hub, channels }
    }

    /// From a new connection on, the server may have forgotten the requests that came over the
    /// former one.
    pub(super) async fn keep_asking(&self) -> Infallible {
        let mut unsure = self.fed();
        let mut asked_at = Instant::now();
        loop {
            if asked_at.elapsed() >= FEED_LASTS {
                unsure = self.fed();
            }
            asked_at = Instant::now();
            self.renew(&mut unsure).await;
            sleep(if unsure.is_empty() { RENEW_EVERY } else { RETRY_EVERY }).await;
        }
    }

    /// Asks for all again. `unsure` are the queues whose request may not stand; once one of them
    /// does again, its subscribers get the hint that changes were missed.
    async fn renew(&self, unsure: &mut HashSet<QueueName>) {
        let fed = self.channels.lock().fed();
        unsure.retain(|name| fed.iter().any(|queue| queue.name == *name));
        let outcomes = join_all(fed.iter().map(|queue| ask_for_feed(&self.handle, queue))).await;
        let mut had_gap = false;
        for (queue, outcome) in fed.iter().zip(outcomes) {
            if outcome.is_ok() {
                had_gap |= unsure.remove(&queue.name);
            } else {
                unsure.insert(queue.name.clone());
            }
        }
        if had_gap {
            self.hub.missed();
        }
    }

    fn fed(&self) -> HashSet<QueueName> {
        self.channels.lock().fed().iter().map(|queue| queue.name.clone()).collect()
    }
}

/// Asks for the changes of one queue.
pub(super) async fn ask_for_feed(handle: &HandleState, queue: &KnownQueue) -> Result<()> {
    let args = vec![arg(FEED_LASTS.as_millis())];
    handle.call("subscribe", &script::FEED, queue, Access::WritesLightly, args).await.map(drop)
}
