use crate::client::Shared;
use futures_util::StreamExt;
use queue_core::{EventStream, Hint, Interest};
use std::{future, time::Duration};
use tokio::time::{Instant, sleep_until};

/// No longer than this for a subscription: hints save time, so it must not cost more than they save.
const SUBSCRIBE_MAX: Duration = Duration::from_secs(1);

/// A hint that promises nothing, which a busy store may give for every write of others, leads to no read or claim sooner
/// than this after the last. Short, since a call needs two: its job is claimed, and then done.
const HINT_GAP_MIN: Duration = Duration::from_micros(250);
/// The gap doubles with each such hint, up to this: whoever is hinted at in vain all the time listens less closely.
const HINT_GAP_MAX: Duration = Duration::from_millis(16);

/// A subscription that may be missing: then it never says anything, and whoever listens reads at intervals anyway.
pub(crate) struct Hints {
    stream: Option<EventStream>,
    gap: Duration,
}

impl Hints {
    /// Once this answers, later changes are hinted at, if hints are to be had.
    pub(crate) async fn subscribe(shared: &Shared, interest: Interest, deadline: Instant) -> Self {
        let subscribing = shared.storage.subscribe(&shared.name, interest);
        let until = deadline.min(Instant::now() + SUBSCRIBE_MAX);
        let answer = tokio::time::timeout_at(until, subscribing).await;
        // An error that matters comes back with the next read.
        Self { stream: answer.ok().and_then(Result::ok), gap: HINT_GAP_MIN }
    }

    /// The next hint. Dropping the future loses none.
    pub(crate) async fn next(&mut self) -> Hint {
        if let Some(stream) = &mut self.stream
            && let Some(hint) = stream.next().await
        {
            return hint;
        }
        self.stream = None;
        future::pending().await
    }

    /// After a hint that promises nothing: waits until another look is due, counted from the last.
    pub(crate) async fn hold_back(&mut self, last_look: Instant) {
        let until = last_look + self.gap;
        self.gap = HINT_GAP_MAX.min(self.gap * 2);
        sleep_until(until).await;
    }
}
