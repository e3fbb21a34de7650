use super::{LeadershipBuilder, LeadershipEvent, Term, campaign::campaign, event::Listener, holder::Holder};
use crate::{single::SingleClaims, spawn::spawn};
use queue_core::{Error, ErrorKind, QueueName, Result, Rng, Span, Storage, WorkerId};
use std::{future::Future, sync::Arc, time::Duration};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// What every queue name of an election begins with.
const QUEUE_PREFIX: &str = "leader:";

/// A candidate in one election. Whoever has the same store and the same name takes part in the same election.
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
/// assert!(second.fence() > old, "whoever writes with the old fence can be refused");
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
    pub(super) listener: Listener,
}

impl Candidate {
    pub(super) fn claims(&self) -> SingleClaims<'_> {
        let Self { storage, queue, lease, id, rng, .. } = self;
        SingleClaims { storage, queue, lease: *lease, id, rng: &**rng, lost: Vec::new() }
    }
}

impl Leadership {
    /// Starts to describe a candidate in the election of this name, which is 1 to 248 bytes without control characters.
    /// The election's job lies in the queue `leader:` + name; a worker on that queue would take part without knowing.
    ///
    /// # Errors
    /// `Invalid` for such a name.
    pub fn builder(storage: Arc<dyn Storage>, election: &str) -> Result<LeadershipBuilder> {
        LeadershipBuilder::new(storage, election)
    }

    pub(super) fn new(candidate: Candidate) -> Self {
        Self { candidate: Arc::new(candidate) }
    }

    /// The queue in which the election's job lies. Pausing it holds back elections, cancelling its job asks the leader
    /// to step down.
    pub fn queue(&self) -> &QueueName {
        &self.candidate.queue
    }

    /// Waits until this candidate leads. What the store refuses for a while is reported as an event and tried again.
    ///
    /// # Errors
    /// What will not pass by itself, such as a store that is closed.
    ///
    /// A dropped future leads nothing: a claim that is under way is finished by a task of its own and given back.
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn acquire(&self) -> Result<Term> {
        let (tell, told) = oneshot::channel();
        let leave = CancellationToken::new();
        let leaves_when_dropped = leave.clone().drop_guard();
        drop(spawn(stand(self.candidate.clone(), leave, tell)));
        let panicked = || Error::new(ErrorKind::Internal, "acquire", "the store panicked").unknown();
        let holder = told.await.map_err(|_| panicked())??;
        Ok(Term::new(holder, leaves_when_dropped))
    }

    /// Leads whenever it can until `stop` fires: each time it is elected, `work` runs, and is dropped when the term
    /// ends. When `work` returns, the candidate resigns and stands again. Answers when the last term is given back.
    ///
    /// # Errors
    /// Those of [`acquire`](Self::acquire).
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
    tell: oneshot::Sender<Result<Arc<Holder>>>,
) {
    let won = match campaign(&candidate, &leave).await {
        Ok(Some(won)) => won,
        Ok(None) => return,
        Err(error) => return drop(tell.send(Err(error))),
    };
    let holder = Arc::new(Holder::new(candidate, won));
    holder.emit(&LeadershipEvent::Elected(holder.fence()));
    // Nobody may be waiting any more; then the guard has been dropped, and the lease goes back at once.
    drop(tell.send(Ok(holder.clone())));
    holder.hold(&leave).await;
}

pub(super) fn queue_of(election: &str) -> Result<QueueName> {
    // The prefix must not hide that the name itself is empty.
    QueueName::new(election)?;
    Ok(QueueName::new(format!("{QUEUE_PREFIX}{election}"))?)
}
