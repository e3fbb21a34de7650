//! The stream of all changes of a queue.

use crate::{Decode, Queue, client::Shared};
use futures_util::{
    Stream, StreamExt,
    stream::{self, BoxStream},
};
use queue_core::{
    Detail, EventStream, Hint, Interest, JobChange, JobId, JobRecord, Result, Seq, State, StorageExt,
};
use queue_serde::{CodecContext, Role};
use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// One change of a job, as the store reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobEvent<R> {
    /// The job is now in this state, which is not Completed.
    Changed {
        /// Which job.
        id: JobId,
        /// Which life of it.
        seq: Seq,
        /// Where it stands.
        state: State,
    },
    /// The job is done.
    Completed {
        /// Which job.
        id: JobId,
        /// Which life of it.
        seq: Seq,
        /// The result; `None` if the record was removed before it could be read.
        result: Option<R>,
    },
    /// The record was removed: as it finished, by a delete or by a prune.
    Gone {
        /// Which job.
        id: JobId,
        /// Which life of it.
        seq: Seq,
    },
    /// Changes were missed, or another process wrote: read all records again that you depend on.
    Missed,
}

/// The stream of changes of one queue, from [`Queue::events`]. It ends when the store closes.
pub struct JobEvents<R>(BoxStream<'static, Result<JobEvent<R>>>);

impl<P, R: Decode + Send + 'static> Queue<P, R> {
    /// Follows every change of every job of the queue from now on, in order for each job, with
    /// results decoded.
    ///
    /// The stream is for people to look at, and for programs that act sooner because of it. **It is
    /// not complete**: changes are missed if the reader falls behind, if a connection is lost, and
    /// from other processes if the store's [`events`](queue_core::Capabilities::events) do not
    /// reach them. Then the stream has [`JobEvent::Missed`]. For the outcome of one job use
    /// [`wait`](Self::wait).
    ///
    #[cfg_attr(all(feature = "memory", feature = "json"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json")), doc = "```ignore")]
    /// use futures_util::StreamExt;
    /// use queue::{JobEvent, prelude::*};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sums: Queue<(u32, u32), u32> = Queue::new(open("memory:").await?, "sums")?;
    /// let mut events = sums.events().await?;
    /// sums.enqueue("a", (1, 2)).await?;
    /// let job = sums.dequeue(Duration::from_secs(1)).await?.expect("one is due");
    /// let (a, b) = *job.payload();
    /// job.ack(&(a + b)).await?;
    ///
    /// while let Some(event) = events.next().await {
    ///     if let JobEvent::Completed { id, result, .. } = event? {
    ///         assert_eq!((id.as_str(), result), ("a", Some(3)));
    ///         break;
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of the store's subscription. An item of the stream is an error if a result could not
    /// be read, or not be decoded as `R`; the stream goes on after it.
    pub async fn events(&self) -> Result<JobEvents<R>> {
        let hints = self.shared.storage.subscribe(&self.shared.name, Interest::All).await?;
        Ok(JobEvents(stream::unfold((self.shared.clone(), hints), next).boxed()))
    }
}

type Feed = (Arc<Shared>, EventStream);

async fn next<R: Decode>((shared, mut hints): Feed) -> Option<(Result<JobEvent<R>>, Feed)> {
    loop {
        let event = match hints.next().await? {
            Hint::Wake => continue,
            Hint::Missed => Ok(JobEvent::Missed),
            Hint::Job(change) => of_change(&shared, change).await,
            Hint::Completed(job) => of_change(&shared, job.change()).await,
        };
        return Some((event, (shared, hints)));
    }
}

async fn of_change<R: Decode>(shared: &Shared, change: JobChange) -> Result<JobEvent<R>> {
    let JobChange { id, seq, state, .. } = change;
    Ok(match state {
        Some(State::Completed) => {
            let record = shared.storage.get_one(&shared.name, &id, Detail::Full).await?;
            // The record may be of another life of the id, whose result is not meant.
            let record = record.filter(|record| record.meta.seq == seq);
            let result = record.as_ref().and_then(JobRecord::result);
            let context = record.as_ref().map(|record| CodecContext::of(&record.meta, Role::Result));
            let result = result.zip(context).map(|(result, context)| shared.decode(result, &context));
            let result = result.transpose()?;
            JobEvent::Completed { id, seq, result }
        }
        Some(state) => JobEvent::Changed { id, seq, state },
        None => JobEvent::Gone { id, seq },
    })
}

impl<R> Stream for JobEvents<R> {
    type Item = Result<JobEvent<R>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

impl<R> fmt::Debug for JobEvents<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JobEvents(..)")
    }
}
