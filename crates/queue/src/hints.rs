use crate::client::Shared;
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream};
use queue_core::{EventStream, Hint, Interest};
use std::{future, pin::pin, time::Duration};
use tokio::time::{Instant, sleep_until};

/// Nobody waits for a subscription for longer than this: hints save time, so they must not cost more than they save.
const SUBSCRIBE_MAX: Duration = Duration::from_millis(100);

/// A hint that promises nothing, which a busy store may give for every write of others, leads to a read or claim at once
/// only so many times in a row. A call needs two: its job is claimed, and then done.
const AT_ONCE_MAX: u32 = 4;
/// Then that comes no sooner than this after the last one, as short as a timer can be,
const GAP_MIN: Duration = Duration::from_millis(1);
/// and the gap doubles up to this: whoever is hinted at in vain all the time listens less closely.
const GAP_MAX: Duration = Duration::from_millis(16);

/// A subscription that may be missing or late: then it says nothing, and whoever listens reads at intervals anyway.
pub(crate) struct Hints {
    source: Source,
    /// Hints that promised nothing, since one led to something new.
    in_vain: u32,
}

enum Source {
    None,
    /// The store takes its time. Its answer counts as a hint, since things may have happened before it.
    Late(BoxFuture<'static, Option<EventStream>>),
    Stream(EventStream),
}

impl Hints {
    /// Once this answers, later changes are hinted at, if the store is quick about it and hints are to be had.
    pub(crate) async fn subscribe(shared: &Shared, interest: Interest, deadline: Instant) -> Self {
        let (storage, queue) = (shared.storage.clone(), shared.name.clone());
        // An error that matters comes back with the next read.
        let mut subscribing = async move { storage.subscribe(&queue, interest).await.ok() }.boxed();
        let until = deadline.min(Instant::now() + SUBSCRIBE_MAX);
        let source = match tokio::time::timeout_at(until, &mut subscribing).await {
            Ok(stream) => stream.map_or(Source::None, Source::Stream),
            Err(_elapsed) => Source::Late(subscribing),
        };
        Self { source, in_vain: 0 }
    }

    /// Makes a call while the subscription goes on: one that rested half-way could keep what the call needs, such as a
    /// connection.
    pub(crate) async fn beside<T>(&mut self, call: impl Future<Output = T>) -> T {
        let mut call = pin!(call);
        tokio::select! {
            biased;
            answer = &mut call => return answer,
            () = self.arrives() => {}
        }
        call.await
    }

    /// The next hint. Dropping the future loses none.
    pub(crate) async fn next(&mut self) -> Hint {
        self.arrives().await;
        if let Source::Stream(hints) = &mut self.source
            && let Some(hint) = hints.next().await
        {
            return hint;
        }
        self.source = Source::None;
        future::pending().await
    }

    /// Waits for a subscription that is late.
    async fn arrives(&mut self) {
        if let Source::Late(subscribing) = &mut self.source {
            let stream = subscribing.await;
            self.source = stream.map_or(Source::None, |hints| {
                Source::Stream(stream::iter([Hint::Missed]).chain(hints).boxed())
            });
        }
    }

    /// After a hint that promises nothing: waits until another look is due, counted from the last.
    pub(crate) async fn hold_back(&mut self, last_look: Instant) {
        let gap = gap_after(self.in_vain);
        self.in_vain = self.in_vain.saturating_add(1);
        sleep_until(last_look + gap).await;
    }

    /// A look found something new, so the next hint may well do so too.
    pub(crate) fn were_right(&mut self) {
        self.in_vain = 0;
    }
}

/// How far apart two looks are after so many hints in vain.
fn gap_after(in_vain: u32) -> Duration {
    match in_vain.checked_sub(AT_ONCE_MAX) {
        None => Duration::ZERO,
        Some(doublings) => GAP_MAX.min(GAP_MIN * 2_u32.saturating_pow(doublings)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_hints_are_followed_at_once_and_the_next_ever_later() {
        let millis: Vec<_> = (0..10).map(|in_vain| gap_after(in_vain).as_millis()).collect();
        assert_eq!(millis, [0, 0, 0, 0, 1, 2, 4, 8, 16, 16]);
        assert_eq!(gap_after(u32::MAX), GAP_MAX);
    }
}
