//! Ids for work that is unique by some fields, or once in each period.

use super::keep::positive_span;
use crate::{Encode, Id, IntoJobId, Queue};
use queue_core::{Detail, JobId, Result};
use std::time::Duration;

impl<P, R> Queue<P, R> {
    /// The id that [`Id::OfContent`] would give to a job of this handle's kind whose payload
    /// consists of these parts. So work counts as the same if these parts are equal; the rest of
    /// the payload does not count. If there is an [`id_key`](crate::QueueBuilder::id_key), the id
    /// is made with it.
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::prelude::*;
    ///
    /// #[derive(serde::Serialize, serde::Deserialize)]
    /// struct Digest {
    ///     user: String,
    ///     day: u32,
    ///     unread: usize,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let digests: Queue<Digest> = Queue::new(open("memory:").await?, "digests")?;
    /// for unread in [3, 4] {
    ///     let digest = Digest { user: "ada".to_owned(), day: 12, unread };
    ///     let stored = digests.enqueue(digests.id_of(&(&digest.user, digest.day))?, digest).await?;
    ///     assert_eq!(stored.is_new(), unread == 3);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `Invalid` for parts that cannot be encoded.
    pub fn id_of(&self, parts: &impl Encode) -> Result<JobId> {
        self.shared.id_of(Id::OfContent, self.kind(), parts)
    }

    /// The id `id@N` for work that must be done at most once in each period. `N` is the number of
    /// the present period by the clock of the store, which this method reads. Periods are counted
    /// from the beginning of 1970 in UTC, so periods of a day end at midnight UTC.
    ///
    /// Keep the job for at least one period, since an id is free again once its record is removed.
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use queue::prelude::*;
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// const DAY: Duration = Duration::from_secs(24 * 3600);
    ///
    /// let digests: Queue<String> = Queue::new(open("memory:").await?, "digests")?;
    /// let id = digests.id_in_period("digest-of-ada", DAY).await?;
    /// digests.enqueue_with(id, "ada".to_owned(), JobOptions::new().keep(DAY)).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `Invalid` for an id that is invalid or has no room for the number, and for a period of zero
    /// or over 100 years; and those of the store.
    pub async fn id_in_period(&self, id: impl IntoJobId, period: Duration) -> Result<JobId> {
        let id = id.into_job_id()?;
        let period = positive_span("a period", period)?;
        let read =
            self.shared.storage.get(&self.shared.name, std::slice::from_ref(&id), Detail::Meta).await?;
        let number = read.clock.as_millis().div_euclid(period.as_millis());
        Ok(JobId::new(format!("{id}@{number}"))?)
    }
}
