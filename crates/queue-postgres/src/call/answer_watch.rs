//! Gives a call up once the server has said nothing for too long.

use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// When the server last sent something to a call. A long answer over a slow network takes its time
/// and is no silence.
#[derive(Debug)]
pub(super) struct AnswerWatch(Mutex<Instant>);

impl AnswerWatch {
    /// Begins the watch now.
    pub(super) fn new() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    /// Records that a part of an answer arrived.
    pub(super) fn heard(&self) {
        *self.0.lock() = Instant::now();
    }

    /// Runs a call until it ends; `None` if the server sent nothing for `silence_max` before that.
    pub(super) async fn until_silent<T>(
        &self,
        silence_max: Duration,
        call: impl Future<Output = T>,
    ) -> Option<T> {
        tokio::select! {
            biased;
            outcome = call => Some(outcome),
            () = self.silence(silence_max) => None,
        }
    }

    async fn silence(&self, max: Duration) {
        loop {
            let until = self.last().checked_add(max);
            let Some(until) = until else { return std::future::pending().await };
            if Instant::now() >= until {
                return;
            }
            sleep_until(until).await;
        }
    }

    fn last(&self) -> Instant {
        *self.0.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::AnswerWatch;
    use std::{future::pending, time::Duration};
    use tokio::time::sleep;

    #[tokio::test]
    async fn a_call_is_given_up_for_its_silence_and_not_for_its_length() {
        let watch = AnswerWatch::new();
        let silence_max = Duration::from_millis(300);
        let longer = async {
            for _ in 0..20 {
                sleep(silence_max / 10).await;
                watch.heard();
            }
        };
        assert_eq!(watch.until_silent(silence_max, longer).await, Some(()));
        assert_eq!(watch.until_silent(silence_max, pending::<()>()).await, None);
        assert_eq!(watch.until_silent(Duration::MAX, async {}).await, Some(()));
    }
}
