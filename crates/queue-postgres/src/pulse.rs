use parking_lot::Mutex;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// When a call last heard from the server. A long answer over a slow link takes its time and is no silence.
#[derive(Debug)]
pub(crate) struct Pulse(Mutex<Instant>);

impl Pulse {
    /// Begins now.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    /// There was a sign of life.
    pub(crate) fn beat(&self) {
        *self.0.lock() = Instant::now();
    }

    /// Runs a call until it ends, or until there was no sign of life for so long: `None`.
    pub(crate) async fn watch<T>(&self, silence_max: Duration, call: impl Future<Output = T>) -> Option<T> {
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
    use super::Pulse;
    use std::{future::pending, time::Duration};
    use tokio::time::sleep;

    #[tokio::test]
    async fn a_call_is_given_up_for_its_silence_and_not_for_its_length() {
        let (pulse, silence_max) = (Pulse::new(), Duration::from_millis(300));
        let longer = async {
            for _ in 0..20 {
                sleep(silence_max / 10).await;
                pulse.beat();
            }
        };
        assert_eq!(pulse.watch(silence_max, longer).await, Some(()));
        assert_eq!(pulse.watch(silence_max, pending::<()>()).await, None);
        assert_eq!(pulse.watch(Duration::MAX, async {}).await, Some(()));
    }
}
