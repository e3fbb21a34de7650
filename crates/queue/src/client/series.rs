//! Reads what workers counted of a queue.

use crate::Queue;
use queue_core::{Result, series::SlotLength};
use queue_view::{SeriesReading, WorkReading};
use std::time::Duration;

impl<P, R> Queue<P, R> {
    /// What all workers counted of this queue in the time `back` from now: outcomes, and histograms
    /// of wait and run times, by the minute (kept for 3 days) or by the hour (kept for 90 days).
    ///
    /// Workers write a minute when it is over, and an hour too; a reading of hours takes the
    /// present one and the last one from their minutes.
    ///
    #[cfg_attr(all(feature = "memory", feature = "json", feature = "worker"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json", feature = "worker")), doc = "```ignore")]
    /// use queue::{SlotLength, WorkOutcome, prelude::*};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let emails: Queue<String> = Queue::new(open("memory:").await?, "emails")?;
    /// emails.enqueue("welcome-ada", "ada@example.org".to_owned()).await?;
    /// emails.work_with(|_, _| async { Ok(()) }).until_idle().build()?.run().await;
    ///
    /// let hour = emails.series(Duration::from_secs(3600), SlotLength::Minute).await?;
    /// let counts = hour.series.total(hour.slots);
    /// assert_eq!(counts.of(WorkOutcome::Completed), 1);
    /// println!("half of them waited for less than {:?}", counts.wait().percentile(50));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `Unsupported` if the store keeps no series; see its capabilities.
    pub async fn series(&self, back: Duration, length: SlotLength) -> Result<SeriesReading> {
        let now = self.store_time().await?;
        let work = WorkReading::read(&*self.shared.storage, now, length, back, usize::MAX).await?;
        Ok(work.of_queue(&self.shared.name))
    }
}
