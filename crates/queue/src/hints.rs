use crate::client::Shared;
use futures_util::StreamExt;
use queue_core::{EventStream, Hint, Interest};
use std::{future, time::Duration};
use tokio::time::{Instant, sleep_until};

/// No longer than this for a subscription: hints save time, so it must not cost more than they save.
const SUBSCRIBE_MAX: Duration = Duration::from_secs(1);

/// A hint that promises nothing, which a busy store may give for every write of others, leads to a read or claim at once
/// only so many times in a row. A call needs two: its job is claimed, and then done.
const AT_ONCE_MAX: u32 = 4;
/// Then that comes no sooner than this after the last one, as short as a timer can be,
const GAP_MIN: Duration = Duration::from_millis(1);
/// and the gap doubles up to this: whoever is hinted at in vain all the time listens less closely.
const GAP_MAX: Duration = Duration::from_millis(16);

/// A subscription that may be missing: then it never says anything, and whoever listens reads at intervals anyway.
pub(crate) struct Hints {
    stream: Option<EventStream>,
    /// Hints that promised nothing, since one led to something new.
    in_vain: u32,
}

impl Hints {
    /// Once this answers, later changes are hinted at, if hints are to be had.
    pub(crate) async fn subscribe(shared: &Shared, interest: Interest, deadline: Instant) -> Self {
        let subscribing = shared.storage.subscribe(&shared.name, interest);
        let until = deadline.min(Instant::now() + SUBSCRIBE_MAX);
        let answer = tokio::time::timeout_at(until, subscribing).await;
        // An error that matters comes back with the next read.
        Self { stream: answer.ok().and_then(Result::ok), in_vain: 0 }
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
