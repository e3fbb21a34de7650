//! Turns a time of day into a delay, by the clock of the store.

use crate::{JobOptions, Queue};
use queue_core::{Detail, JobId, Result, Timestamp};
use std::time::{Duration, SystemTime};

impl<P, R> Queue<P, R> {
    /// How long until that time by the clock of the store, which this method reads; zero if the
    /// time has passed. Use it where [`JobOptions::run_at`] is refused, such as for a job in a
    /// transaction:
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::prelude::*;
    /// use std::time::{Duration, SystemTime};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let emails: Queue<String> = Queue::new(open("memory:").await?, "emails")?;
    /// let tomorrow = SystemTime::now() + Duration::from_secs(86_400);
    /// let options = JobOptions::new().delay(emails.time_until(tomorrow).await?);
    /// let job = emails.new_job("wishes", &"good morning".to_owned(), &options)?;
    /// # let _ = job;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of the store.
    pub async fn time_until(&self, at: SystemTime) -> Result<Duration> {
        // Every answer has the time, whether there is such a job or not.
        let any = JobId::from_static("time");
        let read = self.shared.storage.get(&self.shared.name, &[any], Detail::Meta).await?;
        Ok(until(at, read.clock))
    }

    /// The same options with a delay in place of a time of day.
    pub(crate) async fn timed(&self, options: JobOptions) -> Result<JobOptions> {
        match options.time_of_day() {
            Some(at) => Ok(options.delay(self.time_until(at).await?)),
            None => Ok(options),
        }
    }
}

fn until(at: SystemTime, clock: Timestamp) -> Duration {
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(clock.as_millis().unsigned_abs());
    at.duration_since(now).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_passed_is_now_and_fractions_are_kept() {
        let clock = Timestamp::from_millis(5_000);
        let at = |nanos| until(SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos), clock);
        assert_eq!(at(5_000_000_001), Duration::from_nanos(1));
        assert_eq!(at(5_000_000_000), Duration::ZERO);
        assert_eq!(at(4_999_999_999), Duration::ZERO);
    }
}
