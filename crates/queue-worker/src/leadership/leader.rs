//! A candidate in an election, and its terms.

use super::{
    LeadershipBuilder, LeadershipEvent, Term, campaign::campaign, event::LeadershipListener, holder::Holder,
};
use crate::{single::SingleClaims, spawn::spawn};
use queue_core::{Error, ErrorKind, QueueName, Result, Rng, Span, Storage, WorkerId};
use std::{future::Future, sync::Arc, time::Duration};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The start of every queue name of an election.
const QUEUE_PREFIX: &str = "leader:";

/// A candidate in one election. Candidates with the same store and the same name take part in the
/// same election.
///
/// ```
/// # use std::sync::Arc;
/// use queue_worker::Leadership;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), queue_core::Error> {
/// let store = Arc::new(queue_memory::MemoryStorage::new());
/// let leadership = Leadership::builder(store, "nightly report")?.build()?;
///
/// let first = leadership.acquire().await?;
/// assert!(first.is_held());
/// let old = first.fence();
/// first.resign().await;
///
/// let second = leadership.acquire().await?;
/// assert!(second.fence() > old, "a writer with the old fence can be refused");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Leadership {
    candidate: Arc<Candidate>,
}

/// What the parts of a candidate share.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) storage: Arc<dyn Storage>,
    pub(super) queue: QueueName,
    pub(super) lease: Span,
    pub(super) poll_interval: Duration,
    pub(super) id: WorkerId,
    pub(super) rng: Arc<dyn Rng>,
    pub(super) listener: LeadershipListener,
}

impl Candidate {
    pub(super) fn claims(&self) -> SingleClaims<'_> {
        let Self { storage, queue, lease, id, rng, .. } = self;
        SingleClaims { storage, queue, lease: *lease, id, rng: &**rng, lost: Vec::new() }
    }
}

impl Leadership {
    /// Starts to describe a candidate in the election of this name, which is 1 to 248 bytes without
    /// control characters. The election's job lies in the queue `leader:` + name. A worker on that
    /// queue would take part without knowing.
    ///
    /// # Errors
    /// `Invalid` for such a name.
    pub fn builder(storage: Arc<dyn Storage>, election: &str) -> Result<LeadershipBuilder> {
        LeadershipBuilder::new(storage, election)
    }

    pub(super) fn new(candidate: Candidate) -> Self {
        Self { candidate: Arc::new(candidate) }
    }

    /// The queue in which the election's job lies. Pausing it holds back elections. Cancelling its
    /// job asks the leader to step down.
    pub fn queue(&self) -> &QueueName {
        &self.candidate.queue
    }

    /// Waits until this candidate leads. A call that the store refuses for now is reported as an
    /// event and tried again.
    ///
    /// # Errors
    /// Errors that do not pass by themselves, such as that of a store that is closed.
    ///
    /// A dropped future leads nothing: a task of its own finishes a claim that is in flight and
    /// gives it back.
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn acquire(&self) -> Result<Term> {
        let (reply, answer) = oneshot::channel();
        let leave = CancellationToken::new();
        let leaves_when_dropped = leave.clone().drop_guard();
        drop(spawn(stand(self.candidate.clone(), leave, reply)));
        let panicked = || Error::new(ErrorKind::Internal, "acquire", "the store panicked").unknown();
        let holder = answer.await.map_err(|_| panicked())??;
        Ok(Term::new(holder, leaves_when_dropped))
    }

    /// Stands for election until `stop` fires. Each time that the candidate is elected, `work`
    /// runs, and is dropped when the term ends. When `work` returns, the candidate resigns and
    /// stands again. Returns when the last term is given back.
    ///
    /// # Errors
    /// The errors of [`acquire`](Self::acquire).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use queue_worker::Leadership;
    /// use tokio_util::sync::CancellationToken;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), queue_core::Error> {
    /// let store = Arc::new(queue_memory::MemoryStorage::new());
    /// let stop = CancellationToken::new();
    /// let leadership = Leadership::builder(store, "compactor")?.build()?;
    /// leadership.lead(&stop, |fence| { let stop = stop.clone(); async move {
    ///     println!("compacting as leader {fence}");
    ///     stop.cancel();
    /// } }).await?;
    /// # Ok(()) }
    /// ```
    pub async fn lead<F, W>(&self, stop: &CancellationToken, mut work: F) -> Result<()>
    where
        F: FnMut(super::Fence) -> W,
        W: Future<Output = ()>,
    {
        while let Some(term) = stop.run_until_cancelled(self.acquire()).await {
            let term = term?;
            // Stop and end of the term come first, so that `work` is not polled after either.
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                () = term.lost() => {}
                () = work(term.fence()) => {}
            }
            term.resign().await;
        }
        Ok(())
    }
}

/// The task of one candidacy, from the first claim to the end of the term.
async fn stand(
    candidate: Arc<Candidate>,
    leave: CancellationToken,
    reply: oneshot::Sender<Result<Arc<Holder>>>,
) {
    let won = match campaign(&candidate, &leave).await {
        Ok(Some(won)) => won,
        Ok(None) => return,
        Err(error) => return drop(reply.send(Err(error))),
    };
    let holder = Arc::new(Holder::new(candidate, won));
    holder.emit(&LeadershipEvent::Elected(holder.fence()));
    // The caller may have gone. Then its guard was dropped, and the lease goes back at once.
    drop(reply.send(Ok(holder.clone())));
    holder.hold(&leave).await;
}

pub(super) fn queue_of(election: &str) -> Result<QueueName> {
    // The prefix must not hide that the name itself is empty.
    QueueName::new(election)?;
    Ok(QueueName::new(format!("{QUEUE_PREFIX}{election}"))?)
}
