use crate::client::Shared;
use futures_util::StreamExt;
use queue_core::{EventStream, Hint, Interest};
use std::{future, time::Duration};
use tokio::time::Instant;

/// No longer than this for a subscription: hints save time, so it must not cost more than they save.
const SUBSCRIBE_MAX: Duration = Duration::from_secs(1);

/// A hint that promises nothing, which a busy store may give for every write of others, leads to no two reads or claims
/// closer than this.
pub(crate) const HINT_GAP: Duration = Duration::from_millis(2);

/// A subscription that may be missing: then it never says anything, and whoever listens reads at intervals anyway.
pub(crate) struct Hints(Option<EventStream>);

impl Hints {
    /// Once this answers, later changes are hinted at, if hints are to be had.
    pub(crate) async fn subscribe(shared: &Shared, interest: Interest, deadline: Instant) -> Self {
        let subscribing = shared.storage.subscribe(&shared.name, interest);
        let until = deadline.min(Instant::now() + SUBSCRIBE_MAX);
        let answer = tokio::time::timeout_at(until, subscribing).await;
        // An error that matters comes back with the next read.
        Self(answer.ok().and_then(Result::ok))
    }

    /// The next hint. Dropping the future loses none.
    pub(crate) async fn next(&mut self) -> Hint {
        if let Some(stream) = &mut self.0
            && let Some(hint) = stream.next().await
        {
            return hint;
        }
        self.0 = None;
        future::pending().await
    }
}
