//! Pauses of a queue and of its kinds.

use crate::Queue;
use queue_core::{Detail, Kind, Pause, Result, Span, Timestamp};

impl<P, R> Queue<P, R> {
    /// Stops claims of this queue, for all workers, until [`resume`](Self::resume). Running jobs
    /// and enqueues go on.
    ///
    /// # Errors
    /// `Unsupported` if the store cannot pause; see its capabilities.
    pub async fn pause(&self) -> Result<()> {
        self.set_pause(Pause::UntilResumed).await
    }

    /// Stops claims of this queue for so long, counted from now by the time of the store, and
    /// answers until when. No resume is needed: workers sleep until then and go on.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// use queue::{prelude::*, queue_core::{Pause, Span, StorageExt}};
    ///
    /// let store = open("memory:").await?;
    /// let emails: Queue<String> = Queue::new(store.clone(), "emails")?;
    /// let until = emails.pause_for(Span::from_secs(600)).await?;
    /// let status = store.status_of(emails.name()).await?.expect("a paused queue is listed");
    /// assert_eq!(status.pause, Pause::Until(until));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `Unsupported` if the store cannot pause.
    pub async fn pause_for(&self, span: Span) -> Result<Timestamp> {
        let until = self.store_time().await? + span;
        self.set_pause(Pause::Until(until)).await?;
        Ok(until)
    }

    /// Ends a pause of the queue. Kinds that are paused stay so.
    ///
    /// # Errors
    /// `Unsupported` if the store cannot pause.
    pub async fn resume(&self) -> Result<()> {
        self.set_pause(Pause::Off).await
    }

    /// Stops, resumes or shortens: the last call counts.
    ///
    /// # Errors
    /// `Unsupported` if the store cannot pause.
    pub async fn set_pause(&self, pause: Pause) -> Result<()> {
        self.shared.storage.set_paused(&self.shared.name, None, pause).await
    }

    /// Stops the claims of one kind, while other kinds of the queue go on, or resumes it. Jobs of
    /// the kind wait in their order.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// use queue::{prelude::*, queue_core::{Kind, Pause, StorageExt}};
    ///
    /// let store = open("memory:").await?;
    /// let emails: Queue<String> = Queue::new(store.clone(), "emails")?;
    /// emails.set_kind_pause(&Kind::from_static("newsletter"), Pause::UntilResumed).await?;
    /// let status = store.status_of(emails.name()).await?.expect("the queue is listed");
    /// assert_eq!(status.paused_kinds[0].kind.as_str(), "newsletter");
    /// emails.set_kind_pause(&Kind::from_static("newsletter"), Pause::Off).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `Unsupported` if the store cannot pause; see its capabilities. `Invalid` if too many
    /// kinds of the queue are paused.
    pub async fn set_kind_pause(&self, kind: &Kind, pause: Pause) -> Result<()> {
        self.shared.storage.set_paused(&self.shared.name, Some(kind), pause).await
    }

    /// The time of the store: what [`Pause::Until`] is compared with.
    ///
    /// # Errors
    /// The errors of a read.
    pub async fn store_time(&self) -> Result<Timestamp> {
        Ok(self.shared.storage.get(&self.shared.name, &[], Detail::Meta).await?.now)
    }
}
